"""Inputs cross to a program as they are, and no two of their parts become one object."""

from __future__ import annotations

import gc
import math
from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.packed import pack, unpack
from joulemark.code.inside.plain import Linked, TooLarge, collector_at_rest, decode, encode

_hashable = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner).map(tuple) | st.frozensets(inner),
    max_leaves=8,
)
_values = st.recursive(
    _hashable | st.complex_numbers(allow_nan=False),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.lists(inner).map(deque)
        | st.dictionaries(_hashable, inner)
        | st.sets(_hashable)
    ),
    max_leaves=20,
)


def _shown(value: Any) -> str:
    """Return a value with the types of all its parts; a set in one order."""
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__}{sorted(map(_shown, value))}"
    if isinstance(value, (list, tuple, deque)):
        return f"{type(value).__name__}{[_shown(one) for one in value]}"
    if isinstance(value, dict):
        return f"dict{[(_shown(k), _shown(v)) for k, v in value.items()]}"
    return f"{type(value).__name__} {value!r}"


@given(_values)
def test_an_input_is_read_as_its_text_would_be(value: Any) -> None:
    assert _shown(unpack(pack(value))) == _shown(decode(encode(value))) == _shown(value)


@given(st.lists(st.integers()), st.integers(2, 5))
def test_equal_parts_stay_apart(row: list[int], n: int) -> None:
    rows = unpack(pack([row] * n))
    rows[0].append("changed")
    assert rows[1:] == [row] * (n - 1)


def test_what_has_no_bytes_goes_as_text() -> None:
    for value in (Linked((1, 2)), deque([1]), [deque([(1,)])]):
        packed = pack(value)
        assert isinstance(packed, str)
        assert unpack(packed) == value
    with pytest.raises(TooLarge):
        pack(_deep(3000))


def _deep(n: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(n):
        value = [value]
    return value


def test_bytes_and_texts_reach_a_program_in_their_order(sandbox: Sandbox) -> None:
    with sandbox.cell() as cell:
        cell.load("def f(one):\n    return one\n", "f")
        given_ = [([1] * 300_000,), (deque([2]),), ({"a": (3, math.inf)},), ("é\ud800",), (b"\0" * 100,)]
        called = cell.call([pack(args) for args in given_])
        assert list(called.values) == [args[0] for args in given_]
        assert cell.call([encode((5,)), pack((6,))]).values == (5, 6)


def test_the_collector_works_again_as_it_did() -> None:
    assert gc.isenabled()
    with collector_at_rest():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        decode(encode([1]))
        assert not gc.isenabled()
    finally:
        gc.enable()

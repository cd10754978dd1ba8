"""Plain data crosses unchanged; whatever else is sent is refused, in bounded time."""

from __future__ import annotations

import json
import math
import time
import tracemalloc
from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.code.inside.plain import (
    MAX_DEPTH,
    MAX_PARTS,
    MAX_RESULT_DEPTH,
    Linked,
    Nodes,
    Opaque,
    TooLarge,
    Tree,
    decode,
    encode,
    n_parts,
)

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
_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from([*"iftrszqdbcoLTv", "x"]) | st.text(), inner, max_size=2)
    ),
    max_leaves=20,
)


def _same_types(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple, deque)):
        return all(map(_same_types, one, other))
    if isinstance(one, dict):
        return all(map(_same_types, one.values(), other.values()))
    return True


@given(_values)
def test_plain_data_comes_back_equal_and_of_the_same_types(value: Any) -> None:
    back = decode(encode(value))
    assert back == value
    assert _same_types(back, value)


def test_values_at_the_edge_come_back_as_they_are() -> None:
    for value in (math.inf, -math.inf, 1 << 100_000, -(1 << 100_000), True, 1, 1.0, "", b""):
        back = decode(encode(value))
        assert type(back) is type(value)
        assert back == value


@given(st.lists(st.lists(st.integers() | st.floats(allow_nan=False) | st.text() | st.none())))
def test_rows_come_back_as_they_are(rows: list[list[Any]]) -> None:
    for value in (rows, [tuple(row) for row in rows], tuple(map(tuple, rows)), [rows], [[tuple(rows)]]):
        back = decode(encode(value))
        assert back == value
        assert _same_types(back, value)


def test_rows_are_no_deeper_than_they_may_be() -> None:
    value: Any = [(1,)]
    for _ in range(MAX_DEPTH - 1):
        value = [value]
    assert decode(encode(value)) == value
    with pytest.raises(TooLarge):
        encode([value])
    with pytest.raises(ValueError, match="deep"):
        decode("[" + encode(value) + "]")


def test_not_a_number_comes_back_and_equals_nothing() -> None:
    back = decode(encode([math.nan]))
    assert math.isnan(back[0])
    assert back != [math.nan]


@given(_anything)
def test_a_forged_text_is_a_value_or_is_refused(forged: Any) -> None:
    text = json.dumps(forged)
    try:
        decode(text)
    except ValueError:
        return


@pytest.mark.parametrize(
    "text",
    [
        '{"c":[' + "9" * 4000 + ",0]}",
        '{"f":' + "9" * 4000 + "}",
        '{"i":[]}',
        '{"r":[[{"t":[1]}]]}',
        '{"r":[[1],2]}',
        '{"r":[{"t":[1]}]}',
        '{"r":5}',
        '{"T":[5]}',
        '{"L":5}',
        '{"o":1,"i":"0x1"}',
        '{"":0}',
        "{}",
        "[" * 5000,
        "[" * 900 + "]" * 900,
        '{"t":[' * 300 + "]}" * 300,
        "9" * 5000,
        "",
        "\ud800",
    ],
)
def test_what_no_program_writes_is_refused_with_one_kind_of_error(text: str) -> None:
    with pytest.raises(ValueError):
        decode(text)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"s": [i * (2**61 - 1) for i in range(100_000)]}),
        json.dumps({"d": [[i * (2**61 - 1), 0] for i in range(100_000)]}),
        json.dumps({"z": [{"t": [i * (2**61 - 1), i * (2**61 - 1)]} for i in range(50_000)]}),
        json.dumps({"s": [{"o": "x"}] * 100_000}),
    ],
)
def test_members_of_one_hash_do_not_keep_the_parent_busy(text: str) -> None:
    begin = time.process_time()
    value = decode(text)
    assert time.process_time() - begin < 2  # the square of their number would take minutes
    assert isinstance(value, Opaque)
    assert value != value


def test_sets_that_programs_make_are_no_victims_of_that() -> None:
    for members in (set(range(200_000)), {2**i for i in range(2000)}, {float(i) for i in range(-50_000, 0)}):
        assert decode(encode(members)) == members


def test_a_set_of_what_cannot_be_hashed_is_opaque() -> None:
    class Hashed(list):  # type: ignore[type-arg]
        __hash__ = object.__hash__

    assert isinstance(decode(encode({Hashed([1])})), Opaque)


def test_parts_are_counted_before_they_are_made() -> None:
    text = "[" + "[]," * 1_000_000 + "[]]"
    assert n_parts(text) > 1_000_000
    assert n_parts(text) == n_parts(text.encode())
    begin = time.process_time()
    with pytest.raises(ValueError, match="more parts"):
        decode(text, max_parts=1000)
    assert time.process_time() - begin < 0.1


@pytest.mark.parametrize("value", [deque(), set(), {1: 2}, {1, 2, 3, 4, 5}, frozenset((1,)), (1, (2,))])
def test_a_part_is_about_as_large_as_another(value: Any) -> None:
    """An empty deque takes 1,060 bytes, ten times what a text does: a limit of parts is one of memory."""
    n = 2_000
    text = encode([value] * n)
    tracemalloc.start()
    kept = decode(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(kept) == n
    assert peak < 100 * n_parts(text)


@pytest.mark.parametrize(
    ("one", "n"),
    [
        ([1, 2], 2_000_000),
        ((1, 2), 2_000_000),
        ((1, (2, 3)), 200_000),
        ({1: 2, 3: 4}, 300_000),
        (float("inf"), 500_000),
        (1 + 2j, 400_000),
    ],
)
def test_large_results_of_honest_programs_pass(one: Any, n: int) -> None:
    assert n / 1000 * n_parts(encode([one] * 1000)) < MAX_PARTS


def test_results_may_be_less_deep_than_what_is_made_of_them() -> None:
    def nested(depth: int) -> Any:
        value: Any = 1
        for _ in range(depth):
            value = (value,)
        return value

    deep = nested(MAX_RESULT_DEPTH)
    text = encode(deep, MAX_RESULT_DEPTH)
    assert decode(text, max_depth=MAX_RESULT_DEPTH) == deep
    assert decode(encode(((1,), deep))) == ((1,), deep)
    with pytest.raises(TooLarge):
        encode(nested(MAX_RESULT_DEPTH + 2), MAX_RESULT_DEPTH)
    with pytest.raises(ValueError):
        decode(encode(nested(MAX_RESULT_DEPTH + 5)), max_depth=MAX_RESULT_DEPTH)
    for depth in (MAX_DEPTH + 2, 100_000):
        with pytest.raises(TooLarge):
            encode(nested(depth))


def test_lists_and_trees_of_nodes_cross_in_both_directions() -> None:
    class ListNode:
        def __init__(self, val: Any = 0, next: Any = None) -> None:
            self.val, self.next = val, next

    class TreeNode:
        def __init__(self, val: Any = 0, left: Any = None, right: Any = None) -> None:
            self.val, self.left, self.right = val, left, right

    nodes = Nodes(ListNode, TreeNode)
    for value in (Linked((1, 2, 3)), Tree((1, None, 2, 3)), Linked(()), Tree(())):
        text = encode(value)
        assert decode(text) == value
        if value.values:
            assert decode(encode(decode(text, nodes))) == value


def test_a_linked_list_that_bites_its_tail_is_opaque() -> None:
    class ListNode:
        val = 1

        def __init__(self) -> None:
            self.next = self

    assert isinstance(decode(encode(ListNode())), Opaque)


def test_containers_are_read_as_they_are_and_not_as_they_say() -> None:
    class Lie(list):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            return iter([1])

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    class Number(int):
        def __add__(self, other: int) -> int:
            return 1

        def __index__(self) -> int:
            return 1

    class Text(str):
        def __getitem__(self, key: Any) -> str:
            return "right"

    assert decode(encode(Lie([0]))) == [0]
    assert decode(encode(Number(0))) == 0
    assert decode(encode(Text("wrong"))) == "wrong"

"""Results are compared as plain data, and as strictly as the problem says."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.code.grading.compare import same
from joulemark.code.inside.plain import Opaque, decode, encode
from joulemark.code.problems.problem import Checker, Comparison

pytestmark = pytest.mark.hypothesis
EQUAL = Checker()
CLOSE = Checker(Comparison.CLOSE, rel_tol=1e-9, abs_tol=1e-9)
UNORDERED = Checker(Comparison.UNORDERED)
NESTED = Checker(Comparison.UNORDERED_NESTED)
TEXT = Checker(Comparison.TEXT)
ATOMS = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.binary(max_size=5)
HASHABLE = st.recursive(ATOMS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)
PLAIN = st.recursive(
    ATOMS | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.sets(HASHABLE, max_size=3)
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_a_value_crosses_as_it_is(value: Any) -> None:
    assert same(value, decode(encode(value)), EQUAL)


@given(PLAIN, PLAIN)
def test_equal_is_what_python_calls_equal(a: Any, b: Any) -> None:
    if a == b:
        assert same(a, b, EQUAL)
    elif "nan" not in repr((a, b)):
        assert not same(a, b, EQUAL)


@given(st.lists(PLAIN, max_size=6), st.randoms(use_true_random=False))
def test_order_is_of_no_matter_where_the_problem_says_so(values: list[Any], rng: Any) -> None:
    shuffled = list(values)
    rng.shuffle(shuffled)
    assert same(values, shuffled, UNORDERED)
    assert not same(values, [*shuffled, 1], UNORDERED)


@pytest.mark.parametrize(
    ("expected", "got", "checker", "right"),
    [
        (1, True, EQUAL, True),
        (1, True, Checker(same_type=True), False),
        ([1, 2], (1, 2), EQUAL, False),
        (2, 2.0, EQUAL, True),
        (5 * 10**16 + 1, 5e16, CLOSE, True),
        (5 * 10**16 + 1, 5 * 10**16, CLOSE, False),
        (0.1 + 0.2, 0.3, EQUAL, False),
        (0.1 + 0.2, 0.3, CLOSE, True),
        ([0.1 + 0.2], [0.3], CLOSE, True),
        (1.0, 1.1, CLOSE, False),
        (1.0, math.nan, CLOSE, False),
        (math.nan, math.nan, EQUAL, True),
        (math.inf, -math.inf, CLOSE, False),
        (10**400, 1.0, CLOSE, False),
        ([1, 1, 2], [1, 2, 2], UNORDERED, False),
        ([1, 2.0], [2, 1.0], UNORDERED, True),
        ([[1, 2], [3]], [[3], [2, 1]], UNORDERED, False),
        ([[1, 2], [3]], [[3], [2, 1]], NESTED, True),
        ([1], {1}, UNORDERED, False),
        ("a \nb\n\n", "a\nb", TEXT, True),
        ("1 2", "12", TEXT, False),
        ("a", ["a"], TEXT, False),
        ("0.30000001", "0.3", Checker(Comparison.TEXT, abs_tol=1e-6), True),
        ("0.30000001 x", "0.3 y", Checker(Comparison.TEXT, abs_tol=1e-6), False),
        (Opaque("Anything"), Opaque("Anything"), EQUAL, False),
        ([1], [Opaque("int")], UNORDERED, False),
    ],
)
def test_as_strict_as_it_says(expected: Any, got: Any, checker: Checker, right: bool) -> None:
    assert same(expected, got, checker) is right


def test_a_subclass_is_read_by_its_plain_part() -> None:
    class Yes(int):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = int.__hash__

    assert not same(7, decode(encode(Yes(5))), EQUAL)
    assert same({"a": 2}, decode(encode(Counter("aa"))), EQUAL)


def test_what_nests_too_deep_is_wrong_and_no_crash() -> None:
    a: Any = []
    for _ in range(5000):
        a = [a]
    b: Any = []
    for _ in range(5000):
        b = [b]
    assert not same(a, b, EQUAL)

"""Results are compared as plain data, and as strictly as the problem says."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations
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


ROUGHLY = Checker(Comparison.UNORDERED, abs_tol=0.1)
ROUGHLY_NESTED = Checker(Comparison.UNORDERED_NESTED, abs_tol=0.1)


@pytest.mark.parametrize(
    ("expected", "got", "checker", "right"),
    [
        ([{"a": 1, "b": 2}], [{"b": 2, "a": 1}], UNORDERED, True),
        ([{"a": 1}, {}], [{}, {"a": 1.0}], UNORDERED, True),
        ([{"a": 1}], [{"a": 2}], UNORDERED, False),
        ([{"a": [1, 2]}], [{"a": [2, 1]}], UNORDERED, False),
        ([{"a": [1, 2]}], [{"a": [2, 1]}], NESTED, True),
        ([(1, 2)], [[1, 2]], UNORDERED, False),
        ([{1, 2}], [frozenset({2, 1.0})], UNORDERED, True),
        ([complex(1), 2], [2, 1], UNORDERED, True),
        (["1"], [1], UNORDERED, False),
        (["a,b"], ["a", "b"], UNORDERED, False),
        (["a,b", "c"], ["a", "b,c"], UNORDERED, False),
        ([10**400, 1], [1, 10**400], UNORDERED, True),
        ([math.nan, math.inf], [math.inf, math.nan], UNORDERED, True),
        ([1.0, 2.0], [2.05, 0.95], ROUGHLY, True),
        ([1.0, 2.0], [2.05, 0.85], ROUGHLY, False),
        ([1.0, 2.0], [2.0, 2.0], ROUGHLY, False),
        ([1, 2], [2, 1], ROUGHLY, True),
        ([1, 3.0], [3, 1.05], ROUGHLY, True),
        # sorted by their first numbers the second ones would not meet
        ([[1.0, 5.0], [1.05, 7.0]], [[1.06, 5.0], [1.01, 7.0]], ROUGHLY, True),
        ([[1.0, 5.0], [1.05, 7.0]], [[5.0, 1.06], [7.0, 1.01]], ROUGHLY, False),
        ([[1.0, 5.0], [1.05, 7.0]], [[7.0, 1.01], [5.0, 1.06]], ROUGHLY_NESTED, True),
        ([{"a": 1.0}, {"a": 2.0}], [{"a": 2.05}, {"a": 1.0}], ROUGHLY, True),
        ([("x", 1.0), ("y", 2.0)], [("y", 2.0), ("x", 1.05)], ROUGHLY, True),
        ([("x", 1.0), ("y", 2.0)], [("x", 2.0), ("y", 1.05)], ROUGHLY, False),
        ([Opaque("int")], [Opaque("int")], ROUGHLY, False),
        (["a", None, 1.0], [1.05, "a", None], ROUGHLY, True),
    ],
)
def test_in_any_order(expected: Any, got: Any, checker: Checker, right: bool) -> None:
    assert same(expected, got, checker) is right


@given(st.lists(PLAIN, max_size=5), st.randoms(use_true_random=False))
def test_what_is_equal_is_equal_in_any_order_and_within_any_tolerance(values: list[Any], rng: Any) -> None:
    """A copy by its text is what a program gives back: other objects, equal to these."""
    shuffled = list(decode(encode(values)))
    rng.shuffle(shuffled)
    for checker in (UNORDERED, NESTED, ROUGHLY, ROUGHLY_NESTED):
        assert same(values, shuffled, checker)


@given(st.lists(PLAIN, min_size=1, max_size=3), st.lists(PLAIN, min_size=1, max_size=3))
def test_any_order_is_an_order_in_which_they_are_equal(a: list[Any], b: list[Any]) -> None:
    some = any(same(a, list(order), EQUAL) for order in permutations(b))
    assert same(a, b, UNORDERED) is some


@given(
    st.lists(st.lists(st.floats(-3, 3), min_size=2, max_size=2), min_size=1, max_size=4),
    st.lists(st.lists(st.floats(-0.2, 0.2), min_size=2, max_size=2), min_size=4, max_size=4),
    st.randoms(use_true_random=False),
)
def test_points_that_were_moved_are_matched_where_any_choice_matches(
    points: list[list[float]], moves: list[list[float]], rng: Any
) -> None:
    moved = [[x + dx, y + dy] for (x, y), (dx, dy) in zip(points, moves, strict=False)]
    rng.shuffle(moved)
    close = Checker(Comparison.CLOSE, abs_tol=0.1)
    some = any(same(points, list(order), close) for order in permutations(moved))
    assert same(points, moved, ROUGHLY) is some


def test_what_matches_itself_in_too_many_ways_is_given_up() -> None:
    """A result must not keep the grader busy: close pairs by the thousand end within a second or two."""
    a = [[float(k % 7) / 100, k % 2] for k in range(3000)]
    b = [[float(k % 7) / 100, k % 2 + 0.05] for k in range(2999)] + [[9.0, 0.0]]
    assert not same(a, b, ROUGHLY)


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


def test_floats_that_are_the_same_are_not_looked_at_one_by_one_and_others_still_are() -> None:
    exact, close = Checker(), Checker(Comparison.CLOSE, rel_tol=1e-9, abs_tol=1e-9)
    rows = [[0.1 * k, float(k)] for k in range(50)]
    nearly = [[a + 1e-12, b] for a, b in rows]
    assert same(rows, [list(row) for row in rows], exact)
    assert not same(rows, nearly, exact)
    assert same(rows, nearly, close)
    assert same([math.nan, 1.0], [float("nan"), 1.0], exact)
    assert not same([1.0, [2.0]], [1.0, (2.0,)], exact)

"""What is shown of a test is short, whatever a program returned, and no more of that is looked at."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import pytest

from joulemark.code.cases.case import Case, Kind
from joulemark.code.grading.shown import shown, wrong_result
from joulemark.code.inside.packed import pack
from joulemark.code.inside.plain import Linked, Opaque, Tree


def test_a_wrong_result_stands_beside_input_and_what_is_right() -> None:
    args = ([1, 2, 3], "ab")
    case = Case(2, Kind.EDGE, args, pack(args), {"a": 1})
    assert wrong_result(case, None) == "on ([1, 2, 3], 'ab') it returned None, the reference {'a': 1}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Linked((1, 2)), "linked list [1, 2]"),
        (Tree((1, None, [2])), "tree [1, None, [2]]"),
        (Opaque("evil\x1b"), r"a value of type 'evil\x1b'"),
        (set(), "set()"),
        ({7}, "{7}"),
        (frozenset({7}), "frozenset({7})"),
        (deque([1]), "deque([1])"),
        (b"ab", "b'ab'"),
        (-(2**300), "an integer of 301 bits"),
        (10**9, "1000000000"),
    ],
)
def test_values_of_every_kind(value: Any, text: str) -> None:
    assert shown(value) == text


def deep(n: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(n):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        list(range(10**6)),
        "x" * 10**7,
        set(range(10**6)),
        frozenset(range(10**6)),
        {k: k for k in range(10**6)},
        Linked(tuple(range(10**6))),
        1 << 10**6,
        deep(190),
        [["x" * 100] * 100] * 100,
        b"x" * 10**7,
    ],
    ids=lambda value: type(value).__name__,
)
def test_large_ones_are_short_and_soon_made(value: Any) -> None:
    begin = time.process_time()
    assert len(shown(value)) <= 120
    assert time.process_time() - begin < 0.05

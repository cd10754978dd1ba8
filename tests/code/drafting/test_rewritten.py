"""A problem's file gets another generator, and nothing else of it changes."""

from __future__ import annotations

import ast
import random
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from doubles.scripted_model import GOOD, HEAD
from joulemark.code.drafting.draft import draft_of
from joulemark.code.drafting.rewritten import Unwritable, one_function, rewritten
from joulemark.code.problems.problem_file import parse_problem

_NAME = "sorting_fewest_exchanges"
_TEXT = resources.files("joulemark.code.problems").joinpath("built_in", f"{_NAME}.py").read_text("utf-8")
_PROBLEM = parse_problem(_TEXT, _NAME)
_HELPED = (
    HEAD
    + '''
import math
import random
from bisect import bisect

TEXT = """two
lines"""
STEPS = [1, 2,
         3]

def steps(rng, n):
    """Some numbers."""  # with a comment
    return [rng.choice(STEPS) for _ in range(n)]

class Box:
    def __init__(self, values):
        self.values = values

def generate(rng: random.Random, size: int, shape: str) -> tuple[list[int]]:
    """Numbers that differ."""
    # a comment of the model's
    values = steps(rng, size)
    values = [math.floor(value) + 5 * i for i, value in enumerate(values)]
    if shape == "rising":
        values = Box(values[::-1]).values + [len(TEXT) - 10**6, bisect([1], 2) - 10**7]
    return (values,)
'''
)


def _made(source: str) -> Any:
    names: dict[str, Any] = {}
    exec(source, names)
    return [
        names["generate"](random.Random(seed), 6, shape)
        for seed in range(3)
        for shape in ("random", "rising")
    ]


def test_the_file_keeps_everything_else_to_the_letter() -> None:
    text = rewritten(_TEXT, _PROBLEM, draft_of(_HELPED))
    back = parse_problem(text, _NAME)
    assert replace(back, generator=None) == replace(_PROBLEM, generator=None)
    assert back.generator is not None
    assert (back.generator.sizes, back.generator.shapes) == ((200, 40_000), ("random", "rising"))
    assert _made(back.generator.source) == _made(_HELPED)
    kept = _TEXT[: _TEXT.index("SHAPES = ")]
    assert text.startswith(kept)
    assert _TEXT[_TEXT.index("CHECKER = ") : _TEXT.index("def generate")] in text


def test_a_file_without_a_generator_gets_one() -> None:
    bare = "".join(
        line
        for line in _TEXT[: _TEXT.index("def generate")].splitlines(True)
        if not line.startswith(("SHAPES", "SIZES"))
    )
    assert parse_problem(bare, _NAME).generator is None
    back = parse_problem(rewritten(bare, parse_problem(bare, _NAME), draft_of(GOOD)), _NAME)
    assert back.generator is not None
    assert back.generator.shapes == ("random", "rising")
    assert _made(back.generator.source) == _made(GOOD)


def test_comments_stay_where_nothing_forbids_it() -> None:
    plain = _HELPED.replace('"""two\nlines"""', '"two"').replace("rng: random.Random", "rng")
    text = one_function(plain)
    assert "# a comment of the model's" in text
    assert "# with a comment" in text
    assert len(ast.parse(text).body) == 1
    assert _made(text) == _made(plain)


@pytest.mark.parametrize(
    ("before", "says"),
    [
        ("seen = 0\n\ndef count():\n    global seen\n    seen += 1\n", "global variables .seen"),
        ("from math import *\n", "imports `\\*`"),
        ("def generate(rng, size, shape):\n    return ()\n", "twice"),
    ],
)
def test_what_cannot_stand_in_a_function_is_refused(before: str, says: str) -> None:
    with pytest.raises(Unwritable, match=says):
        one_function(f"{before}\n\n{GOOD}")

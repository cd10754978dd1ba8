from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.code.inside.plain import Linked, Tree
from joulemark.code.problems.importers.rows import Row
from joulemark.code.problems.problem import Checker, Comparison, Example, Generator, Problem
from joulemark.code.problems.problem_json import from_row, to_json
from joulemark.code.problems.registry import load_problems
from joulemark.record.errors import InputError

_ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
_VALUES = st.recursive(
    _ATOMS,
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.integers() | st.text(), inner)
    ),
    max_leaves=8,
)


def _problem(**changes: Any) -> Problem:
    facts: dict[str, Any] = {
        "problem_id": "p",
        "title": "T",
        "statement": "S",
        "entry_point": "f",
        "canonical": "def f(x):\n    return x\n",
        "origin": "tests",
        "licence": "Apache-2.0",
    }
    return Problem(**{**facts, **changes})


def _again(problem: Problem) -> Problem:
    return from_row(Row(json.loads(to_json(problem)), "line 1"))


@given(st.lists(_VALUES), _VALUES)
def test_values_come_back_as_they_were(args: list[object], result: object) -> None:
    problem = _problem(inputs=(tuple(args),), expected=(result,), examples=(Example(tuple(args), result),))
    assert _again(problem) == problem


def test_every_field_comes_back() -> None:
    problem = _problem(
        prelude="import math\n",
        prompt="P",
        completes_prompt=True,
        inputs=((Linked((1, 2)), Tree((1, None, 2)), {1, 2}, 1j, 10**5000),),
        expected=(float("inf"),),
        test_source="def check(candidate):\n    pass\n",
        checker=Checker(Comparison.CHECKER, 0.5, 1e-9, True, "def check(a, e, g):\n    return True\n"),
        generator=Generator(
            "def generate(r, s, k):\n    return ()\n", (1, 9), ("a", "b"), (1, 2), (3, 4), (0, 3)
        ),
        slow={"slow_x": "def f(x):\n    return x\n"},
        brute_force="def f(x):\n    return x\n",
        brute_force_size=3,
        edge_cases=((1,),),
        algorithms=("greedy",),
        difficulty="hard",
    )
    assert _again(problem) == problem


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", 5),
        ("canonical", "def f(:"),
        ("problem_id", ""),
        ("problem_id", "a\nb"),
        ("inputs", [[1]]),
        ("inputs", {"a": 1}),
        ("inputs", [{"t": 5}]),
        ("inputs", [{"unknown": 5}]),
        ("expected", [1]),
        ("examples", [5]),
        ("examples", [{"args": 5}]),
        ("checker", {"comparison": "guess"}),
        ("checker", {"comparison": "checker"}),
        ("checker", {"comparison": ["equal"]}),
        ("checker", {"comparison": "close", "rel_tol": "x"}),
        ("checker", 5),
        ("generator", {"source": 5}),
        ("generator", {"source": "x = ("}),
        ("generator", {"source": "", "sizes": [5, 1]}),
        ("generator", {"source": "", "sizes": [1]}),
        ("generator", {"source": "", "shapes": []}),
        ("generator", {"source": "", "levels": [-1]}),
        ("generator", {"source": "", "level_weights": [-1]}),
        ("generator", {"source": "", "level_weights": ["3"]}),
        ("generator", {"source": "", "level_weights": 3}),
        ("slow", {"a": 5}),
        ("brute_force_size", -1),
        ("algorithms", "greedy"),
        ("joulemark_problem", 2),
    ],
)
def test_a_bad_field_is_named_with_its_line(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(to_json(_problem()) + "\n" + json.dumps({**json.loads(to_json(_problem())), name: value}))
    with pytest.raises(InputError, match="line 2 cannot be used"):
        load_problems(path)


def test_a_value_nested_too_deep_is_not_written() -> None:
    value: list[Any] = []
    for _ in range(300):
        value = [value]
    with pytest.raises(InputError, match="cannot be written"):
        to_json(_problem(inputs=((value,),)))

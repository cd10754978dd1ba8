"""``joulemark code problems`` in terminals of any width: an id is for copying, so it is never broken."""

from __future__ import annotations

import json
from typing import Any

import pytest

from doubles.small_problems import total_problem
from joulemark.cli.__main__ import main
from joulemark.cli.code_problems import _tests
from joulemark.code.problems.problem import Generator
from joulemark.code.problems.registry import built_in


@pytest.mark.parametrize("width", [20, 40, 80, 120, 140, 200])
def test_ids_are_never_broken(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    main(["code", "problems"])
    lines = capsys.readouterr().out.splitlines()
    begins = {line.split(" ")[0] for line in lines}
    ids = {one.problem_id for one in built_in()}
    assert ids <= begins
    assert not any("…" in line for line in lines)
    assert all(len(line.rstrip()) <= max(width, *map(len, ids)) for line in lines)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "made to any size"),
        ({"generator": None, "inputs": (([1],), ([2],))}, "2 given"),
        ({"generator": Generator("x", levels=(1,), cases_per_level=(1,))}, "made, of no chosen size"),
        ({"generator": Generator("x"), "inputs": (([1],),)}, "1 given; made, of no chosen size"),
    ],
)
def test_a_list_says_whose_inputs_have_a_size(changes: dict[str, Any], said: str) -> None:
    assert _tests(total_problem(**changes)) == said


def test_statistics_say_what_their_columns_count(capsys: pytest.CaptureFixture[str]) -> None:
    main(["code", "problems", "--stats"])
    said = " ".join(capsys.readouterr().out.split())
    assert "a problem counts in each of its classes, and once in all" in said
    assert "words: of the statement" in said
    assert "lines: of code in the canonical solution" in said


def test_json_says_so_too(capsys: pytest.CaptureFixture[str]) -> None:
    main(["code", "problems", next(iter(built_in())).problem_id, "--json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert row["has_sizes"] is True

"""Which figures are measured is asked for; what cannot be is said before anything runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doubles.small_problems import total_problem
from doubles.user import joulemark
from joulemark.code.problems.registry import write_problems


@pytest.fixture
def samples(tmp_path: Path) -> tuple[Path, Path]:
    problems, answers = tmp_path / "problems.jsonl", tmp_path / "samples.jsonl"
    problems.write_text(write_problems([total_problem()]))
    answers.write_text(json.dumps({"task_id": "total", "solution": "def total(v):\n    return sum(v)\n"}))
    return problems, answers


def test_a_score_by_levels_needs_levels(samples: tuple[Path, Path], tmp_path: Path) -> None:
    problems, answers = samples
    base = ["code", "eval", answers, "--problems", problems, "--into", tmp_path / "out"]
    done = joulemark(*base, "--figures", "enamel")
    assert done.code == 2
    assert "none of these problems has any" in done.err
    assert not (tmp_path / "out").exists()


def test_other_names_are_refused(samples: tuple[Path, Path]) -> None:
    problems, answers = samples
    done = joulemark("code", "eval", answers, "--problems", problems, "--figures", "mercury")
    assert done.code == 2
    assert "corrected" in done.err

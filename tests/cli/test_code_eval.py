"""Which figures are measured is asked for; what cannot be is said before anything runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doubles.small_problems import scripted_problem, total_problem
from doubles.user import joulemark
from joulemark.cli.code_eval import _tell_left_out
from joulemark.code.answers.samples import read_samples
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


FENCED = "Here:\n```python\ndef total(v):\n    return sum(v)\n```\n"


def test_what_is_left_out_or_no_program_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = tmp_path / "samples.jsonl"
    rows = [
        {"task_id": "total", "solution": FENCED},
        {"task_id": "total", "completion": FENCED},
        {"task_id": "nosuch", "solution": "pass"},
        {"task_id": "total", "solution": 'def total(v):\n    """```"""\n    return sum(v)\n'},
    ]
    answers.write_text("\n".join(map(json.dumps, rows)))
    _tell_left_out(read_samples(answers, [total_problem(), scripted_problem()]))
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "1 sample answers other problems and is left out: nosuch"
    assert said[1] == "1 problem has no sample and is in no figure: double"
    assert "1 with a fence are no Python: total sample 0;" in said[2]
    assert len(said) == 3

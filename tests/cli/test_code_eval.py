"""Which figures are measured is asked for; what cannot be is said before anything runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doubles.made_up_evaluations import record_of, rows_of, write_evaluation
from doubles.small_problems import scripted_problem, total_problem
from doubles.user import joulemark
from joulemark.cli.code_eval import _pairs
from joulemark.cli.code_told import tell_interrupted, tell_left_out
from joulemark.code.answers.samples import read_samples
from joulemark.code.evaluation.settings import Settings
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


def test_at_least_more_pairs_than_at_most_is_refused(samples: tuple[Path, Path]) -> None:
    problems, answers = samples
    done = joulemark(
        "code", "eval", str(answers), "--problems", str(problems), "--pairs", "8", "--least-pairs", "9"
    )
    assert done.code == 2
    assert "--least-pairs" in done.err


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((None, 25, None), (4, 25, 0.06)),
        ((None, 3, None), (3, 3, 0.06)),
        ((12, 40, 2.5), (12, 40, 0.025)),
    ],
)
def test_pairs_are_as_many_and_as_narrow_as_was_asked_for(
    given: tuple[int | None, int, float | None], told: tuple[int, int, float]
) -> None:
    settings = Settings(**_pairs(*given))
    assert (settings.min_pairs, settings.max_pairs, settings.target_half_width) == told


def test_what_is_left_out_or_no_program_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = tmp_path / "samples.jsonl"
    rows = [
        {"task_id": "total", "solution": FENCED},
        {"task_id": "total", "completion": FENCED},
        {"task_id": "nosuch", "solution": "pass"},
        {"task_id": "total", "solution": 'def total(v):\n    """```"""\n    return sum(v)\n'},
    ]
    answers.write_text("\n".join(map(json.dumps, rows)))
    tell_left_out(read_samples(answers, [total_problem(), scripted_problem()]))
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "1 sample answers other problems and is left out: nosuch"
    assert said[1] == "1 problem has no sample and is in no figure: double"
    assert "1 with a fence are no Python: total sample 0;" in said[2]
    assert len(said) == 3


def test_an_id_that_names_no_problem_is_held_beside_those_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "samples.jsonl"
    rows = [{"task_id": "total", "solution": "x"}, {"task_id": "doubel", "solution": "x"}]
    answers.write_text("\n".join(map(json.dumps, rows)))
    tell_left_out(read_samples(answers, [total_problem(), scripted_problem()]))
    assert "left out: doubel (did you mean double in place of doubel?)" in capsys.readouterr().err


@pytest.fixture
def unfinished(tmp_path: Path) -> Path:
    """An evaluation of four problems of which the last has no rows yet."""
    rows = rows_of([1.0, 4.0, 0.5])
    return write_evaluation(tmp_path / "run" / "code", record_of(n_problems=4), rows)


def test_an_evaluation_that_was_interrupted_says_so_first(unfinished: Path) -> None:
    done = joulemark("code", "report", unfinished)
    assert done.code == 0
    said = " ".join(done.out.split())
    assert "are solved. ! Not finished: 1 of 4 problems is still to be done and in no figure (p03)" in said
    page = (unfinished / "code.html").read_text()
    assert "Not finished: 1 of 4 problems" in page
    # so it is where the benchmark run above it is named
    found = joulemark("code", "report", unfinished.parent, "--json").json
    assert (found["counts"]["n_open"], found["open_problems"]) == (1, ["p03"])
    assert found["page"] == str(unfinished / "code.html")


def test_what_was_interrupted_is_not_compared(unfinished: Path, tmp_path: Path) -> None:
    whole = write_evaluation(tmp_path / "b", record_of("B"), rows_of([1.0, 4.0, 0.5, 2.0]))
    done = joulemark("code", "compare", whole, unfinished)
    assert done.code == 2
    assert f"{unfinished} is not finished: 1 of 4 problems have no rows: p03" in done.err
    assert f"--into {unfinished}" in done.err
    assert f"{unfinished} is not finished" in joulemark("code", "compare", whole, unfinished.parent).err


def test_a_file_of_programs_is_no_evaluation_yet(samples: tuple[Path, Path]) -> None:
    _, answers = samples
    for command in (("compare", answers, answers), ("report", answers)):
        done = joulemark("code", *command)
        assert done.code == 2
        assert f"joulemark code eval {answers}" in done.err


def test_an_evaluation_is_no_run_and_its_own_commands_are_named(unfinished: Path) -> None:
    for command in (("report", unfinished), ("compare", unfinished, unfinished)):
        done = joulemark(*command)
        assert done.code == 2
        assert f"joulemark code report {unfinished}" in done.err
        assert "No such file" not in done.err


def test_ctrl_c_says_where_it_lies_and_how_it_goes_on(
    unfinished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tell_interrupted(unfinished)
    said = capsys.readouterr().err
    assert f"interrupted: 3 of 4 problems are done, in {unfinished}; the same command goes on" in said
    assert f"joulemark code report {unfinished}" in said
    tell_interrupted(tmp_path / "none")
    assert "before anything was stored" in capsys.readouterr().err

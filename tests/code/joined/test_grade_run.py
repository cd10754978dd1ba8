"""Answers of a run judged by running their programs, once all were asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from doubles.loaded import carried_out, plan_of
from doubles.programming_engine import (
    ANSWERS,
    asked_run,
    fenced,
    problems_of,
    programming_engine,
    task_of_cases,
)
from joulemark.code.evaluation.executor import LocalExecutor
from joulemark.code.evaluation.journal import read_journal
from joulemark.code.evaluation.record import read_record
from joulemark.code.evaluation.settings import Settings
from joulemark.code.joined.grade_run import grade_run, settings_under_way, waits_for_grades
from joulemark.code.joined.task import load_any_task
from joulemark.code.problems.registry import write_problems
from joulemark.load.shape import LoadShape
from joulemark.metrics.accuracy import accuracy
from joulemark.metrics.run_view import RunView
from joulemark.record.errors import InputError
from joulemark.record.item import Phase, Verdict
from joulemark.record.reason import Reason
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import RecordedRun, read_run
from joulemark.runs.view import view_of

EXPECTED = {
    "right": Verdict.CORRECT,
    "wrong": Verdict.WRONG,
    "endless": Verdict.WRONG,
    "prose": Verdict.UNPARSED,
    "cut": Verdict.TRUNCATED,
    "cut_behind": Verdict.CORRECT,
    "thinking": Verdict.UNPARSED,  # the engine's own channel of thought; nothing was answered
    "declined": Verdict.REFUSED,
    "filtered": Verdict.REFUSED,
    "broken": Verdict.FAILED,  # the engine does not know it
}


CLAIMS_TO_BE_EQUAL = """
class Same(int):
    def __eq__(self, other):
        return True
    __hash__ = int.__hash__
def total(values):
    return Same(0)
"""


def verdicts(run: RecordedRun) -> dict[str, Verdict | None]:
    measured = [item for item in run.items if item.phase == Phase.MEASURE]
    return {item.item_id.removeprefix("total-"): item.verdict for item in measured}


def grades(root: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (root / "grades.jsonl").read_text().splitlines()]


def test_every_kind_of_answer_gets_its_verdict_after_the_run(grading: Settings, tmp_path: Path) -> None:
    run = asked_run(tmp_path / "run", list(EXPECTED))
    before = view_of(run)
    # while the engine answered no program was run, and no figure of right or wrong is made up meanwhile
    assert not RunLayout(tmp_path / "run").programs.exists()
    assert {v for name, v in verdicts(run).items() if name not in ("filtered", "broken")} == {None}
    assert accuracy(before.measured_items).reason is Reason.GRADED_LATER
    assert waits_for_grades(before) == len(EXPECTED) - 2

    done = grade_run(tmp_path / "run", grading, executor=LocalExecutor(1))
    assert done.n_waiting == 0
    assert not done.failures
    again = read_run(tmp_path / "run")
    assert verdicts(again) == EXPECTED
    assert accuracy(done.view.measured_items).value == pytest.approx(2 / len(EXPECTED))
    endless = next(one for one in grades(tmp_path / "run") if one["item_id"] == "total-endless")
    assert endless["outcome"] in ("timed_out", "over_cpu")
    for item in again.items:
        for name in ("verdict", "correct", "score", "rule", "span"):
            assert getattr(item, name) is not None or name in item.reasons

    # graded again nothing is run again, and nothing is written twice
    journals = [
        RunLayout(tmp_path / "run").grades_journal,
        RunLayout(tmp_path / "run").programs / "code.jsonl",
    ]
    held = [path.read_bytes() for path in journals]
    grade_run(tmp_path / "run", executor=LocalExecutor(1))
    assert [path.read_bytes() for path in journals] == held


@pytest.mark.slow
def test_the_figures_of_the_run_are_made_anew_with_its_grades(grading: Settings, tmp_path: Path) -> None:
    asked_run(tmp_path / "run", ["right", "wrong"])
    view = grade_run(tmp_path / "run", grading, executor=LocalExecutor(1)).view
    table = pl.read_parquet(tmp_path / "run" / "items.parquet")
    assert sorted(filter(None, table["verdict"].to_list())) == ["correct", "wrong"]
    assert isinstance(view, RunView)


def test_an_answer_that_only_looks_right_is_not(grading: Settings, tmp_path: Path) -> None:
    programs = {
        "exits": "import os\ndef total(values):\n    os._exit(0)\n",
        "claims": CLAIMS_TO_BE_EQUAL,
    }
    cheats = {name: (fenced(program), "stop") for name, program in programs.items()}
    asked_run(tmp_path / "run", list(cheats), cheats)
    grade_run(tmp_path / "run", grading, executor=LocalExecutor(1))
    assert set(verdicts(read_run(tmp_path / "run")).values()) == {Verdict.WRONG}


@pytest.mark.slow
def test_other_settings_judge_anew_and_keep_what_was_there(grading: Settings, tmp_path: Path) -> None:
    asked_run(tmp_path / "run", ["right"])
    first = grade_run(tmp_path / "run", grading, executor=LocalExecutor(1)).record.evaluation_id
    other = grading.model_copy(update={"n_tests": 9})
    second = grade_run(tmp_path / "run", other, executor=LocalExecutor(1)).record.evaluation_id
    assert first != second
    assert read_record(tmp_path / "run" / "code").evaluation_id == second
    assert read_record(tmp_path / "run" / f"code-{first}").evaluation_id == first
    assert settings_under_way(tmp_path / "run") == other
    back = grade_run(tmp_path / "run", grading, executor=LocalExecutor(1)).record.evaluation_id
    assert back == first
    assert not (tmp_path / "run" / f"code-{first}").exists()


@pytest.mark.slow
def test_answers_that_come_later_are_graded_with_those_there_are(grading: Settings, tmp_path: Path) -> None:
    task = task_of_cases(tmp_path, ["right", "wrong"])
    with programming_engine() as server:
        plan = plan_of(server.url, task, LoadShape.closed(1), tmp_path / "run", warmups=0)
        carried_out(plan)
        grade_run(tmp_path / "run", grading, executor=LocalExecutor(1))
        _, run = carried_out(replace(plan, repeats=2))  # the run goes on
    assert waits_for_grades(view_of(run)) == 2
    assert accuracy(view_of(run).measured_items).value is None
    done = grade_run(tmp_path / "run", executor=LocalExecutor(1))
    assert done.n_waiting == 0
    assert accuracy(done.view.measured_items).value == 0.5
    assert {name: facts.n_samples for name, facts in done.record.problems.items()} == {
        "total-right": 2,
        "total-wrong": 2,
    }


def test_a_problem_that_cannot_judge_gives_no_verdict(grading: Settings, tmp_path: Path) -> None:
    sound, unsound = problems_of(["right", "wrong"])
    file = tmp_path / "problems.jsonl"
    file.write_text(write_problems([sound, replace(unsound, canonical="def total(values):\n    return 1\n")]))
    with programming_engine() as server:
        task = load_any_task("code", data=file)
        carried_out(plan_of(server.url, task, LoadShape.closed(1), tmp_path / "run", warmups=0))
    done = grade_run(tmp_path / "run", grading, executor=LocalExecutor(1))
    assert done.failures.keys() == {"total-wrong"}
    assert verdicts(read_run(tmp_path / "run")) == {"right": Verdict.CORRECT, "wrong": None}
    assert accuracy(done.view.measured_items).value == 1.0
    assert done.n_waiting == 0


def test_a_problem_that_was_changed_judges_nothing(grading: Settings, tmp_path: Path) -> None:
    asked_run(tmp_path / "run", ["right"])
    kept = RunLayout(tmp_path / "run").problems
    kept.write_text(kept.read_text().replace("+= value", "+= 0", 1))
    with pytest.raises(InputError, match="cannot be graded"):
        grade_run(tmp_path / "run", grading, executor=LocalExecutor(1))


def test_what_holds_words_is_the_users_alone(grading: Settings, tmp_path: Path) -> None:
    asked_run(tmp_path / "run", ["right"])
    grade_run(tmp_path / "run", grading, executor=LocalExecutor(1))
    layout = RunLayout(tmp_path / "run")
    for path in (layout.problems, layout.programs):
        assert path.stat().st_mode & 0o077 == 0
    assert "Case right" not in layout.grades_journal.read_text()


def test_a_run_without_programs_is_told_as_such(tmp_path: Path) -> None:
    asked_run(tmp_path / "run", ["right"])
    RunLayout(tmp_path / "run").problems.unlink()
    with pytest.raises(InputError, match="holds no programs to grade"):
        grade_run(tmp_path / "run")
    with pytest.raises(InputError, match="no run at"):
        grade_run(tmp_path / "none")


GRADING = """
import sys
from pathlib import Path
from joulemark.code.evaluation.executor import LocalExecutor
from joulemark.code.evaluation.settings import Settings
from joulemark.code.joined.grade_run import grade_run
grade_run(Path(sys.argv[1]), Settings.model_validate_json(sys.argv[2]), executor=LocalExecutor(1))
"""


def test_a_grading_that_is_killed_goes_on_where_it_was(grading: Settings, tmp_path: Path) -> None:
    cases = [f"right{n}" for n in range(12)]
    asked_run(tmp_path / "run", cases, dict.fromkeys(cases, ANSWERS["right"]))
    journal = tmp_path / "run" / "code" / "code.jsonl"
    command = [sys.executable, "-c", GRADING, str(tmp_path / "run"), grading.model_dump_json()]
    process = subprocess.Popen(command, start_new_session=True)
    deadline = time.monotonic() + 120
    while not (journal.exists() and journal.read_bytes().count(b'"done"') >= 2):
        assert process.poll() is None, "it ended before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    killed = journal.read_bytes()
    done_before = read_journal(tmp_path / "run" / "code").done
    assert 2 <= len(done_before) < len(cases)
    assert waits_for_grades(view_of(read_run(tmp_path / "run"))) > 0

    done = grade_run(tmp_path / "run", executor=LocalExecutor(1))
    assert done.n_waiting == 0
    assert accuracy(done.view.measured_items).value == 1.0
    assert journal.read_bytes().startswith(killed)  # what was done is not done again
    after = [json.loads(line) for line in journal.read_bytes()[len(killed) :].splitlines() if line]
    assert not {line["done"] for line in after if "done" in line} & done_before

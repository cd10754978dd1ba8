"""What ``--stop`` speaks of, by the task that it is given beside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from doubles.growing_runs import answer, finished
from joulemark.cli.stop_options import require_any_enough, rule_of
from joulemark.frugal.paired.decided_against import DecidedAgainst
from joulemark.load.shape import LoadShape
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates
from joulemark.runs.finished import Finished
from joulemark.runs.stop import StopRule
from joulemark.tasks.registry import load_task
from joulemark.tasks.task import TaskSet

IDS = tuple(question.item_id for question in load_task("quick").questions)


def rule(task: TaskSet, stop: str) -> StopRule:
    made = rule_of({"stops": (stop,), "meters": ("none",), "items": None}, task, Rates(), LoadShape())
    assert made is not None
    return made


@pytest.mark.parametrize(("options", "ends"), [({"limit": 40}, False), ({"item_ids": IDS[:40]}, True)])
def test_of_a_limit_it_speaks_of_the_task_and_of_a_list_of_the_list(
    options: dict[str, Any], ends: bool
) -> None:
    """Half of thirty answers are right: ±9.0 pp of forty questions, ±11.7 pp of the task's fifty-two."""
    task = load_task("quick", **options)
    assert len(task.questions) == 40
    questions = [(answer(k, k % 2 == 0, item_id=IDS[k]),) for k in range(30)]
    decision = rule(task, "accuracy ±10pp").decide(Finished(questions, 40, lambda _n: None))
    assert (decision is not None) == ends


def test_so_does_a_comparison_with_a_run_that_was_limited_too(tmp_path: Path) -> None:
    task = load_task("quick", limit=12)
    same = [answer(k, k % 2 == 0, item_id=one) for k, one in enumerate(IDS[:12])]
    for n_whole, told in ((52, "not decided against"), (12, "a tie with")):
        reference = finished(tmp_path / str(n_whole), same, name=task.name, n_items=12, n_whole=n_whole)
        made = rule(load_task("quick", limit=12), f"decided against {reference}")
        assert isinstance(made, DecidedAgainst)
        decision = made.decide(Finished([(one,) for one in same], 12, lambda _n: None))
        assert decision is not None
        assert decision.at == 12  # the reference knows no more
        assert told in made.told()[0]
        assert f"12 of {n_whole} questions" in made.told()[0]


@pytest.mark.parametrize(
    ("given", "preset", "ends"), [(None, 0.0, True), (0.8, 0.0, False), (None, 0.8, False), (0.0, 0.8, True)]
)
def test_answers_that_will_be_drawn_settle_no_question(
    given: float | None, preset: float, *, ends: bool
) -> None:
    """Half of forty answers are right: ±7.3 pp of the fifty-two questions, ±14.8 pp of any of the kind."""
    task = replace(load_task("quick"), temperature=preset)
    options = {"stops": ("accuracy ±10pp",), "meters": ("none",), "items": None, "temperature": given}
    made = rule_of(options, task, Rates(), LoadShape())
    assert made is not None
    questions = [(answer(k, k % 2 == 0, item_id=IDS[k]),) for k in range(50)]
    assert (made.decide(Finished(questions, 52, lambda _n: None)) is not None) == ends


def test_of_several_tasks_one_has_to_be_long_enough(capsys: pytest.CaptureFixture[str]) -> None:
    quick = load_task("quick")
    short, long = (replace(quick, questions=quick.questions * k, name=f"{k}") for k in (1, 2))
    require_any_enough(("latency ±5%",), [short, long])
    assert (
        '! --stop "latency ±5%" can never end 1, of which 52 questions are asked' in capsys.readouterr().err
    )
    with pytest.raises(InputError, match="can never end 1"):
        require_any_enough(("accuracy ±5pp", "latency ±5%"), [short, short])
    require_any_enough(("decided against r",), [short])
    require_any_enough((), [short])

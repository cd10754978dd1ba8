"""What can never be met is refused before anything is asked, with a way out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from joulemark.frugal.stopping.possible import require_enough, require_possible
from joulemark.frugal.target import parse_targets
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates
from joulemark.tasks.registry import load_task
from joulemark.tasks.task import TaskSet


def asked(
    text: str, task: TaskSet | None = None, rates: Rates | None = None, *, metered: bool = True
) -> None:
    require_possible(parse_targets([text]), task or load_task("quick"), rates or Rates(), metered=metered)


def test_what_can_be_met_passes() -> None:
    asked("accuracy ±5pp", metered=False)
    asked("joules_per_correct ±5%")
    asked("usd ±5%", rates=Rates(usd_per_kwh=0.2))
    tokens = Rates(usd_per_million_prompt_tokens=1.0, usd_per_million_completion_tokens=1.0)
    asked("usd ±5%", rates=tokens, metered=False)
    asked("score ±2%", replace(load_task("quick"), score_range=(0.0, 1.0)))


@pytest.mark.parametrize(
    ("text", "rates", "metered"),
    [
        ("joules ±5%", Rates(), False),
        ("gco2e ±5%", Rates(), True),
        ("gco2e ±5%", Rates(gco2e_per_kwh=100.0), False),
        ("usd_per_correct ±5%", Rates(), True),
        ("usd_per_correct ±5%", Rates(usd_per_kwh=0.2), False),
        ("score ±2%", Rates(), True),
    ],
)
def test_what_cannot_be_met_is_refused(text: str, rates: Rates, metered: bool) -> None:
    with pytest.raises(InputError) as refused:
        asked(text, rates=rates, metered=metered)
    assert refused.value.fix


@pytest.mark.parametrize("text", ["accuracy ±5pp", "accuracy > 0.5", "joules_per_correct ±5%"])
def test_what_needs_right_answers_needs_a_task_that_has_them_at_once(text: str) -> None:
    quick = load_task("quick")
    ungraded = replace(quick, questions=tuple(replace(one, gold=None) for one in quick.questions))
    scored = replace(quick, score_range=(0.0, 100.0))
    later = replace(quick, problems=b"{}")
    for task in (ungraded, scored, later):
        with pytest.raises(InputError) as refused:
            asked(text, task)
        assert refused.value.fix
    asked("latency ±5%", later)


def test_a_score_that_none_can_have_is_no_question() -> None:
    scored = replace(load_task("quick"), score_range=(0.0, 100.0))
    asked("score > 50", scored)
    with pytest.raises(InputError, match="no question"):
        asked("score > 120", scored)


def test_conversations_are_refused() -> None:
    quick = load_task("quick")
    talk = replace(quick, questions=tuple(replace(one, session="s", turn=0) for one in quick.questions))
    with pytest.raises(InputError, match="conversations"):
        asked("accuracy ±5pp", talk)


@pytest.mark.parametrize(
    ("text", "least"), [("latency ±5%", 100), ("accuracy ±5pp", 30), ("accuracy > 0.5", 30)]
)
def test_a_task_that_is_over_before_the_first_look_is_refused(text: str, least: int) -> None:
    """It would ask everything and then say that two more questions are needed."""
    quick = load_task("quick")
    many = tuple(replace(quick.questions[0], item_id=str(n)) for n in range(least + 1))
    require_enough(parse_targets([text]), replace(quick, questions=many))
    with pytest.raises(InputError, match="can never end") as refused:
        require_enough(parse_targets([text]), replace(quick, questions=many[:least], n_whole=500))
    assert f"ask more than {least} of the task's 500" in refused.value.fix

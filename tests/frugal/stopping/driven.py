"""The rule of ``--stop`` itself, driven over answers in a given order until it ends the asking."""

from __future__ import annotations

from collections.abc import Sequence

from doubles.run_views import item
from joulemark.frugal.stopping.rule import TargetRule
from joulemark.frugal.stopping.standing import Standing
from joulemark.metrics.run_view import RunView
from joulemark.record.item import Verdict
from joulemark.runs.finished import Finished, Repeats
from joulemark.runs.stop import StopDecision

ANSWER: dict[int, Repeats] = {
    right: (item(0, verdict=Verdict.CORRECT if right else Verdict.WRONG),) for right in (0, 1)
}
_AT_ONCE = 100


def _unmetered(n: int) -> RunView | None:
    raise AssertionError("a rule that needs no meter asked for one")


def end_of(made: TargetRule, questions: Sequence[Repeats], of: int) -> StopDecision | None:
    """Feed questions as they would come, a hundred at a time; return where the rule ended the asking."""
    for n in range(_AT_ONCE, len(questions) + _AT_ONCE, _AT_ONCE):
        decision = made.decide(Finished(questions[:n], of, _unmetered))
        if decision is not None:
            return decision
    return None


def holds(told: Standing, truth: float) -> bool:
    """Tell whether a standing's interval holds the truth, rounding aside."""
    assert told.lo is not None
    assert told.hi is not None
    slack = 1e-12 * abs(truth)
    return told.lo - slack <= truth <= told.hi + slack

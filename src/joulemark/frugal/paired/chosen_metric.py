"""Which figure models are compared by, where a user names one: it has to have a range that is known."""

from __future__ import annotations

from joulemark.frugal.outcomes.formats.columns import is_cost
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.record.errors import InputError

_OF_ANSWERS = ("accuracy", "correct")


def require_no_cost(metric: str | None) -> None:
    """Raise `InputError` where ``metric`` is a cost: nobody knows how much a request may take at most."""
    if metric is not None and is_cost(metric):
        raise InputError(
            f"models cannot be told apart by {metric} question by question",
            why="bets that may end the asking at any moment need a known range, and a cost has none",
            fix="joulemark compare A B, which has ratios of costs with intervals",
        )


def require_of_run(metric: str | None, origin: str, *, real: bool) -> None:
    """Raise `InputError` where ``metric`` is not what the answers of a run were graded by."""
    own = ("score",) if real else _OF_ANSWERS
    if metric is not None and metric not in own:
        graded = "scores" if real else "right and wrong"
        raise InputError(
            f"{origin} has no {metric!r} of its items",
            why=f"its answers were graded by {graded}",
            fix=f"say --metric {own[0]}, or leave it out",
        )


def require_range(metric: str | None, of: Outcomes, origin: str) -> None:
    """Raise `InputError` where the range of the values that ``metric`` names is not known.

    A run's task declares it; of a file only values within 0 and 1 have one.
    """
    if metric is None:
        return
    if of.of_run:
        require_of_run(metric, origin, real=of.graded == "score")
        return
    if (of.low, of.high) != (0.0, 1.0):
        raise InputError(
            f"{origin} has {metric} from {of.low:g} to {of.high:g}, and no range of it is known",
            why="what was seen is no limit of what may come, and bets at any moment need one",
            fix="bring it to 0 … 1 in the file",
        )

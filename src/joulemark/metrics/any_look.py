"""What is known of a mean whenever one looks, and whatever one does about what one sees.

An ordinary interval holds at a number of questions that the answers did not choose. Where somebody went on or
ended a run because of what he saw, what holds is the interval of bets (`joulemark.metrics.betting`): a mean
is out of it once bets against it have won ``2 / alpha`` at any look, on either side. It speaks of questions
of the kind, as the figure's own interval does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from joulemark.metrics.betting import ENDLESS, Floats, WealthAbove
from joulemark.metrics.item_value import item_value
from joulemark.metrics.run_view import RunView
from joulemark.metrics.these_questions import is_prefix
from joulemark.record.item import Item

ALPHA = 0.05
_HALVINGS = 14  # an end is found to 2 / 2^14 of the range


def any_look_interval(least: Floats, most: Floats, alpha: float = ALPHA) -> tuple[float, float]:
    """Return the interval of the mean of values within 0 and 1, (n,) in the order in which they were asked.

    ``least`` and ``most`` differ where a value is not known.
    """
    enough = math.log(2 / alpha)
    return (1 + _ruled_out(2 * least - 1, enough)) / 2, (1 - _ruled_out(1 - 2 * most, enough)) / 2


def _ruled_out(x: Floats, enough: float) -> float:
    """Return the largest mean of values within -1 and 1 that bets on more have ruled out, rounded down."""
    lo, hi = -1.0, 1.0
    for _ in range(_HALVINGS if len(x) else 0):
        middle = (lo + hi) / 2
        won = WealthAbove(middle, ENDLESS).feed(x[None, :]).max() >= enough
        lo, hi = (middle, hi) if won else (lo, middle)
    return lo


def at_any_look(run: RunView) -> tuple[str, float, float] | None:
    """Return the name of a run's figure of right answers or scores with its ends at any look.

    Null where the answers are not those of the first questions of the order, or have no range.
    """
    questions: dict[int, list[Item]] = {}
    for item in run.measured_items:
        questions.setdefault(item.index, []).append(item)
    bounds = run.manifest.task.score_range if run.real_valued else (0.0, 1.0)
    if bounds is None or not is_prefix(run, len(questions)):
        return None
    values = np.array([_value(questions[at], real=run.real_valued) for at in sorted(questions)])
    if not np.isfinite(values).any():
        return None
    low, high = bounds
    scaled = np.clip((values - low) / (high - low), 0.0, 1.0)
    unknown = np.isnan(scaled)
    lo, hi = any_look_interval(np.where(unknown, 0.0, scaled), np.where(unknown, 1.0, scaled))
    name = "mean score" if run.real_valued else "accuracy"
    return name, low + (high - low) * lo, low + (high - low) * hi


def _value(repeats: Sequence[Item], *, real: bool) -> float:
    value = item_value(repeats, real=real)
    return math.nan if value is None else value

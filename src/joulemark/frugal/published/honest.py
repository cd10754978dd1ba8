"""The truth beside the cut-off: the interval at its size, and the size that a target needs.

Both are those of `frugal plan` and of `bench run --stop`.
"""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.frugal.outcomes.formats.columns import is_cost
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.planning.known_task import COST_OF, score_moments
from joulemark.frugal.planning.width import needed_for_width, width_of
from joulemark.frugal.sample_size import Interval, Moments, moments
from joulemark.frugal.target import Bound, Column, parse_target
from joulemark.metrics.accuracy import wilson_interval
from joulemark.record.errors import InputError

_POINTS = 0.01  # of the scale
_SHARE = 0.05  # of a cost's mean


@dataclass(frozen=True, slots=True)
class Width:
    """A half-width of a 95 % interval: in the metric's unit, with ``relative`` a share of the mean.

    ``column``: what it is of; null of a cost that no target names.
    """

    half_width: float
    relative: bool
    text: str
    column: Column | None


def default_target(outcomes: Outcomes) -> Width:
    """Return one point of a hundred of a score's range, or a twentieth of a cost."""
    column = _column_of(outcomes)
    if is_cost(outcomes.metric):
        return Width(_SHARE, True, f"{outcomes.metric} ±5%", column)
    words = "±1pp" if outcomes.is_binary else "±1 of 100 points"
    span = outcomes.high - outcomes.low or 1.0
    return Width(_POINTS * span, False, f"{outcomes.metric} {words}", column)


def wanted_target(text: str, outcomes: Outcomes) -> Width:
    """Return a target of the grammar of `frugal.target`; raises `InputError` for what is no mean's width."""
    target = parse_target(text)
    if isinstance(target, Bound) or target.quantity.per_correct:
        raise InputError(
            f"{text!r} gives no number of items here",
            why="the cut-off is set beside the width of a mean's interval",
            fix='say "accuracy ±1pp", "score ±1%" or "latency ±5%"; `joulemark frugal plan` knows more',
        )
    cost = COST_OF.get(target.quantity.column)
    fits = outcomes.metric == cost if cost else not is_cost(outcomes.metric)
    if not fits or (target.quantity.column is Column.CORRECT and not outcomes.is_binary):
        raise InputError(
            f"{text!r} is about another figure",
            why=f"the cut-off is of the {outcomes.metric}",
            fix="name that figure, or another column with --metric",
        )
    return Width(target.half_width, target.relative, target.text, target.quantity.column)


def whole_of(outcomes: Outcomes) -> int:
    """Return how many items the task has of which these are a random part, or how many there are here."""
    return outcomes.n_items or len(outcomes)


def interval_at(n: int, outcomes: Outcomes) -> Interval:
    """Return the 95 % interval of the whole's mean that n items would give: theirs about the whole's own."""
    column, of = _column_of(outcomes), whole_of(outcomes)
    found = _moments_of(outcomes, column)
    if column is Column.CORRECT:
        return wilson_interval(found.mean * n, n, of)
    half = width_of(found, column, n, of)
    return found.mean - half, found.mean + half


def needed_items(wanted: Width, outcomes: Outcomes) -> int | None:
    """Return how many items the target needs, of the whole task; null for a share of a mean of 0."""
    found = _moments_of(outcomes, wanted.column)
    half = wanted.half_width * abs(found.mean) if wanted.relative else wanted.half_width
    return None if half <= 0 else needed_for_width(half, found, wanted.column, whole_of(outcomes))


def _column_of(outcomes: Outcomes) -> Column | None:
    if is_cost(outcomes.metric):
        return next((column for column, cost in COST_OF.items() if cost == outcomes.metric), None)
    return Column.CORRECT if outcomes.is_binary else Column.SCORE


def _moments_of(outcomes: Outcomes, column: Column | None) -> Moments:
    return score_moments(outcomes) if column is Column.SCORE else moments(outcomes.values)

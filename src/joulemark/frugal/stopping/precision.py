"""Whether a figure is known well enough, and about how many more questions that takes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from joulemark.frugal.stopping.observed import observed
from joulemark.frugal.stopping.seen import Floats, Seen
from joulemark.frugal.stopping.standing import Standing
from joulemark.frugal.target import Column, Precision
from joulemark.metrics.asked_again import within_share
from joulemark.metrics.cost_drift import MATTERS, cost_drift
from joulemark.metrics.finite_ratio import MIN_UNITS, Units, estimate
from joulemark.metrics.finite_share import wilson_bounds
from joulemark.metrics.halves import halves
from joulemark.metrics.run_view import RunView
from joulemark.record.reason import Reason
from joulemark.runs.finished import Repeats

COSTS_FROM = 100
"""Questions before which the mean of a cost is not believed; of what one answer in 33 is, 95 % hold one."""


def precision(
    target: Precision,
    seen: Seen,
    questions: list[Repeats],
    of: int,
    view: RunView | None,
    in_flight: int,
    score_range: tuple[float, float] | None = None,
    *,
    sampled: bool = False,
) -> Standing:
    """Return how ``target`` stands after ``questions``, of which ``seen`` has the columns.

    They are a random part of ``of`` questions, whose figure is to be known; ``sampled`` where a question that
    is asked again may be answered otherwise, so that having asked it does not settle it.
    ``view`` has their energies, null where the target needs none. ``in_flight``: requests at a time.
    ``score_range`` is that of the task, null where there is none. A cost, which knows no range, is not known
    before `COSTS_FROM` questions: what is dear and rare would not have been seen. One that was metered or
    timed is not known while the halves of what was asked differ by more than their error, nor while it rises
    or falls steadily by as much as matters for the target: it has not settled.
    """
    n = len(questions)
    if target.quantity.column is Column.CORRECT:
        variances = seen.column("right_variance", n) if sampled else None
        return _share(target, seen.column("right", n), of, variances)
    told = observed(target, seen, questions, view, in_flight)
    if isinstance(told, str):
        return Standing(target, why=told)
    units = told.units
    score = target.quantity.column is Column.SCORE
    variances = seen.column("score_variance", n) if score else np.full(1, np.nan)
    within = told.within(sampled=sampled, variances=variances)
    found = estimate(units, of, score_range if score else None, within)
    if isinstance(found, Reason):
        return Standing(target, why=_why_none(found, units))
    lo, hi = found.figure - found.half_width, found.figure + found.half_width
    least = 0 if score else COSTS_FROM
    standing = _standing(target, found.figure, (lo, hi), n, of, least=least, within=within)
    # what questions fix comes in random order; what was metered or timed may drift while they are asked
    if told.fixed is None or n < least:
        return standing
    # a narrow one tells of no number of questions that would settle it
    more = None if standing.met else standing.more
    parts = halves(units)
    if parts is not None and parts.apart:
        return replace(standing, met=False, more=more, halves=(parts.first, parts.second))
    course = cost_drift(units.cost, told.fixed)
    if course is None or not course.drifts:
        return standing
    if course.shift(n / of) * abs(found.figure) < MATTERS * target.allowed(found.figure):
        return standing
    return replace(standing, met=False, more=more, change=course.change)


def share_of(
    right: ArrayLike, scored: ArrayLike, of: ArrayLike, within: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Return the ends of the interval of an accuracy and half its length, as every look takes them.

    ``right`` of ``scored`` questions, drawn from ``of``; shapes broadcast.
    """
    lo, hi = wilson_bounds(right, scored, of, within=within)
    return lo, hi, (hi - lo) / 2


def _share(target: Precision, right: Floats, of: int, variances: Floats | None) -> Standing:
    """``variances``: of the answers to a question, where they were sampled."""
    scored = right[~np.isnan(right)]
    if not len(scored):
        return Standing(target, why="no answer could be scored")
    # questions without a right answer are in the task as they are in the sample
    population = of * len(scored) / len(right)
    share = float(scored.mean())
    within = 0.0 if variances is None else within_share(variances, share * (1 - share))
    lo, hi, _ = (float(end) for end in share_of(scored.sum(), len(scored), population, within))
    return _standing(target, share, (lo, hi), len(right), of, within=within)


def _standing(
    target: Precision,
    figure: float,
    interval: tuple[float, float],
    n: int,
    of: int,
    *,
    least: int = 0,
    within: float = 0.0,
) -> Standing:
    """Return the standing of a target that is met once half of the interval's length is no more than it.

    Not before ``least`` questions.
    """
    half, allowed = (interval[1] - interval[0]) / 2, target.allowed(figure)
    narrow = half <= allowed
    met, more = narrow and n >= least, None
    if narrow and not met:
        more = min(least, of) - n
    elif not narrow and allowed > 0:
        # the variance falls as 1/n - (1 - w)/N
        stays = (1 - within) / of
        inverse = stays + (allowed / half) ** 2 * (1 / n - stays)
        more = min(max(math.ceil(1 / inverse), least, n + 1), of) - n
    return Standing(target, met, figure, half, *interval, more)


def _why_none(reason: Reason, units: Units) -> str:
    if reason is Reason.NO_SPREAD:
        return "all answers so far are the same"
    if reason is Reason.NOTHING_CORRECT:
        return "no answer was correct"
    if len(units.cost) < MIN_UNITS:
        return f"{len(units.cost)} units of answers were metered apart, and {MIN_UNITS} are needed"
    return f"too few answers were correct, and {MIN_UNITS} are needed"

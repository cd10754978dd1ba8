"""What widths a target allows, what n items give, and the sizes of several tasks that reach one together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from joulemark.frugal.planning.allocation import Part, least_for
from joulemark.frugal.planning.decision_size import Z_POWER
from joulemark.frugal.planning.known_task import KnownTask
from joulemark.frugal.sample_size import Moments, half_width, half_width_of_share
from joulemark.frugal.target import Bound, Column, Target
from joulemark.metrics.finite_share import Z_95

_FIRST_SIZE, _ROUNDS = 100, 40


def allowed_half(target: Target, mean: float) -> float | None:
    """Return the half-width that a target allows.

    Of a decision over tasks: that of one look at the end, which tells the sides apart in four cases of five.
    """
    if isinstance(target, Bound):
        return abs(mean - target.threshold) * Z_95 / (Z_95 + Z_POWER)
    half = target.allowed(mean)
    return half if math.isfinite(half) and half > 0 else None


def deviation_of(found: Moments, target: Target, gain: float) -> float:
    """Return the deviation that plain items would have for the same variance."""
    scores = target.quantity.column in (Column.CORRECT, Column.SCORE)
    return found.sd / math.sqrt(gain) if scores else found.sd


def width_of(found: Moments, target: Target, n: int, of: int, gain: float) -> float:
    """Return the half-width that n items give: of a share the larger of the normal and of Wilson's."""
    normal = half_width(deviation_of(found, target, gain), n, of)
    if target.quantity.column is not Column.CORRECT:
        return normal
    return max(normal, half_width_of_share(found.mean, n, of, gain))


def shared_sizes(
    half: float | None,
    target: Target,
    spreads: Sequence[Moments],
    tasks: Sequence[KnownTask],
    weights: Sequence[float],
    prices: Sequence[float],
    gain: float,
) -> tuple[list[int], list[Part]]:
    """Return the cheapest sizes, and the parts with the deviations that they were found with.

    Near 0 and 1 Wilson's interval is the wider one; its deviation depends on the size, which then is a fixed
    point that each round comes nearer to.
    """
    everything = [task.n_items for task in tasks]
    at, sizes, parts = [min(_FIRST_SIZE, size) for size in everything], everything, []
    for _ in range(_ROUNDS):
        parts = [
            Part(weight, _sd_at(n, found, target, task.n_items, gain), task.n_items, price)
            for n, weight, found, task, price in zip(at, weights, spreads, tasks, prices, strict=True)
        ]
        sizes = least_for(half, parts) if half else everything
        if sizes == at:
            break
        at = [
            math.ceil(math.sqrt(old * new)) if new > old else math.isqrt(old * new)
            for old, new in zip(at, sizes, strict=True)
        ]
    return sizes, parts


def _sd_at(n: int, found: Moments, target: Target, of: int, gain: float) -> float:
    """Return the deviation that gives the half-width which n of the items have."""
    if n >= of or target.quantity.column is not Column.CORRECT:
        return deviation_of(found, target, gain)
    return width_of(found, target, n, of, gain) / (Z_95 * math.sqrt(1 / n - 1 / of))

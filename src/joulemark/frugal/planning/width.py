"""What widths a target allows, what n items give, and the sizes of several tasks that reach one together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from joulemark.frugal.planning.allocation import Part, least_for
from joulemark.frugal.planning.decision_size import Z_POWER
from joulemark.frugal.planning.known_task import KnownTask
from joulemark.frugal.sample_size import (
    Moments,
    half_width,
    half_width_of_share,
    needed,
    needed_for_proportion,
)
from joulemark.frugal.stopping.rule import least_of
from joulemark.frugal.target import Bound, Column, Target
from joulemark.metrics.finite_ratio import widening_of_few
from joulemark.metrics.finite_share import Z_95
from joulemark.metrics.heavy_tails import widening_at
from joulemark.metrics.student import MIN_DEGREES, t_95

_FIRST_SIZE, _ROUNDS = 100, 40


def allowed_half(target: Target, mean: float) -> float | None:
    """Return the half-width that a target allows.

    Of a decision over tasks: that of one look at the end, which tells the sides apart in four cases of five.
    """
    if isinstance(target, Bound):
        return abs(mean - target.threshold) * Z_95 / (Z_95 + Z_POWER)
    half = target.allowed(mean)
    return half if math.isfinite(half) and half > 0 else None


def deviation_of(found: Moments, column: Column | None, gain: float) -> float:
    """Return the deviation that plain items would have for the same variance."""
    scores = column in (Column.CORRECT, Column.SCORE)
    return found.sd / math.sqrt(gain) if scores else found.sd


def width_of(found: Moments, column: Column | None, n: int, of: int, gain: float = 1.0) -> float:
    """Return the half-width that n items give: of a share the larger of the normal and of Wilson's.

    Of a mean or a cost the one that `bench run --stop` looks at (`joulemark.metrics.finite_ratio.estimate`).
    ``column``: null of a cost that no target names.
    """
    if column is not Column.CORRECT:
        return _half_width_of_mean(found, deviation_of(found, column, gain), n, of)
    normal = half_width(deviation_of(found, column, gain), n, of)
    return max(normal, half_width_of_share(found.mean, n, of, gain))


def needed_for_width(half: float, found: Moments, column: Column | None, of: int, gain: float = 1.0) -> int:
    """Return the least n of ``of`` items whose interval has the half-width ``half``.

    No fewer than `bench run --stop` believes an interval of, whatever its width.
    """
    if column is Column.CORRECT:
        n = needed_for_proportion(half, found.mean, of, gain)
    else:
        n = _needed_for_mean(half, found, deviation_of(found, column, gain), of)
    return min(of, max(n, least_of(column)))


def _needed_for_mean(half: float, found: Moments, deviation: float, of: int) -> int:
    lo = needed(half, deviation, of)  # as of a deviation that is known, so no more are needed

    def wide(n: int) -> bool:
        return _half_width_of_mean(found, deviation, n, of) > half

    if not wide(lo):
        return lo
    hi = lo
    while wide(hi):
        if hi >= of:
            return of
        lo, hi = hi, min(2 * hi, of)
    while hi - lo > 1:
        middle = (lo + hi) // 2
        lo, hi = (middle, hi) if wide(middle) else (lo, middle)
    return hi


def _half_width_of_mean(found: Moments, deviation: float, n: int, of: int) -> float:
    """Return half the interval of a mean of n items, wider than the normal one where these are few.

    Its spread is found from them too: Student's t, and what few units, heavy tails and a known range add.
    """
    normal = half_width(deviation, n, of)
    least_sd = Z_95 * found.far / math.sqrt(n)
    sd = max(deviation, least_sd)
    if not normal > 0 and not least_sd > 0:
        return normal
    kurtosis = found.kurtosis * (deviation / sd) ** 4
    wider = widening_at(kurtosis, n) + widening_of_few(n)
    return half_width(sd, n, of) * t_95(max(n - 1, MIN_DEGREES)) / Z_95 * wider


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
        return deviation_of(found, target.quantity.column, gain)
    return width_of(found, target.quantity.column, n, of, gain) / (Z_95 * math.sqrt(1 / n - 1 / of))

"""Where a right answer stands among known right programs, as far as noise lets that be told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from joulemark.metrics.code.over_tasks import mean_of
from joulemark.metrics.code.pair_ratio import Comparison, PairRatio
from joulemark.metrics.code.shares import NO_BAND, Told
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

_NONE = "No evaluation of known programs was given (`--known`), or no right answer was timed beside them."

PERCENTILE_RANK = MetricDefinition(
    "percentile_rank",
    "Percentile rank among known programs",
    "%",
    r"100 \frac{1}{P} \sum_p (N(t_j > t) + N(t_j ≈ t) / 2) / N_p",
    ("cpu_ratio", "aa_band", "code.correct"),
    (
        "no known programs were given",
        "no right answer to such a problem was timed",
        "no A/A band was measured, here or beside the known programs",
    ),
    "this project, what DPS is for without its clusters: share of single known programs that are slower, and "
    "half of those not told apart. Two ratios to the reference are told apart where they differ by more than "
    "both their A/A bands and both their intervals, each added in squares (logarithms). An answer that a "
    "limit ended, or that fails on the scaled input, is faster than none and ties with known programs that "
    "ended so; a problem's right answers are averaged; interval: tasks resampled",
)
DEFINITIONS = (PERCENTILE_RANK,)


def percentile_rank(told: Sequence[Told], known: Mapping[str, Sequence[Told]]) -> Value:
    """Return the mean percentile rank over the problems of which programs are known; ``n``: those."""
    ranks: dict[str, list[float]] = {}
    has_band = True
    for one in told:
        others = [other for other in known.get(one.sample.problem, ()) if _is_placed(other)]
        if others and _is_placed(one):
            has_band &= all(other.band is not None for other in (one, *others))
            credits = [_CREDIT[against(other, one)] for other in others]
            ranks.setdefault(one.sample.problem, []).append(100 * math.fsum(credits) / len(others))
    if not has_band:
        return withheld("%", Reason.NOT_MEASURED, detail=NO_BAND, n=len(ranks))
    return mean_of({task: math.fsum(mine) / len(mine) for task, mine in ranks.items()}, "%", detail=_NONE)


_CREDIT = {Comparison.SLOWER: 1.0, Comparison.TIE: 0.5, Comparison.FASTER: 0.0}


def against(one: Told, other: Told) -> Comparison:
    """Compare two programs by their ratios to one reference, which need not be of one evaluation."""
    mine, theirs = one.sample.ratio.ratio.value, other.sample.ratio.ratio.value
    if mine is None or theirs is None:
        if (mine is None) == (theirs is None):
            return Comparison.TIE
        return Comparison.SLOWER if mine is None else Comparison.FASTER
    apart = math.log(mine / theirs)
    noise = math.hypot(math.log1p(one.band or 0.0), math.log1p(other.band or 0.0))
    low, high = _arms(one.sample.ratio), _arms(other.sample.ratio)
    # the arm of each interval that reaches for the other program
    reach = math.hypot(low[0], high[1]) if apart > 0 else math.hypot(low[1], high[0])
    if abs(apart) <= max(noise, reach):
        return Comparison.TIE
    return Comparison.SLOWER if apart > 0 else Comparison.FASTER


def _is_placed(one: Told) -> bool:
    ratio = one.sample.ratio
    return ratio.ratio.value is not None or ratio.n_censored > 0 or one.sample.has_failed


def _arms(ratio: PairRatio) -> tuple[float, float]:
    """Return how far the interval reaches below and above the ratio, as logarithms; inf without one."""
    value = ratio.ratio
    if value.value is None or value.lo is None or value.hi is None or not value.lo > 0:
        return math.inf, math.inf
    return math.log(value.value / value.lo), math.log(value.hi / value.value)

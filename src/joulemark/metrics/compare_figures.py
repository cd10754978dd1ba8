"""The figures of a comparison: ratios B over A and differences B minus A, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.bootstrap import MAX_EMPTY_SHARE, MIN_SCORED_ITEMS, SEED, resampled_medians
from joulemark.metrics.compare_definitions import (
    CPU_PER_CORRECT,
    PER_CORRECT,
    PER_REQUEST,
    PER_TOKEN,
    POINTS,
    THROUGHPUT,
    TOKENS_EACH,
)
from joulemark.metrics.latency import answered_items, streaming_used, ttft_s
from joulemark.metrics.paired_proportions import difference_interval, item_shares, paired_interval
from joulemark.metrics.paired_sides import (
    CORRECT,
    CPU,
    ENERGY,
    REQUESTS,
    SECONDS,
    TOKENS,
    Resamples,
    Side,
)
from joulemark.metrics.value import Value, withheld
from joulemark.record.item import Item
from joulemark.record.percentile import percentile
from joulemark.record.reason import Reason

RATIOS = {
    PER_CORRECT.name: (ENERGY, CORRECT),
    PER_REQUEST.name: (ENERGY, REQUESTS),
    PER_TOKEN.name: (ENERGY, TOKENS),
    TOKENS_EACH.name: (TOKENS, REQUESTS),
    THROUGHPUT.name: (TOKENS, SECONDS),
    CPU_PER_CORRECT.name: (CPU, CORRECT),
}
_NONE_OF = {
    CORRECT: Reason.NOTHING_CORRECT,
    TOKENS: Reason.NO_TOKEN_SEEN,
    ENERGY: Reason.NO_SAMPLES,
    SECONDS: Reason.OUTSIDE_TIMELINE,
    CPU: Reason.CPU_NOT_OBSERVED,
    REQUESTS: Reason.NOTHING_SCORED,
}


def missing(unit: str, causes: Sequence[tuple[str, Reason, str]]) -> Value:
    """Return the withheld figure; ``causes`` are (run, reason, detail), and the detail says which run."""
    told: dict[str, list[str]] = {}
    for name, reason, detail in causes:
        told.setdefault(detail or reason.text, []).append(name)
    sentences = (f"{', '.join(dict.fromkeys(names))}: {text}" for text, names in told.items())
    return withheld(unit, causes[0][1], detail=" ".join(sentences))


def ratio(a: Side, b: Side, drawn: Resamples, over: str, under: str) -> Value:
    """Return (over / under) of B through that of A; ``over`` and ``under`` name columns."""
    causes = [
        (one.name, column.reason or _NONE_OF[what], column.detail)
        for one in (a, b)
        for what in (over, under)
        if not (column := one.columns[what]).total
    ]
    if causes:
        return missing("1", causes)
    over_a, under_a, over_b, under_b = (
        one.columns[what].total or 0.0 for one in (a, b) for what in (over, under)
    )
    point = (over_b / under_b) / (over_a / under_a)
    unknown = [one.columns[what].rows_reason for one in (a, b) for what in (over, under)]
    no_rows = next((reason for reason in unknown if reason), None)
    overs, unders = drawn.of(over), drawn.of(under)
    if no_rows is not None or overs is None or unders is None:
        return Value(point, "1", interval_reason=no_rows or Reason.NOT_APPLICABLE, n=drawn.n)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (overs[1] / unders[1]) / (overs[0] / unders[0])
    return _with_interval(point, ratios, drawn.n)


def _with_interval(point: float, ratios: NDArray[np.float64], n: int) -> Value:
    if n < MIN_SCORED_ITEMS:
        return Value(point, "1", interval_reason=Reason.TOO_FEW_ITEMS, n=n)
    filled = ratios[np.isfinite(ratios) & (ratios > 0)]
    if len(filled) < (1 - MAX_EMPTY_SHARE) * len(ratios):
        return Value(point, "1", interval_reason=Reason.TOO_MANY_EMPTY_RESAMPLES, n=n)
    # of the logarithms, so that A against B has the inverse of B against A
    lo, hi = np.exp(np.quantile(np.log(filled), (0.025, 0.975)))
    return Value(point, "1", float(lo), float(hi), "ci95", n=n)


def energy_bound(figure: Value, a: Side, b: Side) -> Value:
    """Return a ratio of energies with what the meters can have missed of the compared items, no statistics.

    ``figure`` is the ratio. Without its interval where a side's energies have no bound (reason of that side),
    or that of A may be 0.
    """
    if figure.value is None:
        return figure
    of_a, of_b = a.columns[ENERGY], b.columns[ENERGY]
    if of_a.bound is None or of_b.bound is None or not of_a.total or not of_b.total:
        reason = of_a.bound_reason or of_b.bound_reason or Reason.NOT_APPLICABLE
        return Value(figure.value, "1", interval_reason=reason)
    (lo_a, hi_a), (lo_b, hi_b) = of_a.bound, of_b.bound
    if lo_a <= 0:
        return Value(figure.value, "1", interval_reason=Reason.NO_SAMPLES)
    lo = figure.value * (lo_b / of_b.total) * (of_a.total / hi_a)
    hi = figure.value * (hi_b / of_b.total) * (of_a.total / lo_a)
    return Value(figure.value, "1", min(lo, figure.value), max(hi, figure.value), "bound")


def accuracy_difference(a: Side, b: Side, *, paired: bool) -> Value:
    """Return accuracy of B minus that of A in percentage points; failed requests are not correct."""
    causes = [(one.name, reason, "") for one in (a, b) if (reason := one.columns[CORRECT].reason)]
    if causes:
        return missing(POINTS, causes)
    of_a, of_b = item_shares(a.items), item_shares(b.items)
    if paired:
        shared = [name for name in a.ids if name in of_a and name in of_b]
        if not shared:
            return withheld(POINTS, Reason.NOTHING_SCORED)
        shares_a, shares_b = [of_a[name] for name in shared], [of_b[name] for name in shared]
        lo, hi = paired_interval(shares_a, shares_b)
    else:
        shares_a, shares_b = list(of_a.values()), list(of_b.values())
        right = [min(math.fsum(shares), len(shares)) for shares in (shares_a, shares_b)]
        lo, hi = difference_interval(right[0], len(shares_a), right[1], len(shares_b))
    difference = math.fsum(shares_b) / len(shares_b) - math.fsum(shares_a) / len(shares_a)
    n = min(len(shares_a), len(shares_b))
    return Value(100 * difference, POINTS, 100 * min(lo, difference), 100 * max(hi, difference), "ci95", n=n)


def ttft_ratio(a: Side, b: Side, *, paired: bool) -> Value:
    """Return the median time to first token of B through that of A, over answered requests."""
    causes: list[tuple[str, Reason, str]] = []
    seconds: list[dict[tuple[str, int], float]] = []
    for one in (a, b):
        found = {item.key: s for item in answered_items(one.items) if (s := ttft_s(item)) is not None}
        seconds.append(found)
        streamed = streaming_used(one.items)
        if streamed is None:
            causes.append((one.name, Reason.NOTHING_SCORED, ""))
        elif not streamed:
            causes.append((one.name, Reason.NOT_STREAMED, ""))
        elif not found or not percentile(sorted(found.values()), 50) > 0:
            causes.append((one.name, Reason.NO_TOKEN_SEEN, ""))
    if causes:
        return missing("1", causes)
    keys = [list(found) for found in seconds]
    if paired:
        shared = sorted(set(keys[0]) & set(keys[1]))
        keys = [shared, shared]
    values = [np.array([found[key] for key in each]) for found, each in zip(seconds, keys, strict=True)]
    n = min(len(values[0]), len(values[1]))
    if not n:
        return withheld("1", Reason.NO_TOKEN_SEEN, detail="No item was answered in both runs.")
    medians = [percentile(sorted(each.tolist()), 50) for each in values]
    if medians[0] <= 0 or medians[1] <= 0:
        return withheld("1", Reason.NO_TOKEN_SEEN)
    point = medians[1] / medians[0]
    if _repeated(a.items) or _repeated(b.items):
        return Value(point, "1", interval_reason=Reason.NOT_APPLICABLE, n=n)
    if paired:
        drawn = resampled_medians(values)
    else:
        drawn = (*resampled_medians(values[:1]), *resampled_medians(values[1:], seed=SEED + 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return _with_interval(point, drawn[1] / drawn[0], n)


def _repeated(items: Sequence[Item]) -> bool:
    return len({item.item_id for item in items}) < len(items)

"""Two shares of right answers, and how sure their difference is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.metrics.accuracy import is_correct, is_scored, wilson_interval
from joulemark.record.item import Item


@dataclass(frozen=True, slots=True)
class McNemar:
    """What became of the requests that two runs share: right in both, in one only, in neither.

    ``p_value`` is the exact two-sided one of the discordant pairs (McNemar 1947: under no difference either
    run is right with chance 1/2); null where items were repeated, for then the pairs are not independent.
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    p_value: float | None


def item_shares(items: Sequence[Item]) -> dict[str, float]:
    """Return the share of correct answers of each scored item over its repeats, 0..1 by item id."""
    seen: dict[str, list[bool]] = {}
    for item in items:
        if is_scored(item):
            seen.setdefault(item.item_id, []).append(is_correct(item))
    return {name: sum(outcomes) / len(outcomes) for name, outcomes in seen.items()}


def difference_interval(
    right_a: float, n_a: int, right_b: float, n_b: int, phi: float = 0.0
) -> tuple[float, float]:
    """Return the 95 % interval of share b - share a from the two Wilson intervals, square and add.

    ``phi`` is the correlation of the two, 0 for runs of different items.
    Source: R. G. Newcombe, Statistics in Medicine 17 (1998): 873-890, method 10, and paired 2635-2650,
    method 10.
    """
    share_a, share_b = right_a / n_a, right_b / n_b
    lo_a, hi_a = wilson_interval(right_a, n_a)
    lo_b, hi_b = wilson_interval(right_b, n_b)
    difference = share_b - share_a
    below = _joined(share_b - lo_b, hi_a - share_a, phi)
    above = _joined(hi_b - share_b, share_a - lo_a, phi)
    return max(-1.0, difference - below), min(1.0, difference + above)


def paired_interval(shares_a: Sequence[float], shares_b: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of mean b - mean a of the same items, 0..1 each; at least one.

    Items with repeats enter once, with their mean; their four-fold table holds products of means, which
    understates the correlation, so the interval is rather too wide. Source: see `difference_interval`.
    """
    n = len(shares_a)
    both = math.fsum(a * b for a, b in zip(shares_a, shares_b, strict=True))
    right_a, right_b = min(math.fsum(shares_a), n), min(math.fsum(shares_b), n)
    margins = right_a * (n - right_a) * right_b * (n - right_b)
    phi = 0.0
    if margins > 0:
        # both x neither - only a x only b
        excess = both * (n - right_a - right_b + both) - (right_a - both) * (right_b - both)
        # the correction for continuity never turns a positive correlation into a negative one
        corrected = max(excess - n / 2, 0.0) if excess > 0 else excess
        phi = corrected / math.sqrt(margins)
    return difference_interval(right_a, n, right_b, n, phi)


def mcnemar(a: Sequence[Item], b: Sequence[Item]) -> McNemar:
    """Count the outcomes of the requests (item and repeat) that both runs scored."""
    of_a, of_b = ({item.key: is_correct(item) for item in items if is_scored(item)} for items in (a, b))
    shared = [key for key in of_a if key in of_b]
    pairs = [(of_a[key], of_b[key]) for key in shared]
    only_a, only_b = pairs.count((True, False)), pairs.count((False, True))
    independent = len({name for name, _ in shared}) == len(shared)
    p_value = _exact_p(only_a, only_b) if independent and shared else None
    return McNemar(pairs.count((True, True)), only_a, only_b, pairs.count((False, False)), p_value)


def _joined(x: float, y: float, phi: float) -> float:
    return math.sqrt(max(0.0, x * x - 2 * phi * x * y + y * y))


def _exact_p(only_a: int, only_b: int) -> float:
    n = only_a + only_b
    term = total = 1
    for k in range(1, min(only_a, only_b) + 1):
        term = term * (n - k + 1) // k
        total += term
    return (
        min(1.0, 2 * total / 2**n) if n < 1000 else min(1.0, math.exp(math.log(2 * total) - n * math.log(2)))
    )

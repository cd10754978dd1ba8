"""How the ratios to the reference are distributed: a hundred buckets, the same for every model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

N_BUCKETS = 100
LARGEST = 32.0  # the last bucket holds this and more, the first 1/32 and less
_HALF = N_BUCKETS // 2


@dataclass(frozen=True, slots=True)
class Distribution:
    """Ratios by bucket: ``counts[k]`` lie from ``edges[k]`` to below ``edges[k + 1]``.

    Buckets are as wide as each other on a log scale (7 %); the outer two are open, and 1 is an edge. Edges:
    101, the outer ones those of what a bucket would hold were it not open. ``n_at_least``: programs that a
    limit ended, which are in no bucket. ``n_told_faster`` and ``n_told_slower``: of the ratios in buckets,
    those that noise does not explain; null where it is not known what noise does.
    """

    counts: tuple[int, ...]
    n_at_least: int = 0
    n_told_faster: int | None = None
    n_told_slower: int | None = None

    @property
    def edges(self) -> tuple[float, ...]:
        """The edges of the buckets, in order."""
        return tuple(LARGEST ** ((k - _HALF) / _HALF) for k in range(N_BUCKETS + 1))

    @property
    def n(self) -> int:
        """How many ratios there are, known ones and bounds."""
        return sum(self.counts) + self.n_at_least

    @property
    def n_faster(self) -> int:
        """How many ratios are below 1, whether or not noise could have made them so."""
        return sum(self.counts[:_HALF])


def distribution(
    ratios: Iterable[float],
    *,
    n_at_least: int = 0,
    n_told_faster: int | None = None,
    n_told_slower: int | None = None,
) -> Distribution:
    """Return how positive ratios are distributed."""
    counts = [0] * N_BUCKETS
    for ratio in ratios:
        counts[bucket_of(ratio)] += 1
    return Distribution(tuple(counts), n_at_least, n_told_faster, n_told_slower)


def bucket_of(ratio: float) -> int:
    """Return the bucket of a positive ratio; raises ``ValueError`` for others."""
    if not ratio > 0:
        raise ValueError(f"{ratio} is no ratio of times")
    place = math.floor(_HALF + _HALF * math.log(ratio) / math.log(LARGEST))
    # rounding of the logarithm may not put a ratio below 1 on the other side of it
    place = min(place, _HALF - 1) if ratio < 1 else max(place, _HALF)
    return min(max(place, 0), N_BUCKETS - 1)

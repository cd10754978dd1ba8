"""The 95 % interval of a ratio of sums, by resampling items jointly.

The draws come from the raw 64-bit stream of PCG64, which NumPy keeps stable, and the sums are exact integer
sums; so the same items give the same interval on every platform.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from joulemark.record.reason import Reason

RESAMPLES = 10_000
SEED = 20_260_101
MIN_SCORED_ITEMS = 10
MAX_EMPTY_SHARE = 0.05
_DRAWS_PER_BLOCK = 1 << 19  # 4 MiB of indices: stays in a processor's cache, and bounds the memory


@dataclass(frozen=True, slots=True)
class RatioInterval:
    """A percentile interval, or null with the reason; ``n`` is the number of resampled items."""

    lo: float | None
    hi: float | None
    n: int
    empty_share: float = 0.0
    reason: Reason | None = None


def sum_by_cluster(clusters: Sequence[Hashable], *columns: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    """Add rows of the same cluster, in order of first appearance; each column becomes float64[n_clusters]."""
    position: dict[Hashable, int] = {}
    index = np.array([position.setdefault(c, len(position)) for c in clusters], dtype=np.intp)
    n = len(position)
    sums = (np.bincount(index, np.asarray(column, np.float64), n) for column in columns)
    return tuple(np.asarray(column, np.float64) for column in sums)


def _exact_integers(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], int]:
    """Scale by a power of two so that a sum of n of them is exact in int64; return them and the exponent."""
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0:
        return np.zeros(values.shape, np.int64), 0
    exponent = 61 - math.frexp(largest)[1] - math.ceil(math.log2(max(len(values), 2)))
    return np.rint(np.ldexp(values, exponent)).astype(np.int64), exponent


def resampled_sums(
    columns: Sequence[NDArray[np.float64]], *, seed: int = SEED, resamples: int = RESAMPLES
) -> tuple[NDArray[np.float64], ...]:
    """Draw n of n rows with replacement, ``resamples`` times; return float64[resamples] sums."""
    n = len(columns[0])
    scaled = [_exact_integers(column) for column in columns]
    stream = np.random.PCG64(seed)
    sums = [np.empty(resamples, np.int64) for _ in columns]
    rows = max(1, _DRAWS_PER_BLOCK // n)
    for start in range(0, resamples, rows):
        stop = min(start + rows, resamples)
        raw = stream.random_raw((stop - start) * n)
        # the upper half of the word times n, upper half of the product: uniform on 0..n-1 up to n / 2**32
        index = ((raw >> np.uint64(32)) * np.uint64(n) >> np.uint64(32)).astype(np.intp)
        index = index.reshape(stop - start, n)
        for (integers, _), out in zip(scaled, sums, strict=True):
            np.take(integers, index).sum(axis=1, out=out[start:stop])
    return tuple(
        np.ldexp(out.astype(np.float64), -exponent) for (_, exponent), out in zip(scaled, sums, strict=True)
    )


def ratio_interval(
    numerators: ArrayLike,
    denominators: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> RatioInterval:
    """Return the percentile 95 % interval of ``sum(numerators) / sum(denominators)``.

    Rows are items: a row's energy and its correctness are drawn together. Rows of one cluster (repeats of an
    item) are added first and drawn as one. Withheld with fewer than ten clusters, with no correct answer, and
    when more than 5 % of the resamples hold none; the few empty resamples below that are left out.
    Source: B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
    """
    ids = clusters if clusters is not None else range(len(np.asarray(numerators)))
    numerator, denominator = sum_by_cluster(ids, numerators, denominators)
    n = len(numerator)
    if not denominator.sum() > 0:
        return RatioInterval(None, None, n, reason=Reason.NOTHING_CORRECT)
    if n < MIN_SCORED_ITEMS:
        return RatioInterval(None, None, n, reason=Reason.TOO_FEW_ITEMS)
    top, bottom = resampled_sums((numerator, denominator), seed=seed, resamples=resamples)
    filled = bottom > 0
    empty_share = 1.0 - float(filled.mean())
    if empty_share > MAX_EMPTY_SHARE:
        return RatioInterval(None, None, n, empty_share, Reason.TOO_MANY_EMPTY_RESAMPLES)
    lo, hi = np.quantile(top[filled] / bottom[filled], (0.025, 0.975))
    return RatioInterval(float(lo), float(hi), n, empty_share)

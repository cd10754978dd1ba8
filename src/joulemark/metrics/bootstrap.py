"""The 95 % interval of a ratio of sums, by resampling items jointly.

The draws come from the raw 64-bit stream of PCG64, which NumPy keeps stable, and the sums are exact integer
sums; so the same items give the same interval on every platform.

Nearly all the time goes into drawing and adding, so both are done by the word. A 64-bit word gives two draws
of 32 bits. A draw u becomes the row ``u * n >> 32``: of n rows, none is more likely than another by more than
n / 2**32 of its chance, 3e-7 with 1,319 rows. A whole number (correct or not, tokens) rides in the low bits
of the word that holds a real number, so that one look-up and one addition serve both.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from joulemark.metrics.student import t_95
from joulemark.record.reason import Reason

RESAMPLES = 10_000
SEED = 20_260_101
MIN_SCORED_ITEMS = 10
MAX_EMPTY_SHARE = 0.05
_DRAWS_PER_BLOCK = 1 << 16  # 512 KiB of row numbers: stays in a processor's cache, and bounds the memory
_SUM_BITS = 61
_COUNT_BITS = 20  # a wider count would cost the real number beside it its accuracy
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True)
class RatioInterval:
    """A percentile interval, or null with the reason; ``n`` is the number of resampled items."""

    lo: float | None
    hi: float | None
    n: int
    reason: Reason | None = None


def sum_by_cluster(clusters: Sequence[Hashable], *columns: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    """Add rows of the same cluster, in order of first appearance; each column becomes float64[n_clusters]."""
    position: dict[Hashable, int] = {}
    index = np.array([position.setdefault(c, len(position)) for c in clusters], dtype=np.intp)
    n = len(position)
    sums = (np.bincount(index, np.asarray(column, np.float64), n) for column in columns)
    return tuple(np.asarray(column, np.float64) for column in sums)


class _Packed(NamedTuple):
    """One int64 a row: a real number times 2**exponent above ``low_bits``, a whole number in them.

    ``real`` and ``whole`` are the places of their columns, null where the word holds no such part.
    """

    words: NDArray[np.int64]
    real: int | None
    exponent: int
    whole: int | None
    low_bits: int


def _whole_bits(column: NDArray[np.float64]) -> int | None:
    """Return how many bits a sum of n values takes, or null if they are no small whole numbers >= 0."""
    largest = float(column.max(initial=0.0))
    if column.min(initial=0.0) < 0 or largest * len(column) >= 1 << _COUNT_BITS:
        return None
    if not np.array_equal(column, np.rint(column)):
        return None
    return (int(largest) * len(column)).bit_length()


def _pack(columns: Sequence[NDArray[np.float64]]) -> list[_Packed]:
    """Lay the columns into as few words as there are real numbers, or whole ones if these are more."""
    bits = [_whole_bits(column) for column in columns]
    reals = [k for k, width in enumerate(bits) if width is None]
    wholes = [k for k, width in enumerate(bits) if width is not None]
    packed = []
    for real, whole in zip_longest(reals, wholes):
        low_bits = 0 if whole is None else bits[whole] or 0
        words = np.zeros(len(columns[0]), np.int64)
        exponent = 0
        if real is not None:
            values = columns[real]
            largest = float(np.abs(values).max())
            # the sum of n of them stays below 2**61, so it is exact
            room = _SUM_BITS - low_bits - math.ceil(math.log2(max(len(values), 2)))
            exponent = room - math.frexp(largest)[1]
            words += np.rint(np.ldexp(values, exponent)).astype(np.int64) << low_bits
        if whole is not None:
            words += columns[whole].astype(np.int64)
        packed.append(_Packed(words, real, exponent, whole, low_bits))
    return packed


def _drawn_rows(n: int, seed: int, resamples: int) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Yield which resamples come next and the rows drawn for them, int64[count, >= n], valid until the next.

    A resample of n rows takes ceil(n / 2) words of the stream, lower half first, whatever the block size; of
    an odd n the last column is one draw too many.
    """
    n_words = (n + 1) // 2
    block = max(1, min(_DRAWS_PER_BLOCK // (2 * n_words), resamples))
    stream = np.random.PCG64(seed)
    drawn = np.empty((block, 2 * n_words), np.uint64)
    for start in range(0, resamples, block):
        stop = min(start + block, resamples)
        halves = stream.random_raw((stop - start) * n_words).astype("<u8", copy=False).view("<u4")
        rows = drawn[: stop - start]
        np.multiply(halves.reshape(rows.shape), np.uint64(n), out=rows)
        np.right_shift(rows, _HALF, out=rows)
        yield slice(start, stop), rows.view(np.int64)


def _resampled_words(
    tables: Sequence[NDArray[np.int64]], seed: int, resamples: int
) -> list[NDArray[np.int64]]:
    """Draw n of n rows with replacement, the same of every table; return int64[resamples] sums of each."""
    n = len(tables[0])
    sums = [np.empty(resamples, np.int64) for _ in tables]
    taken = np.empty((0, 0), np.int64)
    for place, rows in _drawn_rows(n, seed, resamples):
        if len(taken) < len(rows):
            taken = np.empty(rows.shape, np.int64)
        got = taken[: len(rows)]
        for table, out in zip(tables, sums, strict=True):
            # every row is in range; "clip" only spares NumPy a checked copy
            np.take(table, rows, out=got, mode="clip")
            got[:, :n].sum(axis=1, out=out[place])
    return sums


def resampled_sums(
    columns: Sequence[NDArray[np.float64]], *, seed: int = SEED, resamples: int = RESAMPLES
) -> tuple[NDArray[np.float64], ...]:
    """Draw n of n rows with replacement, ``resamples`` times; return float64[resamples] sums.

    All columns get the same draws. Whole numbers are added as they are; real ones are first rounded to a
    multiple of a power of two, at least 2**41 / n times smaller than the largest of them (2**39 times, of
    1,319 energies beside right and wrong), and then added without error.
    """
    packed = _pack(columns)
    words = _resampled_words([part.words for part in packed], seed, resamples)
    found: dict[int, NDArray[np.float64]] = {}
    for part, total in zip(packed, words, strict=True):
        if part.whole is not None:
            found[part.whole] = (total & ((1 << part.low_bits) - 1)).astype(np.float64)
        if part.real is not None:
            found[part.real] = np.ldexp((total >> part.low_bits).astype(np.float64), -part.exponent)
    return tuple(found[k] for k in range(len(columns)))


def resampled_medians(
    columns: Sequence[NDArray[np.float64]], *, seed: int = SEED, resamples: int = RESAMPLES
) -> tuple[NDArray[np.float64], ...]:
    """Draw n of n rows as `resampled_sums` does; return float64[resamples] nearest-rank medians of each."""
    n = len(columns[0])
    rank = (n + 1) // 2 - 1
    medians = [np.empty(resamples, np.float64) for _ in columns]
    for place, rows in _drawn_rows(n, seed, resamples):
        for column, out in zip(columns, medians, strict=True):
            out[place] = np.partition(column[rows[:, :n]], rank, axis=1)[:, rank]
    return tuple(medians)


def small_sample_tail(n: int) -> float:
    """Return the tail with which percentiles of a bootstrap of few rows, at least six, cover 95 %.

    Resamples of n rows spread sqrt((n - 1) / n) times too little, and normally where Student's t would be
    right: of ten rows the plain percentiles cover 91 %. Source: T. Hesterberg, What Teachers Should Know
    About the Bootstrap, The American Statistician 69 (2015), "expanded percentile".
    """
    return NormalDist().cdf(-math.sqrt(n / (n - 1)) * t_95(n - 1))


def ratio_interval(
    numerators: ArrayLike,
    denominators: ArrayLike,
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    tail: float = 0.025,
) -> RatioInterval:
    """Return the percentile 95 % interval of ``sum(numerators) / sum(denominators)``.

    Rows are items: a row's energy and its correctness are drawn together. Rows of one cluster (repeats of an
    item) are added first and drawn as one. ``tail`` is the share of resamples left out on either side.
    Withheld with fewer than ten clusters, with no correct answer, and when more than 5 % of the resamples
    hold none; the few empty resamples below that are left out.
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
    if 1.0 - float(filled.mean()) > MAX_EMPTY_SHARE:
        return RatioInterval(None, None, n, Reason.TOO_MANY_EMPTY_RESAMPLES)
    lo, hi = np.quantile(top[filled] / bottom[filled], (tail, 1 - tail))
    return RatioInterval(float(lo), float(hi), n)

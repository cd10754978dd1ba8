"""Statistics of ranks: agreement of two orders, and whether groups differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from joulemark.metrics.average_ranks import average_ranks


@dataclass(frozen=True, slots=True)
class GroupTest:
    """A statistic of ranks that follows chi-squared with ``degrees`` under no difference, and its chance."""

    statistic: float
    degrees: int
    p_value: float


def kendall_tau(a: ArrayLike, b: ArrayLike) -> float | None:
    """Return Kendall's tau-b of two float[n], null where either is all ties. Source: M. Kendall (1945)."""
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    rows, columns = np.triu_indices(len(x), 1)
    return _tau(np.sign(x[rows] - x[columns]), np.sign(y[rows] - y[columns]))


def kruskal_wallis(groups: Sequence[Sequence[float]]) -> GroupTest | None:
    """Test whether independent groups have one distribution, ties corrected; null for less than two groups.

    Source: W. Kruskal and W. Wallis, JASA 47 (1952). Null too where all values are equal.
    """
    filled = [np.asarray(group, np.float64) for group in groups if len(group)]
    if len(filled) < 2:
        return None
    joined = np.concatenate(filled)
    n = len(joined)
    ranks, ties = average_ranks(joined)
    correction = 1 - ties / (n**3 - n)
    if not correction > 0:
        return None
    ends = np.cumsum([len(group) for group in filled])[:-1]
    sums = sum(float(part.sum()) ** 2 / len(part) for part in np.split(ranks, ends))
    statistic = max(0.0, (12 / (n * (n + 1)) * sums - 3 * (n + 1)) / correction)
    return GroupTest(statistic, len(filled) - 1, chi_squared_tail(statistic, len(filled) - 1))


def friedman(rows: ArrayLike) -> GroupTest | None:
    """Test whether columns of float[n_blocks, n_columns] differ, each block ranked for itself.

    Source: M. Friedman, JASA 32 (1937), ties corrected. Null for less than two columns or all ties.
    """
    table = np.asarray(rows, np.float64)
    if table.ndim != 2 or table.shape[1] < 2 or not len(table):
        return None
    n, k = table.shape
    ranked = [average_ranks(row) for row in table]
    sums = np.sum([ranks for ranks, _ in ranked], axis=0)
    correction = 1 - sum(ties for _, ties in ranked) / (n * k * (k * k - 1))
    if not correction > 0:
        return None
    statistic = (12 / (n * k * (k + 1)) * float((sums**2).sum()) - 3 * n * (k + 1)) / correction
    statistic = max(0.0, statistic)
    return GroupTest(statistic, k - 1, chi_squared_tail(statistic, k - 1))


def chi_squared_tail(x: float, degrees: int) -> float:
    """Return the chance of more than ``x`` >= 0 of chi-squared with ``degrees`` >= 1 degrees of freedom.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions (1964), 26.4.4 and 26.4.5.
    """
    half = x / 2
    if degrees % 2:
        total = math.erfc(math.sqrt(half))
        term = math.exp(-half) * math.sqrt(half) / math.gamma(1.5) if x > 0 else 0.0
        start = 1.5
    else:
        total, term, start = 0.0, math.exp(-half), 1.0
    for k in range(degrees // 2):
        total += term
        term *= half / (start + k)
    return min(1.0, total)


def _tau(x: NDArray[np.float64], y: NDArray[np.float64]) -> float | None:
    untied = math.sqrt(float(np.abs(x).sum()) * float(np.abs(y).sum()))
    return float((x * y).sum()) / untied if untied > 0 else None

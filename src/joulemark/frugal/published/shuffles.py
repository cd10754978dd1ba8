"""Shuffled items as sums: what the first k items of a random order add up to, for many orders at once.

Drawn exactly: every order of the items is equally likely (within the proportions, for stratified ones).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.published.frames import Ints

Floats = NDArray[np.float64]


class Shuffles(ABC):
    """A source of random orders of ``n_items`` items with a value each."""

    n_items: int

    @abstractmethod
    def sums(self, points: Ints, rows: int, rng: np.random.Generator) -> Floats:
        """Return (rows, len(points)): the sum of the first ``points[j]`` values of ``rows`` random orders."""


class BinaryShuffles(Shuffles):
    """Orders of ``n_ones`` ones among zeros.

    How many ones fall between two points is multivariate hypergeometric, so no item needs to be moved.
    """

    def __init__(self, n_ones: int, n_items: int) -> None:
        self.n_ones, self.n_items = n_ones, n_items

    def sums(self, points: Ints, rows: int, rng: np.random.Generator) -> Floats:
        """Return the counts of ones."""
        if len(points) == self.n_items:
            row = np.zeros(self.n_items, dtype=np.int8)
            row[: self.n_ones] = 1
            drawn = rng.permuted(np.broadcast_to(row, (rows, self.n_items)), axis=1)
            return np.cumsum(drawn, axis=1, dtype=np.float64)
        sizes = _sizes(points, self.n_items)
        counts = rng.multivariate_hypergeometric(sizes, self.n_ones, size=rows, method="marginals")
        return np.cumsum(counts[:, : len(points)], axis=1, dtype=np.float64)


class ValueShuffles(Shuffles):
    """Orders of real ``values`` (n,): each row is a permutation."""

    def __init__(self, values: Floats) -> None:
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        self.n_items = len(self.values)

    def sums(self, points: Ints, rows: int, rng: np.random.Generator) -> Floats:
        """Return the running sums at the points."""
        return _sums_at(self.orders(rows, rng), points)

    def orders(self, rows: int, rng: np.random.Generator) -> Floats:
        """Return (rows, n): the values in random orders."""
        drawn: Floats = rng.permuted(np.broadcast_to(self.values, (rows, self.n_items)), axis=1)
        return drawn


class StratifiedShuffles(ValueShuffles):
    """Orders that keep the proportions of the ``domains`` (n,) in every stretch of items.

    Each domain is shuffled and laid evenly over the order: its r-th item of n lies at (r + u)/n, u uniform.
    """

    def __init__(self, values: Floats, domains: Sequence[str]) -> None:
        super().__init__(values)
        _, code = np.unique(np.asarray(domains, dtype=object).astype(str), return_inverse=True)
        self._members = [np.flatnonzero(code == k) for k in range(int(code.max()) + 1)]

    def orders(self, rows: int, rng: np.random.Generator) -> Floats:
        """Return (rows, n): the values in random orders, the domains laid evenly over them."""
        place = np.empty((rows, self.n_items))
        drawn = np.empty((rows, self.n_items))
        begin = 0
        for members in self._members:
            n = len(members)
            part = slice(begin, begin + n)
            drawn[:, part] = rng.permuted(np.broadcast_to(self.values[members], (rows, n)), axis=1)
            place[:, part] = (np.arange(n) + rng.random((rows, n))) / n
            begin += n
        return np.take_along_axis(drawn, np.argsort(place, axis=1), axis=1)


class BrownianNull(Shuffles):
    """No data at all: sums of independent normal numbers, which is Brownian motion."""

    def __init__(self, n_items: int) -> None:
        self.n_items = n_items

    def sums(self, points: Ints, rows: int, rng: np.random.Generator) -> Floats:
        """Return the motion at the points."""
        steps = np.sqrt(np.diff(points, prepend=0).astype(np.float64))
        return np.cumsum(rng.standard_normal((rows, len(points))) * steps, axis=1)


class BernoulliNull(Shuffles):
    """No data at all: every item is right with chance ``p``, thrown anew for each order."""

    def __init__(self, n_items: int, p: float = 0.5) -> None:
        self.n_items, self.p = n_items, p

    def sums(self, points: Ints, rows: int, rng: np.random.Generator) -> Floats:
        """Return the counts of right ones."""
        sizes = np.diff(points, prepend=0)
        return np.cumsum(rng.binomial(sizes, self.p, (rows, len(points))), axis=1, dtype=np.float64)


def shuffles_of(values: Floats, domains: Sequence[str] | None = None) -> Shuffles:
    """Return the quickest exact source for these values; with ``domains`` a stratified one."""
    if domains is not None:
        return StratifiedShuffles(values, domains)
    low, high = float(values.min()), float(values.max())
    if low == 0.0 and bool(np.isin(values, (low, high)).all()) and high in (0.0, 1.0):
        return BinaryShuffles(int(values.sum()), len(values))
    return ValueShuffles(values)


def _sizes(points: Ints, n_items: int) -> Ints:
    """Return how many items lie between the points, and after the last where any do."""
    sizes = np.diff(points, prepend=0)
    rest = n_items - int(points[-1])
    return np.append(sizes, rest) if rest else sizes


def _sums_at(values: Floats, points: Ints) -> Floats:
    if len(points) == values.shape[1]:
        return np.cumsum(values, axis=1)
    begins = np.concatenate([[0], points[:-1]])
    return np.cumsum(np.add.reduceat(values[:, : int(points[-1])], begins, axis=1), axis=1)

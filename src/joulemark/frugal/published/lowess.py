"""Lowess: locally weighted straight lines with robust passes, of many curves over the same x at once.

After Cleveland 1979. As x is the same for all curves, so are the tricube weights: they are one matrix, and a
pass is a product of matrices.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from joulemark.frugal.published.frames import Ints
from joulemark.frugal.published.robustness import bisquare_weights
from joulemark.frugal.published.shuffles import Floats
from joulemark.frugal.published.small_products import product

DEFAULT_FRAC = 2 / 3
DEFAULT_PASSES = 3
_SMALLEST = 1e-12  # a squared spread of weights below which there is a mean and no line


class Smoother(Protocol):
    """Smooths curves over an x of its own."""

    def smooth(self, y: Floats, passes: int) -> Floats:
        """Return the smoothed curves of ``y`` (rows, m) after ``passes`` robust passes."""


def neighbours(m: int, frac: float) -> int:
    """Return how many of ``m`` points a local line is drawn through: frac of them, at least 2."""
    return min(m, max(2, int(frac * m + 1e-10)))


def line_at(weight: Floats, x: Floats, xx: Floats, y: Floats, xy: Floats) -> Floats:
    """Return the height at 0 of weighted lines, from the weighted sums of 1, x, x^2, y, xy.

    x must be in units in which a neighbourhood is about 1 wide. nan where nothing has weight; statsmodels
    and this then keep the point itself.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        determinant = weight * xx - x * x
        line = (xx * y - x * xy) / determinant
        flat = determinant <= _SMALLEST * weight * weight
        if flat.any():
            line = np.where(flat, np.where(weight > _SMALLEST, y / weight, np.nan), line)
    return line


class MatrixLowess:
    """Lowess of curves over ``x`` (m,), ascending, fitted at ``anchors`` (a,), which are indices into x.

    Between anchors the fit is a straight line, as statsmodels' ``delta`` makes it; with all points for
    anchors it is lowess itself. Memory: 4 m a numbers.
    """

    def __init__(self, x: Floats, frac: float = DEFAULT_FRAC, anchors: Ints | None = None) -> None:
        m = len(x)
        self.anchors = np.arange(m) if anchors is None else anchors
        away = (x[:, None] - x[self.anchors][None, :]) / (x[-1] - x[0])
        far = np.abs(away)
        radius = np.partition(far, neighbours(m, frac) - 1, axis=0)[neighbours(m, frac) - 1]
        tricube = np.clip(1.0 - (far / radius) ** 3, 0.0, None) ** 3
        self._moments = [tricube, tricube * away, tricube * away**2]
        self._sums = [one.sum(axis=0)[None, :] for one in self._moments]
        self._interpolation = None if anchors is None else _interpolation(x, anchors)

    def smooth(self, y: Floats, passes: int) -> Floats:
        """Return (rows, a): the smoothed curves at the anchors, after ``passes`` robust passes."""
        tricube, tricube_x, tricube_xx = self._moments
        one, x, xx = self._sums
        fit = line_at(one, x, xx, product(y, tricube), product(y, tricube_x))
        for _ in range(passes):
            everywhere = fit if self._interpolation is None else product(fit, self._interpolation)
            b = bisquare_weights(y - everywhere)
            one, x, xx = product(b, tricube), product(b, tricube_x), product(b, tricube_xx)
            b *= y
            fit = line_at(one, x, xx, product(b, tricube), product(b, tricube_x))
            lost = ~np.isfinite(fit)
            if lost.any():
                fit[lost] = y[:, self.anchors][lost]
        return fit


def _interpolation(x: Floats, anchors: Ints) -> Floats:
    """Return (a, m): what turns values at the anchors into values at all points."""
    found = np.zeros((len(anchors), len(x)))
    right = np.clip(np.searchsorted(anchors, np.arange(len(x)), side="right"), 1, len(anchors) - 1)
    left = right - 1
    share = (x - x[anchors[left]]) / (x[anchors[right]] - x[anchors[left]])
    every = np.arange(len(x))
    found[left, every] = 1.0 - share
    found[right, every] += share
    return found

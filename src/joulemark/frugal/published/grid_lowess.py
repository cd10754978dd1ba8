"""Lowess of long curves at every one of m evenly spaced points, in O(m log m) a pass and not in O(m^2).

The tricube weight (1 - |d/h|^3)^3 is a polynomial in the distance on either side of a point. Near the ends
all windows hold the same points, so the weighted sums are polynomials whose coefficients are running sums;
between, where all windows are equally wide, they are convolutions.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.published.lowess import DEFAULT_FRAC, line_at, neighbours
from joulemark.frugal.published.robustness import bisquare_weights
from joulemark.frugal.published.shuffles import Floats

# tricube: 1 - 3 u^3 + 3 u^6 - u^9
_POWERS = {0: 1.0, 3: -3.0, 6: 3.0, 9: -1.0}
_DEGREE = 12  # u^9 times d^2, and one


class GridLowess:
    """Lowess of curves over m evenly spaced points, fitted at each of them."""

    def __init__(self, m: int, frac: float = DEFAULT_FRAC) -> None:
        k = neighbours(m, frac)
        # windows begin to move at the first point with as many neighbours on either side
        self._edge = (k + 1) // 2 if k < m else m - m // 2
        self._edges = _Edge(k, self._edge)
        self._inside = _Inside(m, k, self._edge) if m > 2 * self._edge else None
        self._m, self._k = m, k

    def smooth(self, y: Floats, passes: int) -> Floats:
        """Return (rows, m): the smoothed curves, after ``passes`` robust passes."""
        ones = np.ones((1, self._m))
        fit = self._fit(ones, y)
        for _ in range(passes):
            weights = bisquare_weights(y - fit)
            fit = self._fit(weights, y * weights)
        return fit

    def _fit(self, b: Floats, by: Floats) -> Floats:
        """Return the lines' heights, from the robust weights b and b y."""
        fit = np.empty_like(by)
        edge, k, m = self._edge, self._k, self._m
        fit[:, :edge] = line_at(*self._edges.sums(b[:, :k], 3), *self._edges.sums(by[:, :k], 2))
        # the right end is the left one seen in a mirror
        right_b, right_by = (
            b[:, : m - k - 1 if m > k else None : -1],
            by[:, : m - k - 1 if m > k else None : -1],
        )
        n_right = min(edge, m - edge)
        mirrored = line_at(*self._edges.sums(right_b, 3), *self._edges.sums(right_by, 2))
        fit[:, m - n_right :] = mirrored[:, :n_right][:, ::-1]
        if self._inside is not None:
            fit[:, edge : m - edge] = line_at(*self._inside.sums(b, 3), *self._inside.sums(by, 2))
        return fit


class _Edge:
    """Weighted sums about the first ``edge`` points, over the first ``k``."""

    def __init__(self, k: int, edge: int) -> None:
        # in units in which the k points reach from -1 to 1, so that no power grows
        half = (k - 1) / 2
        t: Floats = (np.arange(k, dtype=np.float64) - half) / half
        at = t[:edge]
        h = 1.0 - at
        self._edge = edge
        self._powers = np.ascontiguousarray(np.vander(t, _DEGREE, increasing=True).T)
        # [moment q][power of t] over the points; those left of a point count twice, with odd powers turned
        self._all = [_coefficients(at, h, q, _POWERS) for q in range(3)]
        odd = {p: c for p, c in _POWERS.items() if p % 2}
        self._left = [-2.0 * _coefficients(at, h, q, odd) for q in range(3)]

    def sums(self, b: Floats, moments: int) -> list[Floats]:
        """Return the sums of b w d^q for q below ``moments``, each (rows, edge)."""
        rows, edge = b.shape[0], self._edge
        degree = 9 + moments
        # thin products: many threads of a matrix library cost more here than they save
        totals = np.einsum("rk,pk->rp", b, self._powers[:degree])
        found = [np.einsum("rp,pe->re", totals, self._all[q][:degree]) for q in range(moments)]
        left = np.empty((rows, edge))
        term = np.empty((rows, edge))
        for power in range(degree):
            np.multiply(b[:, :edge], self._powers[power, :edge], out=term)
            np.cumsum(term, axis=1, out=left)
            for q in range(moments):
                if power < 10 + q:
                    np.multiply(left, self._left[q][power], out=term)
                    found[q] += term
        return found


def _coefficients(at: Floats, h: Floats, moment: int, powers: dict[int, float]) -> Floats:
    """Return (12, edge): the polynomial in t of sum over p of c_p (t - at)^(p + moment) / h^p."""
    found = np.zeros((_DEGREE, len(at)))
    for p, c in powers.items():
        n = p + moment
        for power in range(n + 1):
            found[power] += c * comb(n, power) * (-at) ** (n - power) / h**p
    return found


class _Inside:
    """Weighted sums about the points whose windows lie evenly about them: convolutions."""

    def __init__(self, m: int, k: int, edge: int) -> None:
        self._m, self._edge = m, edge
        radius = k // 2
        d = np.arange(-radius, radius + 1) / radius
        w = (1.0 - np.abs(d) ** 3) ** 3
        self._length = _smooth_length(m)
        # a correlation: the kernel turned, its middle at 0. What wraps round reaches no inner point
        self._kernels = [self._transformed(w * d**q, radius) for q in range(3)]

    def _transformed(self, kernel: Floats, radius: int) -> NDArray[np.complex128]:
        laid = np.zeros(self._length)
        turned = kernel[::-1]
        laid[: radius + 1] = turned[radius:]
        laid[self._length - radius :] = turned[:radius]
        return np.fft.rfft(laid)

    def sums(self, b: Floats, moments: int) -> list[Floats]:
        """Return the sums of b w d^q for q below ``moments``, each (rows, m - 2 edge)."""
        spectrum = np.fft.rfft(b, self._length, axis=1)
        inner = slice(self._edge, self._m - self._edge)
        return [
            np.fft.irfft(spectrum * self._kernels[q], self._length, axis=1)[:, inner] for q in range(moments)
        ]


def _smooth_length(n: int) -> int:
    """Return the next length with prime factors of 2, 3 and 5 only, which transforms quickly."""
    while True:
        rest = n
        for prime in (2, 3, 5):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return n
        n += 1

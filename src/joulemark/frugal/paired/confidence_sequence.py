"""An interval for the mean difference of two models that holds at every look at once.

It holds all values that no bet has ruled out: m is below the interval once the wealth of `WealthAbove`
reached 4/alpha at any look so far, and above it likewise with the signs turned: the true mean is missed with
a chance of at most alpha / 4 to either side, whatever ended the run. After the last item it is a point.

Where a winner was named too, the interval ends at 0 on the other side, itself included. That a model is named
which is worse has a chance of at most alpha / 2, so the true mean lies within all intervals of a run with a
chance of at least 1 - alpha, and no interval contradicts its winner.
"""

from __future__ import annotations

import math

import numpy as np

from joulemark.metrics.betting import Floats, WealthAbove

_HALVINGS = 26  # an end is found to 2 / 2^26 of the range


def log_threshold(alpha: float) -> float:
    """Return the log of the wealth that rules a value out."""
    return math.log(4 / alpha)


def interval(x: Floats, n_items: int, alpha: float = 0.05, *, sign: int = 0) -> tuple[float, float]:
    """Return the interval of the mean of ``n_items`` differences in [-1, 1], of which the first are ``x``.

    ``x`` (n,) in random order. ``sign``: 1 or -1 where the mean was found to lie above or below 0.
    """
    lo, hi = _lower(x, n_items, alpha), -_lower(-x, n_items, alpha)
    lo, hi = (lo, hi) if lo <= hi else (hi, lo)
    if sign > 0:
        return max(lo, 0.0), max(hi, 0.0)
    return (min(lo, 0.0), min(hi, 0.0)) if sign < 0 else (lo, hi)


def _lower(x: Floats, n_items: int, alpha: float) -> float:
    """Return the largest mean that is ruled out from below."""
    seen = float(np.sum(x))
    if len(x) == n_items:
        return seen / n_items
    left = n_items - len(x)
    lo, hi = (seen - left) / n_items, (seen + left) / n_items
    if not len(x):
        return lo
    for _ in range(_HALVINGS):
        middle = (lo + hi) / 2
        if WealthAbove(middle, n_items).feed(x[None, :]).max() >= log_threshold(alpha):
            lo = middle
        else:
            hi = middle
    return lo

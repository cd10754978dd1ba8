"""Robust weights of lowess: how much a point that lies far from the fit still counts (Cleveland 1979)."""

from __future__ import annotations

import numpy as np

from joulemark.frugal.published.shuffles import Floats

_MEDIANS = 6.0
# statsmodels takes all that lies below or above these shares of six medians for 0 and for 1
_NEAR, _FAR = 0.001, 0.999


def bisquare_weights(residuals: Floats) -> Floats:
    """Return (rows, m) weights (1 - u^2)^2 with u = |residual| / (6 median |residual|), 0 from u = .999 on.

    ``residuals`` (rows, m) is used up. Where the median is 0, a row's points off the fit weigh nothing.
    """
    u = np.abs(residuals, out=residuals)
    scale = _MEDIANS * _medians(u)
    exact = scale[:, 0] == 0
    if exact.any():
        u[exact] = u[exact] > 0
        scale[exact] = 1.0
    u /= scale
    u[u >= _FAR] = 1.0
    u[u <= _NEAR] = 0.0
    np.multiply(u, u, out=u)
    np.subtract(1.0, u, out=u)
    np.multiply(u, u, out=u)
    return u


def _medians(values: Floats) -> Floats:
    """Return (rows, 1); quicker than numpy's, which looks for nan."""
    m = values.shape[1]
    half = m // 2
    parted: Floats = np.partition(values, half, axis=1)
    upper = parted[:, half : half + 1]
    if m % 2:
        return upper
    lower: Floats = parted[:, :half].max(axis=1, keepdims=True)
    return (lower + upper) / 2

"""The tracking curve (the mean of the first k items) and the slopes of its frames."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from joulemark.frugal.published.frames import Frames
from joulemark.frugal.published.shuffles import Floats


class Slope(StrEnum):
    """The slope of a frame: of the least-squares line through all its points, or of its two ends."""

    OLS = "ols"
    ENDS = "ends"


def tracking_curve(sums: Floats, frames: Frames) -> Floats:
    """Return (rows, k): the running means at ``frames.points``, from the running sums there."""
    return sums / frames.points


def absolute_slopes(curve: Floats, frames: Frames, slope: Slope) -> Floats:
    """Return (rows, m): the absolute slope of each frame, in the metric's unit per item.

    The least-squares slope takes the curve at every size (`Frames.is_whole_curve`), else `ValueError`.
    """
    if slope is Slope.ENDS:
        first = np.searchsorted(frames.points, frames.starts)
        last = np.searchsorted(frames.points, frames.ends)
        return np.abs(curve[:, last] - curve[:, first]) / (frames.length - 1)
    if not frames.is_whole_curve:
        raise ValueError("a least-squares slope takes the curve at every size")
    return np.abs(_least_squares(curve, frames))


def _least_squares(curve: Floats, frames: Frames) -> Floats:
    """Return sum((k - mean k)(A_k - c)) / sum((k - mean k)^2) of each frame, from running sums.

    c, the whole's mean, changes no slope and keeps the running sums small.
    """
    n, n_items = frames.length, frames.n_items
    shifted = curve - curve[:, -1:]
    k = np.arange(1, n_items + 1, dtype=np.float64) - n_items / 2
    sum_a = _running(shifted)
    sum_ka = _running(shifted * k)
    begin = frames.starts - 1
    centre = k[begin] + (n - 1) / 2
    in_a = sum_a[:, begin + n] - sum_a[:, begin]
    in_ka = sum_ka[:, begin + n] - sum_ka[:, begin]
    return (in_ka - centre * in_a) / (n * (n * n - 1.0) / 12.0)


def _running(values: Floats) -> Floats:
    sums = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=sums[:, 1:])
    return sums

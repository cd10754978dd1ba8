"""The first knee of convex, falling curves, after Satopaa, Albrecht, Irwin, Raghavan 2011 ("Kneedle").

Both axes are scaled to 0..1, the curve is turned upside down and the diagonal is taken off. A local maximum
of that difference is a knee where the difference falls below the maximum less S mean spacings before it
rises again. A plateau counts as a maximum and as a minimum; no smoothing of its own, as it is fed smooth
curves. The published cut-off uses S = 1 and the first knee.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.published.shuffles import Floats

NO_KNEE = -1


def difference_curves(x: Floats, y: Floats) -> Floats:
    """Return (rows, m): the scaled curves of ``y`` (rows, m) over ``x`` (m,), turned, less the diagonal.

    A flat curve has no shape: its row is nan.
    """
    low = y.min(axis=1, keepdims=True)
    spread = y.max(axis=1, keepdims=True) - low
    spread[spread == 0] = np.nan
    along = (x - x[0]) / (x[-1] - x[0])
    difference: Floats = 1.0 - (y - low) / spread - along
    return difference


def first_knees(x: Floats, y: Floats, sensitivity: float = 1.0) -> NDArray[np.int64]:
    """Return (rows,): the index in ``x`` (m,), ascending, of each curve's first knee; `NO_KNEE` for none.

    ``y`` is (rows, m), m >= 3. Between two neighbouring extremes the difference is monotone, so whether it
    fell far enough shows at the extreme that follows a maximum.
    """
    difference = difference_curves(x, y)
    rows, m = difference.shape
    rises = np.ones((rows, m + 1), dtype=bool)
    falls = np.ones((rows, m + 1), dtype=bool)
    np.greater_equal(difference[:, 1:], difference[:, :-1], out=rises[:, 1:-1])
    np.less_equal(difference[:, 1:], difference[:, :-1], out=falls[:, 1:-1])
    is_top = rises[:, :-1] & falls[:, 1:]
    is_bottom = falls[:, :-1] & rises[:, 1:]
    row, at = np.nonzero(is_top | is_bottom)
    here = difference[row, at]
    follows = np.append(row[1:] == row[:-1], False)
    following = np.append(here[1:], np.nan)
    # a plateau is a bottom too, and after a bottom nothing is a knee before the next top
    climbed = is_top[row, at] & ~is_bottom[row, at]
    knee = climbed & follows & (following < here - sensitivity / (m - 1))
    found = np.full(rows, NO_KNEE, dtype=np.int64)
    # backwards, so that the first one stays
    found[row[knee][::-1]] = at[knee][::-1]
    return found

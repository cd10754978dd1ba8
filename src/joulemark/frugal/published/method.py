"""The choices of the published method: its own by default, each of them open."""

from __future__ import annotations

import math
from dataclasses import dataclass

from joulemark.frugal.published.frames import (
    DEFAULT_SHARE,
    STEPS_A_FRAME,
    Frames,
    Reading,
    frame_length,
    frames,
)
from joulemark.frugal.published.lowess import DEFAULT_FRAC, DEFAULT_PASSES
from joulemark.frugal.published.tracking import Slope

DEFAULT_SHUFFLES = 1000
_WIDE = 0.3  # frac
# the slopes of a few right-or-wrong items are coarse, and all of them are had in no time
_FEW = 2000


@dataclass(frozen=True, slots=True)
class Method:
    """How a cut-off is found.

    ``length`` is that of a frame in items and goes before ``share`` (of all items). ``exact``: every start,
    least-squares slopes and lowess at every slope; else thinned starts, slopes between ends and lowess at
    100 anchors. Of the same slopes both have the same mean within 0.1 % of the items; slopes between ends put
    it lower than least squares do, by 0.1 to 0.3 %. Up to 2,000 items, and disjoint frames, are quick and
    always exact.
    ``frac`` and ``passes`` are lowess's, ``sensitivity`` is kneedle's S.
    """

    reading: Reading = Reading.OVERLAPPING
    share: float = DEFAULT_SHARE
    length: int | None = None
    frac: float = DEFAULT_FRAC
    passes: int = DEFAULT_PASSES
    sensitivity: float = 1.0
    shuffles: int = DEFAULT_SHUFFLES
    exact: bool = False
    slope: Slope | None = None
    seed: int = 0

    def is_exact_of(self, n_items: int) -> bool:
        """Whether so many items have every slope, and lowess at each."""
        return self.exact or self.reading is Reading.DISJOINT or n_items <= _FEW

    def slope_of(self, n_items: int) -> Slope:
        """Return the slope that was chosen, or the mode's own for so many items."""
        return self.slope or (Slope.OLS if self.is_exact_of(n_items) else Slope.ENDS)

    def frames_of(self, n_items: int) -> Frames:
        """Lay the frames over ``n_items``; raises `InputError` where they do not fit."""
        # narrow windows of lowess want as many slopes near the steep beginning as wide ones do
        steps = math.ceil(STEPS_A_FRAME * max(1.0, _WIDE / self.frac))
        return frames(
            n_items,
            self.length or frame_length(n_items, self.share),
            self.reading,
            every=self.is_exact_of(n_items),
            whole=self.slope_of(n_items) is Slope.OLS,
            steps=steps,
        )

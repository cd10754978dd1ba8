"""On which side of a bound the figure of the whole task lies, told as soon as it is certain."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from joulemark.frugal.stopping.bernstein import bernstein_bounds
from joulemark.frugal.stopping.prior_posterior import PriorPosterior
from joulemark.frugal.stopping.seen import Floats, Seen
from joulemark.frugal.stopping.standing import Standing
from joulemark.frugal.target import Column, Decision

_SIZES = 100  # at which it is looked whether the bound would be excluded: within some per cent


@dataclass(slots=True)
class Deciding:
    """Narrows the share (or the score within ``score_range``) from look to look; it never widens."""

    target: Decision
    of: int
    score_range: tuple[float, float] | None = None
    lo: float = -math.inf
    hi: float = math.inf
    _share: PriorPosterior = field(init=False)

    def __post_init__(self) -> None:
        self._share = PriorPosterior(self.of)

    def look(self, seen: Seen, n: int) -> Standing:
        """Return how the target stands after ``n`` questions; looks come in ascending order."""
        if self.target.quantity.column is Column.CORRECT:
            values, low, high = seen.column("right", n), 0.0, 1.0
        else:
            assert self.score_range is not None  # refused at the start
            values, (low, high) = seen.column("score", n), self.score_range
        known = values[~np.isnan(values)]
        whole = bool(np.isin(values, (0.0, 1.0)).all()) and (low, high) == (0.0, 1.0)
        if whole and self.target.quantity.column is Column.CORRECT:
            lo, hi = self._share.bounds(int(values.sum()), n)
        else:
            # what has no value could have any: the lower end takes the lowest, the upper end the highest
            lo, hi = (
                low + (high - low) * end
                for end in (
                    float(bernstein_bounds(_within(values, low, high, 0.0), self.of)[0][-1]),
                    float(bernstein_bounds(_within(values, low, high, 1.0), self.of)[1][-1]),
                )
            )
        self.lo, self.hi = max(self.lo, lo), min(self.hi, hi)
        if not len(known):
            return Standing(self.target, why="no answer could be scored")
        return Standing(
            self.target,
            self.decided,
            float(known.mean()),
            lo=self.lo,
            hi=self.hi,
            more=self._more(float(known.mean()), n) if whole else None,
        )

    @property
    def decided(self) -> bool:
        """Whether the interval lies on one side of the bound."""
        threshold = self.target.threshold
        if self.target.above:
            return self.lo > threshold or self.hi <= threshold
        return self.hi < threshold or self.lo >= threshold

    def _more(self, share: float, n: int) -> int | None:
        """Return about how many more questions exclude the bound if the share stays as it is."""
        bound = round(self.target.threshold * self.of)
        sizes = np.unique(np.geomspace(n, self.of, _SIZES).astype(np.int64))
        ratio = self._share.log_ratio(bound, np.round(share * sizes).astype(np.int64), sizes)
        enough = np.flatnonzero(ratio >= -math.log(self._share.alpha))
        return max(int(sizes[enough[0]]) - n, 1) if len(enough) else None


def _within(values: Floats, low: float, high: float, missing: float) -> Floats:
    scaled = np.where(np.isnan(values), missing, (values - low) / (high - low))
    return np.clip(scaled, 0.0, 1.0)

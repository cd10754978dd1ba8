"""On which side of a bound the figure of the whole task lies, told as soon as it is certain."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from joulemark.frugal.stopping.mean_sequence import MeanSequence
from joulemark.frugal.stopping.seen import Seen
from joulemark.frugal.stopping.standing import Standing
from joulemark.frugal.target import Bound, Column
from joulemark.metrics.betting import ENDLESS, Floats


@dataclass(slots=True)
class Deciding:
    """Narrows the share (or the score within ``score_range``) from look to look; it never widens.

    What has no value could have any: the lower end takes the lowest, the upper end the highest. ``of``: the
    questions that it speaks of; ``sampled``: those asked settle none, and it speaks of all of the kind.
    """

    target: Bound
    of: int
    score_range: tuple[float, float] | None = None
    sampled: bool = False
    _mean: MeanSequence = field(init=False)
    _n: int = 0

    def __post_init__(self) -> None:
        low, high = self._range
        self._mean = MeanSequence(
            ENDLESS if self.sampled else self.of, (self.target.threshold - low) / (high - low)
        )

    @property
    def _range(self) -> tuple[float, float]:
        if self.target.quantity.column is Column.CORRECT or self.score_range is None:
            return 0.0, 1.0  # a score without a range is refused at the start
        return self.score_range

    def look(self, seen: Seen, n: int) -> Standing:
        """Return how the target stands after ``n`` questions; looks come in ascending order."""
        low, high = self._range
        name = "right" if self.target.quantity.column is Column.CORRECT else "score"
        values = np.clip((seen.column(name, n) - low) / (high - low), 0.0, 1.0)
        new = values[self._n :]
        self._mean.feed(_filled(new, 0.0), _filled(new, 1.0))
        self._n = n
        known = values[~np.isnan(values)]
        if not len(known):
            return Standing(self.target, why="no answer could be scored")
        decided = self._mean.above is not None
        lo, hi, figure = (
            low + (high - low) * at for at in (self._mean.lo, self._mean.hi, float(known.mean()))
        )
        more = self._mean.more(known, self.of) if not decided and len(known) == n else None
        return Standing(self.target, decided, figure, lo=lo, hi=hi, more=more)


def _filled(values: Floats, missing: float) -> Floats:
    return np.where(np.isnan(values), missing, values)

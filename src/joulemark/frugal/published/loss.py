"""What the published method calls its loss: how far the score at the cut-off lies from that of all items.

It is the error of plain random sampling, and its size is known beforehand: sqrt(2/pi) sd sqrt(1/q - 1/N),
which for right and wrong answers is sqrt(2/pi) sqrt(p(1 - p)/q (1 - q/N)) but for the factor N/(N - 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joulemark.frugal.outcomes.formats.columns import is_cost
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.published.cutoff import Cutoff, Progress, find_cutoff
from joulemark.frugal.published.frames import Ints
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.shuffles import Floats, Shuffles
from joulemark.frugal.sample_size import expected_absolute_error, moments
from joulemark.record.errors import InputError

_BATCH_NUMBERS = 2_000_000


@dataclass(frozen=True, slots=True)
class Scale:
    """A metric's range, by which it is brought to 0..1 (times 100: points). ``origin`` is nought of it."""

    low: float
    high: float
    origin: float

    @property
    def span(self) -> float:
        """The length of the range."""
        return self.high - self.low


def scale_of(outcomes: Outcomes) -> Scale:
    """Return the scale: a score's nought is its lowest value, a cost's is nothing spent."""
    low, high = outcomes.low, outcomes.high
    origin = 0.0 if is_cost(outcomes.metric) and low >= 0 else low
    return Scale(low, high if high > low else low + 1.0, origin)


@dataclass(frozen=True, slots=True)
class Loss:
    """Over the shuffles, at ``n_items``: mean and deviation of |mean of the first n - mean of all|.

    ``absolute`` and ``formula`` are shares of the scale; ``relative`` is a share of the whole's mean above
    the scale's nought, null where that is 0.
    """

    n_items: int
    absolute: float
    absolute_sd: float
    relative: float | None
    relative_sd: float | None
    formula: float


def loss_at_cutoff(cutoff: Cutoff, outcomes: Outcomes) -> Loss:
    """Return the loss at the size nearest to the cut-off at which the curves were kept."""
    at = int(np.abs(cutoff.sizes - cutoff.mean * cutoff.frames.n_items).argmin())
    off = np.abs(cutoff.curves[:, at] - cutoff.curves[:, -1])
    return _loss(off, int(cutoff.sizes[at]), outcomes)


def cutoff_with_loss(
    shuffles: Shuffles, outcomes: Outcomes, method: Method, progress: Progress | None
) -> tuple[Cutoff, Loss] | str:
    """Return a further cut-off with its loss; why, where frames do not fit or there is no knee."""
    try:
        cutoff = find_cutoff(shuffles, method, progress)
    except InputError as error:
        return error.what
    return cutoff, loss_at_cutoff(cutoff, outcomes)


def loss_at(size: int, shuffles: Shuffles, outcomes: Outcomes, orders: int, seed: int) -> Loss:
    """Return the loss of ``size`` items of all, from ``orders`` fresh orders."""
    rng = np.random.default_rng([seed, 2])
    points: Ints = np.array([size], dtype=np.int64)
    rows = min(orders, max(1, _BATCH_NUMBERS // shuffles.n_items))
    batches = [min(rows, orders - begin) for begin in range(0, orders, rows)]
    sums = np.concatenate([shuffles.sums(points, count, rng)[:, 0] for count in batches])
    return _loss(np.abs(sums / size - float(outcomes.values.mean())), size, outcomes)


def _loss(off: Floats, size: int, outcomes: Outcomes) -> Loss:
    scale = scale_of(outcomes)
    found = moments(outcomes.values)
    base = abs(found.mean - scale.origin)
    mean, sd = float(off.mean()), float(off.std(ddof=1)) if len(off) > 1 else 0.0
    return Loss(
        n_items=size,
        absolute=mean / scale.span,
        absolute_sd=sd / scale.span,
        relative=mean / base if base > 0 else None,
        relative_sd=sd / base if base > 0 else None,
        formula=expected_absolute_error(found.sd, size, len(outcomes)) / scale.span,
    )

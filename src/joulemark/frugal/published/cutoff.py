"""The published cut-off: where the slopes of the tracking curve, smoothed, have their knee; many shuffles.

Everything is seeded, and the same on any number of cores: the shuffles come in batches of a fixed size, each
with a seed of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from joulemark.frugal.published.frames import Frames, Ints
from joulemark.frugal.published.grid_lowess import GridLowess
from joulemark.frugal.published.kneedle import NO_KNEE, first_knees
from joulemark.frugal.published.lowess import MatrixLowess, Smoother
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.normality import normality_p
from joulemark.frugal.published.shuffles import Floats, Shuffles
from joulemark.frugal.published.tracking import absolute_slopes, tracking_curve
from joulemark.record.errors import InputError

ANCHORS = 100
FEW_ITEMS = 1000
"""Below so many items the published method itself is not meant to be used."""
_MATRIX_UP_TO = 400  # slopes; beyond, lowess at every slope goes by the grid
_BATCH_ROWS, _BATCH_NUMBERS = 125, 400_000
_KEPT_SIZES, _FEWEST_SIZES, _KEPT_NUMBERS = 1000, 100, 4_000_000  # of the tracking curves
_ROUNDING = 1e-12
_MAX_WORKERS = 8
Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Example:
    """The first shuffle, to be looked at.

    ``starts`` (m,) with ``slopes`` (m,) absolute, per item; ``at`` (a,) with ``smoothed`` (a,); ``knee`` is a
    number of items, null where there is none.
    """

    starts: Ints
    slopes: Floats
    at: Ints
    smoothed: Floats
    knee: int | None


@dataclass(frozen=True, slots=True)
class Cutoff:
    """What the method found.

    ``fractions`` (r,): the cut-off of each shuffle that has a knee, as a share of the items. ``curves``
    (shuffles, s): the tracking curves at ``sizes`` (s,), ascending, the last of them all items.
    """

    method: Method
    frames: Frames
    fractions: Floats
    n_without_knee: int
    sizes: Ints
    curves: Floats
    example: Example

    @property
    def mean(self) -> float:
        """The cut-off: the mean of the shuffles' own, as a share of the items."""
        return float(self.fractions.mean())

    @property
    def sd(self) -> float:
        """The standard deviation of the shuffles' cut-offs, as a share of the items."""
        return float(self.fractions.std(ddof=1)) if len(self.fractions) > 1 else 0.0

    @property
    def n_items(self) -> int:
        """How many items the cut-off asks."""
        return max(1, round(self.mean * self.frames.n_items))

    @property
    def is_exact(self) -> bool:
        """Whether there is a slope from every start, with lowess at each."""
        return self.method.is_exact_of(self.frames.n_items)

    def ks_p(self) -> float | None:
        """Return the p of the normality test; null in fast mode, whose knees lie on the anchors' grid."""
        if not self.is_exact:
            return None
        return normality_p(self.fractions, np.random.default_rng([self.method.seed, 1]))


@dataclass(frozen=True, slots=True)
class _Batch:
    knees: Ints
    curves: Floats
    example: Example


def no_p(cutoff: Cutoff) -> str:
    """Return why a cut-off without a p of normality has none."""
    if not cutoff.is_exact:
        return (
            "fast mode puts knees on a grid of 100 anchors, which no normal sample lies on; --exact gives it"
        )
    return f"{len(cutoff.fractions)} cut-offs are too few"


def find_cutoff(shuffles: Shuffles, method: Method, progress: Progress | None = None) -> Cutoff:
    """Run the method; ``progress`` is told how many shuffles are done.

    Raises `InputError` where frames do not fit or no shuffle has a knee (as where all values are the same).
    """
    laid = method.frames_of(shuffles.n_items)
    at = _anchors(len(laid.starts), exact=method.is_exact_of(laid.n_items))
    smoother = _smoother(laid, method, at)
    # many shuffles keep fewer sizes of each: memory has an end
    kept = min(_KEPT_SIZES, max(_FEWEST_SIZES, _KEPT_NUMBERS // method.shuffles))
    sizes = laid.points[_thinned(len(laid.points), kept)]
    rows = _batch_rows(laid)
    counts = [min(rows, method.shuffles - begin) for begin in range(0, method.shuffles, rows)]
    seeds = np.random.SeedSequence([method.seed, 0]).spawn(len(counts))

    def run(rows: int, seed: np.random.SeedSequence) -> _Batch:
        drawn = _drawn(shuffles, method, laid, sizes, rows, np.random.default_rng(seed))
        return _finished(*drawn, method, laid, smoother, at)

    batches: list[_Batch] = []
    done = 0
    with ThreadPoolExecutor(min(_MAX_WORKERS, os.cpu_count() or 1)) as pool:
        for batch in pool.map(run, counts, seeds):
            batches.append(batch)
            done += len(batch.knees)
            if progress is not None:
                progress(done)
    knees = np.concatenate([batch.knees for batch in batches])
    found = knees[knees != NO_KNEE]
    if not len(found):
        raise InputError(
            "no shuffle has a knee",
            why="the slopes have no spread, as where all items have the same value",
            fix="another metric, or a shorter --frame",
        )
    return Cutoff(
        method,
        laid,
        laid.starts[at][found] / laid.n_items,
        int((knees == NO_KNEE).sum()),
        sizes,
        np.concatenate([batch.curves for batch in batches]),
        batches[0].example,
    )


def _drawn(
    shuffles: Shuffles, method: Method, laid: Frames, sizes: Ints, rows: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the curves at ``sizes`` and the slopes of so many shuffles."""
    curve = tracking_curve(shuffles.sums(laid.points, rows, rng), laid)
    kept = curve if len(sizes) == len(laid.points) else curve[:, np.searchsorted(laid.points, sizes)]
    slopes = absolute_slopes(curve, laid, method.slope_of(laid.n_items))
    # values that are all the same have slopes of rounding
    slopes[slopes.max(axis=1) <= _ROUNDING * np.abs(curve).max(axis=1)] = 0.0
    return kept, slopes


def _finished(
    curves: Floats, slopes: Floats, method: Method, laid: Frames, smoother: Smoother, at: Ints
) -> _Batch:
    smoothed = smoother.smooth(slopes, method.passes)
    knees = first_knees(laid.starts[at].astype(np.float64), smoothed, method.sensitivity)
    shown, shown_at = _thinned(len(laid.starts), _KEPT_SIZES), _thinned(len(at), _KEPT_SIZES)
    example = Example(
        starts=laid.starts[shown],
        slopes=slopes[0, shown],
        at=laid.starts[at][shown_at],
        smoothed=smoothed[0, shown_at],
        knee=None if knees[0] == NO_KNEE else int(laid.starts[at][knees[0]]),
    )
    return _Batch(knees, curves, example)


def _anchors(m: int, *, exact: bool) -> Ints:
    """Return where lowess is fitted, as indices of slopes."""
    return np.arange(m) if exact else _thinned(m, ANCHORS)


def _smoother(laid: Frames, method: Method, at: Ints) -> Smoother:
    m = len(laid.starts)
    x = laid.starts.astype(np.float64)
    if len(at) < m:
        return MatrixLowess(x, method.frac, at)
    return MatrixLowess(x, method.frac) if m <= _MATRIX_UP_TO else GridLowess(m, method.frac)


def _batch_rows(laid: Frames) -> int:
    return min(_BATCH_ROWS, max(1, _BATCH_NUMBERS // max(len(laid.points), len(laid.starts))))


def _thinned(n: int, at_most: int) -> Ints:
    """Return at most so many indices below n, evenly, the first and the last among them."""
    if n <= at_most:
        return np.arange(n, dtype=np.int64)
    return np.round(np.linspace(0, n - 1, at_most)).astype(np.int64)

"""What of a run's noise stays when it is renamed, shifted, stretched, scaled, or cut at its ends.

A shingle is the order by size of `WIDTH` consecutive numbers: of the changes of a meter's power, of the gaps
between the pieces of one answer, of the pauses of the client between two answers. Shifting, stretching and
scaling change no order, nor does a constant that is taken off. Of independent noise each of the 16! (2·10¹³)
orders is as likely as any other. Numbers of which two are equal are no noise (a clock of ticks, a gauge of
whole watts, a simulated engine) and give no shingle, nor do stretches that hardly turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from joulemark.board.judging.power_course import headline_timelines
from joulemark.metrics.run_view import RunView
from joulemark.record.item import Item

Hashes = NDArray[np.uint64]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WIDTH = 16
"""Ranks of four bits each fill a word of 64."""
LEAST_TURNS = 6
"""Of 14 that are possible; noise has 9.3 ± 1.6 (2 (n − 2) / 3, variance (16 n − 29) / 90: Kendall's test of
turning points). A stretch with fewer rises or falls, and its order tells of the load and not of the run."""
SAME_TIME_NS = 1_000_000_000
"""Streams of one batch advance together, so the same order at the same time is one event seen twice."""
_BLOCK = 65_536


@dataclass(frozen=True, slots=True)
class Shingles:
    """Hashes of orders, and when each begins (monotonic ns of its segment)."""

    hashes: Hashes
    t_ns: Ints

    def __len__(self) -> int:
        return len(self.hashes)

    def once(self) -> Hashes:
        """Return those that stand in the run at one time alone, each once, ascending."""
        values, _, is_once = self._times()
        return values[is_once]

    def repeated_share(self) -> float:
        """Return the share of the shingles whose order stands in the run at another time too."""
        _, counts, is_once = self._times()
        return float(counts[~is_once].sum() / len(self)) if len(self) else 0.0

    def _times(self) -> tuple[Hashes, Ints, NDArray[np.bool_]]:
        """Return the hashes, how often each stands, and whether that is at one time alone."""
        order = np.lexsort((self.t_ns, self.hashes))
        hashes, t_ns = self.hashes[order], self.t_ns[order]
        values, first, counts = np.unique(hashes, return_index=True, return_counts=True)
        apart = t_ns[first + counts - 1] - t_ns[first] if len(values) else t_ns
        return values, counts, apart <= SAME_TIME_NS


def power_shingles(view: RunView) -> Shingles:
    """Return those of the headline's meters; what a meter repeats until it knows better counts once."""
    found = []
    for one in headline_timelines(view):
        known = np.flatnonzero(np.isfinite(one.power_w))
        changed = known[np.flatnonzero(np.diff(one.power_w[known], prepend=np.nan) != 0)]
        found.append(_shingles(np.diff(one.power_w[changed]), one.t_ns[changed], 1))
    return _joined(found)


def answer_shingles(view: RunView) -> Shingles:
    """Return those of the gaps within answers; pieces that came in one read count once."""
    stamps: list[int] = []
    ends: list[int] = []
    for item in view.measured_items:
        told = [chunk.t_ns for chunk in view.chunks.get(item.key, ()) if not chunk.coalesced]
        if len(told) > WIDTH:
            stamps += told
            ends.append(len(stamps) - 1)
    t_ns = np.array(stamps, np.int64)
    gaps = np.diff(t_ns).astype(np.float64)
    gaps[ends[:-1]] = np.nan  # between two answers: what is no number is in no shingle
    return _shingles(gaps, t_ns, 2)


def pause_shingles(view: RunView) -> Shingles:
    """Return those of the pauses between an answer's end and the next request, of requests one at a time."""
    if view.manifest.load.mode != "sequential":
        return _joined(())
    segments: dict[int, list[Item]] = {}
    for item in view.measured_items:
        segments.setdefault(item.segment, []).append(item)
    return _joined(_pauses(sorted(items, key=lambda item: item.t_begin)) for items in segments.values())


def _pauses(ordered: Sequence[Item]) -> Shingles:
    pauses = [after.t_begin - before.t_end for before, after in pairwise(ordered)]
    ends = np.array([item.t_end for item in ordered], np.int64)
    return _shingles(np.array(pauses, np.float64), ends, 3)


def _shingles(values: Floats, t_ns: Ints, feature: int) -> Shingles:
    """Return the order of every `WIDTH` consecutive values; ``feature`` keeps kinds apart.

    ``t_ns``: when each value begins; there may be more of them.
    """
    blocks = range(0, len(values) - WIDTH + 1, _BLOCK)
    return _joined(
        _of_block(values[at : at + _BLOCK + WIDTH - 1], t_ns[at : at + _BLOCK], feature) for at in blocks
    )


def _of_block(values: Floats, t_ns: Ints, feature: int) -> Shingles:
    windows = np.lib.stride_tricks.sliding_window_view(values, WIDTH)
    order = np.argsort(windows, axis=1, kind="stable")
    in_order = np.take_along_axis(windows, order, axis=1)
    turns = (np.diff(np.sign(np.diff(windows, axis=1)), axis=1) != 0).sum(axis=1)
    kept = np.all(np.diff(in_order, axis=1) > 0, axis=1) & (turns >= LEAST_TURNS)
    places = order[kept].astype(np.uint64)
    packed = np.zeros(len(places), np.uint64)
    for column in range(WIDTH):
        packed = (packed << np.uint64(4)) | places[:, column]
    return Shingles(_mixed(packed ^ np.uint64(feature << 56)), t_ns[: len(windows)][kept])


def _mixed(words: Hashes) -> Hashes:
    """Spread words evenly (the finalizer of SplitMix64), so that the smallest are a fair sample."""
    with np.errstate(over="ignore"):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _joined(parts: Iterable[Shingles]) -> Shingles:
    found = list(parts)
    if not found:
        return Shingles(np.zeros(0, np.uint64), np.zeros(0, np.int64))
    return Shingles(
        np.concatenate([part.hashes for part in found]), np.concatenate([part.t_ns for part in found])
    )

"""Measured windows in slices, and what each request did in each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.request_work import Request, Work
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.record.span import Span

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_BLOCKS = 400
MIN_BLOCK_S = 1.0
TIME, STEPS, PROMPT, OUTPUT, CONTEXT = range(5)
"""The columns of a request's work: seconds, steps of the engine, prompt tokens, output tokens after the
first, and tokens of context read for them; of the first two a request has its equal part."""


@dataclass(frozen=True, slots=True)
class WorkSlices:
    """Slices of one segment, in order of time; ``idle`` bool[n] tells those without a request in flight.

    ``block`` int64[n] is the place of the block that a slice belongs to.
    """

    parts: tuple[Span, ...]
    idle: NDArray[np.bool_]
    block: Ints

    @property
    def t0(self) -> Ints:
        """Where the slices begin, int64[n]."""
        return np.array([part.t0 for part in self.parts], np.int64)

    @property
    def t1(self) -> Ints:
        """Where they end, int64[n]."""
        return np.array([part.t1 for part in self.parts], np.int64)


@dataclass(frozen=True, slots=True)
class RequestSlices:
    """What one request did: ``columns`` float64[m, 5] in the slices at ``places`` int64[m]."""

    request: Request
    places: Ints
    columns: Floats


def work_slices(segment: SegmentLoad, windows: Sequence[Span], least_s: float = 0.0) -> WorkSlices:
    """Cut measured windows of a segment into blocks, and these where requests begin or cease to be there.

    A block lasts ``least_s`` seconds or more, where the window does.
    """
    length_s = sum(part.t1 - part.t0 for part in windows) * 1e-9
    wanted_s = max(MIN_BLOCK_S, length_s / MAX_BLOCKS, least_s)
    curve = segment.in_flight
    was_idle = np.concatenate([[True], curve.value[:-1] == 0])
    changes = curve.t_ns[was_idle != (curve.value == 0)]
    parts: list[Span] = []
    blocks: list[int] = []
    before = 0
    for part in sorted(windows):
        n = max(1, int((part.t1 - part.t0) * 1e-9 / wanted_s))
        grid = np.linspace(part.t0, part.t1, n + 1).astype(np.int64)
        inside = changes[(changes > part.t0) & (changes < part.t1)]
        edges = np.unique(np.concatenate([grid, inside]))
        parts += [Span(part.segment, a, b) for a, b in pairwise(edges.tolist())]
        blocks += (np.searchsorted(grid, edges[:-1], "right") - 1 + before).tolist()
        before += n
    begins = np.array([part.t0 for part in parts], np.int64)
    return WorkSlices(tuple(parts), curve.at(begins) == 0, np.array(blocks, np.int64))


def sliced_work(work: Work, slices: WorkSlices) -> tuple[RequestSlices, ...]:
    """Return what each request did in the slices, of those that were in flight in any.

    Requests that decode in the same slice take as many steps together as one of them gets tokens: the steps
    are their tokens over their number.
    """
    t0, t1 = slices.t0, slices.t1
    if not len(t0):
        return ()
    decoding = work.decoding.area(t1) - work.decoding.area(t0)
    together = np.maximum(decoding / ((t1 - t0) * 1e-9), 1.0)
    found = []
    for request in work.requests:
        if request.item.t_end <= t0[0] or request.item.t_begin >= t1[-1]:
            continue
        first, last = np.searchsorted(t1, request.begin_ns), np.searchsorted(t0, request.end_ns, "right")
        places = np.arange(first, last)
        a, b = (np.clip(t[places], request.begin_ns, request.end_ns) for t in (t0, t1))
        before, after = request.made_until(a), request.made_until(b)
        made = after - before
        read = made * float(request.item.prompt_tokens or 0) + (after**2 - before**2) / 2
        time_s = work.shared_until(b) - work.shared_until(a)
        prompt = request.prompt_until(b) - request.prompt_until(a)
        columns = np.column_stack([time_s, made / together[places], prompt, made, read])
        found.append(RequestSlices(request, places, columns))
    return tuple(found)


def summed(done: Sequence[RequestSlices], n: int) -> Floats:
    """Return what all requests together did in each of ``n`` slices: float64[n, 5]."""
    sums = np.zeros((n, 5))
    for one in done:
        sums[one.places] += one.columns
    return sums

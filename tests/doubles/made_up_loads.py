"""Loads made up by hand: requests with given times, for what no server needs to be simulated."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from doubles.run_views import T0, S, item
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.record.item import Chunk, Item
from joulemark.record.span import Span


def request(
    index: int,
    start_s: float,
    end_s: float,
    *,
    first_s: float | None = None,
    tokens: int = 20,
    phase: str = "measure",
    **fields: object,
) -> Item:
    """Return a request sent ``start_s`` after `T0` that ends at ``end_s``, its first token at ``first_s``."""
    first = start_s + 0.1 * (end_s - start_s) if first_s is None else first_s
    return item(
        index,
        start_s=start_s,
        first_s=first - start_s,
        end_s=end_s - start_s,
        tokens=tokens,
        phase=phase,
        **fields,
    )


def stream(one: Item) -> tuple[Chunk, ...]:
    """Return a request's tokens one by one, evenly from its first token to its end."""
    assert one.t_first is not None
    stamps = np.linspace(one.t_first, one.t_end, one.completion_tokens or 0).astype(np.int64)
    return tuple(Chunk(t, 1, False) for t in stamps.tolist())


def load_of(items: Sequence[Item], gauges=()) -> SegmentLoad:
    """Return the requests as one segment's load, each streamed evenly."""
    return SegmentLoad.of(0, items, {one.key: stream(one) for one in items if one.t_first}, gauges)


def closed_loop(
    concurrency: int,
    n: int,
    seconds,
    *,
    lead: int = 0,
    tokens: int = 60,
    gap_s: float = 0.001,
) -> list[Item]:
    """Return ``lead`` + ``n`` requests of a loop; ``seconds(index)`` is how long one takes."""
    free = [0.0] * concurrency
    found = []
    for index in range(lead + n):
        place = int(np.argmin(free))
        start = free[place]
        free[place] = start + seconds(index) + gap_s
        phase = "warmup" if index < lead else "measure"
        found.append(request(index, start, start + seconds(index), tokens=tokens, phase=phase))
    return found


def window_of(items: Sequence[Item]) -> Span:
    """Return the measured window: from the first request that counts to the last end."""
    counted = [one for one in items if one.phase == "measure"]
    return Span(0, min(one.t_begin for one in counted), max(one.t_end for one in items))


def at(seconds: float) -> int:
    """Return an instant in monotonic ns."""
    return T0 + round(seconds * S)


def without_stream(one: Item) -> Item:
    """Return a request whose answer came in one piece."""
    return dataclasses.replace(one, t_first=None, t_first_answer=None, streamed=False)

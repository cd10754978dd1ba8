"""When a loaded engine worked on which request: prompts in turn, output as it came (ADR 11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.foreign_load import foreign_load
from joulemark.metrics.latency import answered_items
from joulemark.metrics.occupancy import Occupancy
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.metrics.token_course import output_pieces
from joulemark.record.energy import Withheld
from joulemark.record.item import Item, Phase
from joulemark.record.reason import Reason

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

CUT_OFF_SHARE = 0.01  # of the requests may have failed half way: their prompts are counted by no one
SAME_STEP_NS = 1_000_000  # first tokens closer than this came out of one step of the engine


@dataclass(frozen=True, slots=True)
class Request:
    """A request as work: at work from ``begin_ns`` to ``end_ns``.

    ``prompt`` uncached tokens are taken up evenly from ``begin_ns`` to ``first_ns``; ``made_ns`` and ``made``
    are knots of the output tokens after the first one (both of the same length, ascending).
    """

    item: Item
    begin_ns: int
    first_ns: int
    end_ns: int
    prompt: float
    made_ns: Ints
    made: Floats

    def prompt_until(self, t_ns: Ints) -> Floats:
        """Return the prompt tokens taken up until each instant."""
        if self.first_ns <= self.begin_ns:
            return np.where(t_ns >= self.first_ns, self.prompt, 0.0)
        share = (t_ns - self.begin_ns) / (self.first_ns - self.begin_ns)
        return np.asarray(self.prompt * np.clip(share, 0.0, 1.0), np.float64)

    def made_until(self, t_ns: Ints) -> Floats:
        """Return the output tokens after the first made until each instant."""
        if not len(self.made):
            return np.zeros(len(t_ns))
        made = np.interp(t_ns - self.begin_ns, self.made_ns - self.begin_ns, self.made, left=0.0)
        return np.asarray(made, np.float64)


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a segment: its requests, and how many of them were ``decoding`` when.

    ``knots_ns`` are the instants between which as many are at work; until each, every one of them has had
    ``shared_s`` seconds for itself, were time shared out equally.
    """

    requests: tuple[Request, ...]
    decoding: Occupancy
    knots_ns: Ints
    shared_s: Floats

    def shared_until(self, t_ns: Ints) -> Floats:
        """Return the seconds that one request would have had for itself until each instant."""
        if not len(self.knots_ns):
            return np.zeros(len(t_ns))
        origin = self.knots_ns[0]
        return np.asarray(np.interp(t_ns - origin, self.knots_ns - origin, self.shared_s), np.float64)


def work_of(segment: SegmentLoad) -> Work | Withheld:
    """Return the work of a segment's requests, or why it cannot be told."""
    if not segment.items:
        return _shared(())
    foreign = foreign_load(segment, segment.items[0].t_begin, max(item.t_end for item in segment.items))
    if foreign is not None:
        return foreign
    answered = [item for item in answered_items(segment.items) if item.phase != Phase.ABANDONED]
    lost = sum(item.t_first is None for item in answered)
    if lost:
        told = f"{lost} of {len(segment.items)} requests have no time of a first token."
        return Withheld(Reason.NOT_STREAMED, told)
    unknown = [i for i in segment.items if i.prompt_tokens is None and i.t_first is not None]
    if len(unknown) > CUT_OFF_SHARE * len(segment.items) or not all(i.failed for i in unknown):
        told = f"{len(unknown)} of {len(segment.items)} requests have no count of prompt tokens."
        return Withheld(Reason.NOT_REPORTED, told)
    if isinstance(segment.tokens, Withheld):
        return segment.tokens
    began = _taken_up(segment.items)
    requests = tuple(_request(item, began.get(place), segment) for place, item in enumerate(segment.items))
    return _shared(requests)


def _taken_up(items: Sequence[Item]) -> dict[int, int]:
    """Return, by the place of its item, when the engine turned to a prompt: after those served before it."""
    order = sorted((item.t_first, place) for place, item in enumerate(items) if item.t_first is not None)
    found: dict[int, int] = {}
    before: int | None = None  # the last first token of the step before this one
    last: int | None = None
    for t_first, place in order:
        if last is None or t_first - last > SAME_STEP_NS:
            before = last
        last = t_first
        sent = items[place].t_sent
        found[place] = min(t_first, sent if before is None else max(sent, before))
    return found


def _request(item: Item, began_ns: int | None, segment: SegmentLoad) -> Request:
    if began_ns is None or item.t_first is None:  # nothing came back: it took a place, and that is all
        nothing = np.empty(0, np.int64)
        return Request(item, item.t_begin, item.t_end, item.t_end, 0.0, nothing, np.empty(0))
    prompt = max(0, (item.prompt_tokens or 0) - (item.cached_tokens or 0))
    pieces = output_pieces(item, segment.chunks.get(item.key, ())) or []
    made_ns = np.array([end for _, end, _ in pieces], np.int64)
    made = np.maximum(np.cumsum([n for _, _, n in pieces]) - 1.0, 0.0)
    return Request(item, began_ns, item.t_first, item.t_end, float(prompt), made_ns, made)


def _shared(requests: tuple[Request, ...]) -> Work:
    at_work = Occupancy.of_intervals((r.begin_ns for r in requests), (r.end_ns for r in requests))
    decoding = Occupancy.of_intervals((r.first_ns for r in requests), (r.end_ns for r in requests))
    n = at_work.value[:-1]
    each_s = np.where(n > 0, np.diff(at_work.t_ns) * 1e-9 / np.maximum(n, 1.0), 0.0)
    return Work(requests, decoding, at_work.t_ns, np.concatenate([[0.0], np.cumsum(each_s)]))

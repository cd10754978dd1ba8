"""Whether others used the engine beside this client: what the engine says of itself against what was asked.

The rule stands in ``docs/adr/0011-steady-state.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from joulemark.metrics.latency import answered_items
from joulemark.metrics.segment_load import MIN_GAUGE_READINGS, SegmentLoad
from joulemark.metrics.token_course import tokens_made
from joulemark.record.energy import Withheld
from joulemark.record.item import CLOSED, Item, Phase
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity
from joulemark.record.window_name import WindowName

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView

MORE_REQUESTS = (0.03, 0.5)  # of those in flight, and requests
MORE_TOKENS = 0.05
BEYOND_SE = 3.0  # a gauge that lags differs by chance where the load comes by chance
EDGE_NS = 500_000_000  # what is counted this long before or after the client saw it
_WATCHED = (Quantity.REQUESTS_RUNNING, Quantity.GENERATION_TOKENS, Quantity.PROMPT_TOKENS)
_NEVER_BEGUN = frozenset({CLOSED, "refused", "dns", "tls"})
_TURNED_AWAY = "http_"


class _Rise(NamedTuple):
    """By how much a counter rose, and from when to when ours may have been counted in it."""

    begin_ns: int
    end_ns: int
    tokens: float


def is_watched(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> bool:
    """Tell whether the engine was asked for its requests or tokens often enough in the stretch."""
    return any(segment.gauge(one.value, t0_ns, t1_ns) is not None for one in _WATCHED)


def foreign_load(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> Withheld | None:
    """Return how much more the engine had to do in the stretch than it was asked; null: nothing was seen."""
    return (
        _requests(segment, t0_ns, t1_ns)
        or _generated(segment, t0_ns, t1_ns)
        or _prompts(segment, t0_ns, t1_ns)
    )


def foreign_in(run: RunView) -> Withheld | None:
    """Return why a run's joules are not its own alone; of one with a steady window the window was looked at.

    Of a sequential run, and of one without a steady state, it is the measured windows.
    """
    window = run.steady.window
    if not isinstance(window, Withheld):
        return None
    if window.reason is Reason.FOREIGN_LOAD:
        return window
    found = (foreign_load(load, t0_ns, t1_ns) for load, t0_ns, t1_ns in measured_loads(run))
    return next(filter(None, found), None)


def measured_loads(run: RunView) -> list[tuple[SegmentLoad, int, int]]:
    """Return the measured windows, from when to when, each with the requests of its segment."""
    closed = [(w.segment, w.t0, w.t1) for w in run.manifest.windows if w.name == WindowName.MEASURE]
    loads = {s: SegmentLoad.of(s, run.items, run.chunks, run.engine_gauges) for s, _, _ in closed}
    return [(loads[segment], t0, t1) for segment, t0, t1 in closed if t1 is not None]


def _requests(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> Withheld | None:
    """Compare the requests in the engine with those that it was asked, where it was read while any were."""
    running = segment.running(t0_ns, t1_ns)
    if running is None:
        return None
    t_ns = running.t_ns[(running.t_ns >= t0_ns) & (running.t_ns <= t1_ns)]
    own = segment.being_tried.at(t_ns)
    t_ns, own = t_ns[own > 0], own[own > 0]  # some engines do not renew the gauge while they idle
    if len(t_ns) < MIN_GAUGE_READINGS:
        return None
    waiting = segment.gauge(Quantity.REQUESTS_WAITING.value, t0_ns, t1_ns)
    seen = running.at(t_ns) + (0.0 if waiting is None else waiting.at(t_ns))
    more = seen - own
    share, requests = MORE_REQUESTS
    by_chance = BEYOND_SE * float(more.std(ddof=1)) / len(more) ** 0.5
    if more.mean() <= max(share * float(own.mean()) + requests, by_chance):
        return None
    return Withheld(
        Reason.FOREIGN_LOAD,
        f"The engine had {seen.mean():.1f} requests in its batch or waiting, {own.mean():.1f} of them ours.",
    )


def _generated(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> Withheld | None:
    """Compare the tokens that the engine made with ours: as they were made, and at their answers' ends."""
    rise = _rise(segment, Quantity.GENERATION_TOKENS, t0_ns, t1_ns)
    course = segment.tokens
    if rise is None or isinstance(course, Withheld):
        return None
    begin, end, _ = rise
    made = float(course.between(np.array([begin, end], np.int64))[0])
    whole = [(i, tokens_made(i, segment.chunks.get(i.key, ())) or 0.0) for i in segment.items]
    ended = sum(tokens for item, tokens in whole if begin < item.t_end <= end)
    longest = max((tokens for _, tokens in whole), default=0.0)
    return _beyond(rise, max(made, ended) + len(_lost(segment, rise)) * longest, "generated {} tokens")


def _prompts(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> Withheld | None:
    """Compare the prompts that the engine read with ours, cached tokens included.

    Engines count a prompt when it comes, when its first token is there or when its answer ends.
    """
    rise = _rise(segment, Quantity.PROMPT_TOKENS, t0_ns, t1_ns)
    lengths = {
        item.key: float(item.prompt_tokens) for item in segment.items if item.prompt_tokens is not None
    }
    answered = [item for item in answered_items(segment.items) if item.phase != Phase.ABANDONED]
    if rise is None or not lengths or any(item.key not in lengths for item in answered):
        return None
    known = [item for item in segment.items if item.key in lengths]

    def read(stamps: list[int]) -> float:
        inside = zip(known, stamps, strict=True)
        return sum(lengths[item.key] for item, t_ns in inside if rise.begin_ns < t_ns <= rise.end_ns)

    ours = max(
        read([item.t_sent for item in known]),
        read([item.t_end if item.t_first is None else item.t_first for item in known]),
        read([item.t_end for item in known]),
    )
    longest = max(lengths.values())
    lost = sum(lengths.get(item.key, longest) for item in _lost(segment, rise))
    return _beyond(rise, ours + lost, "read {} prompt tokens")


def _rise(segment: SegmentLoad, quantity: Quantity, t0_ns: int, t1_ns: int) -> _Rise | None:
    """Return by how much a counter rose; null where it was read too seldom, or fell with a new start."""
    counter = segment.gauge(quantity.value, t0_ns, t1_ns)
    if counter is None:
        return None
    inside = (counter.t_ns >= t0_ns) & (counter.t_ns <= t1_ns)
    counted = counter.value[inside]
    if np.any(np.diff(counted) < 0):
        return None
    begin, *_, end = counter.t_ns[inside].tolist()
    return _Rise(begin - EDGE_NS, end + EDGE_NS, float(counted[-1] - counted[0]))


def _beyond(rise: _Rise, ours: float, did: str) -> Withheld | None:
    if rise.tokens <= (1 + MORE_TOKENS) * ours:
        return None
    told = f"The engine {did.format(f'{rise.tokens:,.0f}')}, and at most {ours:,.0f} were ours."
    return Withheld(Reason.FOREIGN_LOAD, told)


def _lost(segment: SegmentLoad, rise: _Rise) -> list[Item]:
    """Return the requests of tries that brought no whole answer and may have been worked on, each try once.

    Where a try was turned away by status, or never reached the engine, nothing was counted of it.
    """
    found: list[Item] = []
    for item in segment.items:
        tries = [(one.t_sent, one.t_end) for one in item.attempts if _may_have_begun(one.error)]
        if item.phase == Phase.ABANDONED:
            tries.append((item.t_sent, item.t_end))
        found += [item for t0, t1 in tries if t0 <= rise.end_ns and t1 > rise.begin_ns]
    return found


def _may_have_begun(error: str | None) -> bool:
    return error is not None and error not in _NEVER_BEGUN and not error.startswith(_TURNED_AWAY)

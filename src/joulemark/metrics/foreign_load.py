"""Whether others used the engine beside this client: what the engine says of itself against what was asked.

The rule stands in ``docs/adr/0011-steady-state.md``.
"""

from __future__ import annotations

import numpy as np

from joulemark.metrics.segment_load import MIN_GAUGE_READINGS, SegmentLoad
from joulemark.metrics.token_course import tokens_made
from joulemark.record.energy import Withheld
from joulemark.record.item import Phase
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity

MORE_REQUESTS = (0.03, 0.5)  # of those in flight, and requests
MORE_TOKENS = 0.05
BEYOND_SE = 3.0  # a gauge that lags differs by chance where the load comes by chance
EDGE_NS = 500_000_000  # what is counted this long before or after the client saw it


def is_watched(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> bool:
    """Tell whether the engine was asked for its requests or tokens often enough in the stretch."""
    shown = (Quantity.REQUESTS_RUNNING, Quantity.GENERATION_TOKENS)
    return any(segment.gauge(one.value, t0_ns, t1_ns) is not None for one in shown)


def foreign_load(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> Withheld | None:
    """Return how much more the engine had to do in the stretch than it was asked; null: nothing was seen."""
    return _requests(segment, t0_ns, t1_ns) or _tokens(segment, t0_ns, t1_ns)


def _requests(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> Withheld | None:
    """Compare the requests in the engine with those in flight, where it was read while any were."""
    running = segment.running(t0_ns, t1_ns)
    if running is None:
        return None
    t_ns = running.t_ns[(running.t_ns >= t0_ns) & (running.t_ns <= t1_ns)]
    own = segment.in_flight.at(t_ns)
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


def _tokens(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> Withheld | None:
    """Compare the tokens that the engine counted with ours: as they were made, and at their answers' ends."""
    counter = segment.gauge(Quantity.GENERATION_TOKENS.value, t0_ns, t1_ns)
    course = segment.tokens
    if counter is None or isinstance(course, Withheld):
        return None
    inside = (counter.t_ns >= t0_ns) & (counter.t_ns <= t1_ns)
    counted = counter.value[inside]
    if np.any(np.diff(counted) < 0):
        return None  # the engine was started anew
    begin, *_, end = counter.t_ns[inside].tolist()
    begin, end = begin - EDGE_NS, end + EDGE_NS
    made = float(course.between(np.array([begin, end], np.int64))[0])
    whole = [(i, tokens_made(i, segment.chunks.get(i.key, ())) or 0.0) for i in segment.items]
    ended = sum(tokens for item, tokens in whole if begin < item.t_end <= end)
    ours = max(made, ended) + _lost(segment, end) * max((tokens for _, tokens in whole), default=0.0)
    rise = float(counted[-1] - counted[0])
    if rise <= (1 + MORE_TOKENS) * ours:
        return None
    return Withheld(
        Reason.FOREIGN_LOAD, f"The engine generated {rise:,.0f} tokens, and at most {ours:,.0f} were ours."
    )


def _lost(segment: SegmentLoad, until_ns: int) -> int:
    """Count the tries that failed or were cut off: the engine may have counted an answer of each."""
    failed = (t.t_sent for item in segment.items for t in item.attempts if t.error is not None)
    cut_off = (item.t_begin for item in segment.items if item.phase == Phase.ABANDONED)
    return sum(t_ns <= until_ns for t_ns in (*failed, *cut_off))

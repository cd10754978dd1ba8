"""Whether an engine's page tells of less than was asked of it: then it is another's, a part of it, or stale.

The rule stands in ``docs/adr/0011-steady-state.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from joulemark.metrics.counter_rise import EDGE_NS, Curve, Floats, Ints, Rise, counted, rise_in
from joulemark.metrics.foreign_load import measured_loads
from joulemark.metrics.latency import answered_items
from joulemark.metrics.occupancy import Occupancy
from joulemark.metrics.segment_load import MIN_GAUGE_READINGS, SegmentLoad
from joulemark.metrics.token_course import tokens_made
from joulemark.record.energy import Withheld
from joulemark.record.item import Item, Phase
from joulemark.record.telemetry import Quantity

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView

LESS_TOKENS = 0.05
LESS_REQUESTS = (0.3, 0.5)  # of those in flight, and requests: some are on their way, or between two queues


def page_doubt(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> str:
    """Say how much less the page tells than was asked in the stretch; "" where it may be the engine's."""
    return _generated(segment, t0_ns, t1_ns) or _requests(segment, t0_ns, t1_ns)


def doubt_in(run: RunView) -> str:
    """Say the same of a run: of its steady window, and of its measured ones."""
    if not run.engine_gauges:
        return ""
    window, load = run.steady.window, run.steady.load
    if not isinstance(window, Withheld) and load is not None:
        found = page_doubt(load, window.part.t0, window.part.t1)
        if found:
            return found
    measured = measured_loads(run.manifest, run.loads)
    return next(filter(None, (page_doubt(*one) for one in measured)), "")


def _answered(segment: SegmentLoad) -> list[Item]:
    return [item for item in answered_items(segment.items) if item.phase != Phase.ABANDONED]


def _generated(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> str:
    """Compare the tokens of our answers with the engine's, by the way of counting that finds fewest of ours.

    Half a second at each edge is left out, for what is counted late may fall on either side. Room is left for
    the longest answer, and for one token of each: some engines do not count the first.
    """
    rise = rise_in(segment, Quantity.GENERATION_TOKENS, t0_ns, t1_ns)
    course = segment.tokens
    if rise is None or isinstance(course, Withheld):
        return ""
    whole = [(i.t_end, tokens_made(i, segment.chunks.get(i.key, ())) or 0.0) for i in _answered(segment)]
    if not whole:
        return ""
    longest = max(tokens for _, tokens in whole)
    ended = counted([(t_ns, 1.0) for t_ns, _ in whole])
    curves = [course.until, counted(whole)]
    ours, answers = _least(curves, rise.t_ns[[0, -1]]), _least([ended], rise.t_ns[[0, -1]])
    rose = float(rise.value[-1] - rise.value[0])
    if rose < (1 - LESS_TOKENS) * ours - answers - longest:
        return (
            f"It counted {rose:,.0f} generated tokens, and at least {ours:,.0f} were made for this run alone."
        )
    room = max(LESS_TOKENS * ours, 2 * longest)
    still = max((_least(curves, edges) for edges in _still(rise)), default=0.0)
    if still > room:
        return f"Its count of generated tokens stood still while {still:,.0f} tokens were made for this run."
    return ""


def _least(curves: Sequence[Curve], edges: Ints) -> float:
    """Return our tokens between two instants, by the curve that has fewest, half a second inside of them."""
    inside = edges + np.array([EDGE_NS, -EDGE_NS], np.int64)
    if inside[1] <= inside[0]:
        return 0.0
    return max(0.0, min(float(np.diff(curve(inside))[0]) for curve in curves))


def _still(rise: Rise) -> list[Ints]:
    """Return the stretches in which a counter stood still: the first and the last instant of each."""
    moved = np.flatnonzero(np.diff(rise.value) > 0)
    first = np.concatenate([[0], moved + 1])
    last = np.concatenate([moved, [len(rise.value) - 1]])
    return [rise.t_ns[[a, b]] for a, b in zip(first.tolist(), last.tolist(), strict=True) if b > a]


def _requests(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> str:
    """Compare the requests in the engine with those that it answered, where it tells of its queue, too."""
    running = segment.running(t0_ns, t1_ns)
    waiting = segment.gauge(Quantity.REQUESTS_WAITING.value, t0_ns, t1_ns)
    answered = _answered(segment)
    if running is None or waiting is None or not answered:
        return ""
    own_of = Occupancy.of_intervals((one.t_sent for one in answered), (one.t_end for one in answered))
    t_ns = running.t_ns[(running.t_ns >= t0_ns) & (running.t_ns <= t1_ns)]
    own: Floats = own_of.at(t_ns)
    t_ns, own = t_ns[own > 0], own[own > 0]
    if len(t_ns) < MIN_GAUGE_READINGS:
        return ""
    seen, ours = float((running.at(t_ns) + waiting.at(t_ns)).mean()), float(own.mean())
    share, requests = LESS_REQUESTS
    if seen >= (1 - share) * ours - requests:
        return ""
    return (
        f"It had {seen:.1f} requests in its batch or waiting, and {ours:.1f} of this run alone were at work."
    )

"""Whether others used the engine beside this client: what the engine says of itself against what was asked.

The rule stands in ``docs/adr/0011-steady-state.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from joulemark.metrics.counter_rise import Curve, Floats, Rise, counted, rise_in
from joulemark.metrics.latency import answered_items
from joulemark.metrics.segment_load import MIN_GAUGE_READINGS, SegmentLoad
from joulemark.metrics.segment_loads import SegmentLoads
from joulemark.metrics.token_course import tokens_made
from joulemark.record.energy import Withheld
from joulemark.record.item import CLOSED, Item, Phase
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity
from joulemark.record.window_name import WindowName

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView
    from joulemark.metrics.steady_state import SteadyWindow
    from joulemark.record.manifest import Manifest

MORE_REQUESTS = (0.03, 0.5)  # of those in flight, and requests
MORE_TOKENS = 0.05
BEYOND_SE = 3.0  # a gauge that lags differs by chance where the load comes by chance
_WATCHED = (Quantity.REQUESTS_RUNNING, Quantity.GENERATION_TOKENS, Quantity.PROMPT_TOKENS)
_NEVER_BEGUN = frozenset({CLOSED, "refused", "dns", "tls"})
_TURNED_AWAY = "http_"


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


def foreign_beside(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> Withheld | None:
    """Return what others had of the engine in the stretch, or in the segment that it is part of.

    Over all of its segment nothing of ours is cut by an edge, so there the least is seen.
    """
    found = foreign_load(segment, t0_ns, t1_ns)
    if found is not None or not segment.items:
        return found
    return foreign_load(segment, segment.items[0].t_begin, max(item.t_end for item in segment.items))


def foreign_in(run: RunView) -> Withheld | None:
    """Return why a run's joules are not its own alone."""
    return foreign_of(run.steady.window, measured_loads(run.manifest, run.loads))


def foreign_of(
    window: SteadyWindow | Withheld, measured: Sequence[tuple[SegmentLoad, int, int]]
) -> Withheld | None:
    """Return what others had of the engine: of a run with a steady ``window`` nothing, for it was looked at.

    Of a sequential run, and of one without a steady state, the ``measured`` windows tell.
    """
    if not isinstance(window, Withheld):
        return None
    if window.reason is Reason.FOREIGN_LOAD:
        return window
    return next(filter(None, (foreign_beside(*one) for one in measured)), None)


def measured_loads(manifest: Manifest, loads: SegmentLoads) -> list[tuple[SegmentLoad, int, int]]:
    """Return the measured windows, from when to when, each with the requests of its segment."""
    closed = [(w.segment, w.t0, w.t1) for w in manifest.windows if w.name == WindowName.MEASURE]
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
    rise = rise_in(segment, Quantity.GENERATION_TOKENS, t0_ns, t1_ns)
    course = segment.tokens
    if rise is None or isinstance(course, Withheld):
        return None
    whole = [(i.t_end, tokens_made(i, segment.chunks.get(i.key, ())) or 0.0) for i in segment.items]
    longest = max((tokens for _, tokens in whole), default=0.0)
    ours = [course.until, counted(whole)]
    return _beyond(rise, ours, longest, len(_lost(segment, rise)) * longest, "generated {} tokens")


def _prompts(segment: SegmentLoad, t0_ns: int, t1_ns: int) -> Withheld | None:
    """Compare the prompts that the engine read with ours, cached tokens included.

    Engines count a prompt when it comes, when its first token is there or when its answer ends.
    """
    rise = rise_in(segment, Quantity.PROMPT_TOKENS, t0_ns, t1_ns)
    lengths = {
        item.key: float(item.prompt_tokens) for item in segment.items if item.prompt_tokens is not None
    }
    answered = [item for item in answered_items(segment.items) if item.phase != Phase.ABANDONED]
    if rise is None or not lengths or any(item.key not in lengths for item in answered):
        return None
    known = [(item, lengths[item.key]) for item in segment.items if item.key in lengths]
    ours = [
        counted([(item.t_sent, length) for item, length in known]),
        counted([(item.t_end if item.t_first is None else item.t_first, n) for item, n in known]),
        counted([(item.t_end, length) for item, length in known]),
    ]
    longest = max(lengths.values())
    lost = sum(lengths.get(item.key, longest) for item in _lost(segment, rise))
    return _beyond(rise, ours, longest, lost, "read {} prompt tokens")


def _beyond(rise: Rise, curves: Sequence[Curve], longest: float, lost: float, did: str) -> Withheld | None:
    """Compare a counter's rise with ours by each way of counting: the one that explains most of it counts.

    From edge to edge ours are those that may be in it, as what is counted late may fall on either side. Along
    the readings that cancels, for late is late everywhere: a line through what is more than ours tells finer.
    """
    rose = float(rise.value[-1] - rise.value[0])
    edges = np.array([rise.begin_ns, rise.end_ns], np.int64)
    ours = max(float(np.diff(curve(edges))[0]) for curve in curves) + lost
    if rose > (1 + MORE_TOKENS) * ours:
        told = f"The engine {did.format(f'{rose:,.0f}')}, and at most {ours:,.0f} were ours."
        return Withheld(Reason.FOREIGN_LOAD, told)
    grown = [_grown(rise, curve(rise.t_ns), longest, lost) for curve in curves]
    if min(grown) <= 0:
        return None
    told = f"The engine {did.format(f'{rose:,.0f}')}, and about {min(grown):,.0f} of them were not ours."
    return Withheld(Reason.FOREIGN_LOAD, told)


def _grown(rise: Rise, ours: Floats, longest: float, lost: float) -> float:
    """Return by how many tokens a counter drew away from ours; 0 where that is little, or chance.

    A request at either edge that is counted before or after its reading may tilt the line by its tokens.
    """
    at_s = (rise.t_ns - rise.t_ns[0]) * 1e-9
    from_middle = at_s - at_s.mean()
    more = rise.value - rise.value[0] - (ours - ours[0])
    spread = float(from_middle @ from_middle)
    slope = float(from_middle @ more) / spread
    left = more - more.mean() - slope * from_middle
    error = (float(left @ left) / (len(more) - 2) / spread) ** 0.5
    foreign, by_chance = slope * float(at_s[-1]) - lost, BEYOND_SE * error * float(at_s[-1])
    return foreign if foreign > max(MORE_TOKENS * float(ours[-1] - ours[0]), by_chance, 2 * longest) else 0.0


def _lost(segment: SegmentLoad, rise: Rise) -> list[Item]:
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

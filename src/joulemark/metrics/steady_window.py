"""When a load was steady: the stretch of a segment whose energy is that of a loaded server, or why not.

The rule, what could bias it and the alternatives stand in ``docs/adr/0011-steady-state.md``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from joulemark.metrics.foreign_load import foreign_beside
from joulemark.metrics.occupancy import Floats, Occupancy
from joulemark.metrics.page_doubt import page_doubt
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.metrics.steady_state import NOT_LOADED, Basis, SteadyWindow
from joulemark.metrics.trend import trend_of
from joulemark.record.energy import Withheld
from joulemark.record.item import Phase
from joulemark.record.reason import Reason
from joulemark.record.span import Span

if TYPE_CHECKING:
    from joulemark.record.manifest import Load

AT_LEVEL = 0.95  # of the level counts as reached
HELD_AT: dict[Basis, float] = {"in_flight": 0.95, "running": 0.5, "generating": 0.5}
HELD_SHARE = 0.9
TRIED_SHARE = 0.9  # of those in flight a try is under way; the others wait for their next one
YOUNG_SHARE = 0.05  # of those at work when the level was reached, or of those in flight, may be older
MIN_DURATION_S = 5.0
MIN_REQUESTS = 10
MIN_TOKENS = 200
MIN_TOKENS_A_PLACE = 50
GROWTH_SHARE = 0.5  # of the mean number in flight
GROWTH_BY_CHANCE = 4.0  # standard deviations of what Poisson arrivals differ by, and of the slope's own error
_BLOCKS = (10, 30)

_NOTHING_SENT = "No request was sent in the measured window."


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch that may be steady, and what it was found by."""

    t0: int
    t1: int
    basis: Basis
    level: float
    held_share: float | None


def longest_steady(load: Load, segments: Sequence[tuple[SegmentLoad, Span]]) -> SteadyWindow | Withheld:
    """Return the longest steady stretch among measured windows, each with its segment's load.

    Where there is none the reason is that of the longest window.
    """
    found = [(part, steady_window(load, segment, part)) for segment, part in segments]
    windows = [window for _, window in found if isinstance(window, SteadyWindow)]
    if windows:
        return max(windows, key=lambda window: window.duration_s)
    refused = [(part.t1 - part.t0, why) for part, why in found if isinstance(why, Withheld)]
    return max(refused, key=lambda one: one[0])[1] if refused else NOT_LOADED


def steady_window(load: Load, segment: SegmentLoad, part: Span) -> SteadyWindow | Withheld:
    """Return the steady stretch of a measured window ``part``, or why there is none.

    ``segment`` holds every request of the window's segment.
    """
    if load.mode == "sequential":
        return NOT_LOADED
    if not any(part.t0 <= item.t_begin <= part.t1 and item.phase != Phase.WARMUP for item in segment.items):
        return Withheld(Reason.NOT_STEADY, _NOTHING_SENT)
    unshown = dataclasses.replace(segment, gauges=())
    believed = unshown if page_doubt(segment, part.t0, part.t1) else segment
    stretch = _stretch_of(load, believed, part)
    if believed is segment and isinstance(stretch, _Stretch) and page_doubt(segment, stretch.t0, stretch.t1):
        believed, stretch = unshown, _stretch_of(load, unshown, part)
    if isinstance(stretch, Withheld):
        return stretch
    window = _enough(believed, stretch)
    if isinstance(window, Withheld):
        return window
    # a page that is doubted for what it leaves out may still show what was not ours
    return foreign_beside(segment, stretch.t0, stretch.t1) or window


def _stretch_of(load: Load, segment: SegmentLoad, part: Span) -> _Stretch | Withheld:
    if load.mode == "closed" or load.arrival == "at_once":
        return _held_level(load, segment, part)
    return _stationary(load, segment, part)


def _held_level(load: Load, segment: SegmentLoad, part: Span) -> _Stretch | Withheld:
    """Find the stretch of a closed load at its level, after one turnover and until the last dispatch."""
    at_once = load.arrival == "at_once" and load.mode != "closed"
    stamps = [item.t_first if at_once else item.t_begin for item in segment.items]
    dispatched = [t for t in stamps if t is not None and t <= part.t1]
    if not dispatched or max(dispatched) <= part.t0:
        return Withheld(Reason.NOT_STEADY, _NOTHING_SENT)
    last = max(dispatched)
    curve, basis = _curve(segment, part.t0, last, at_once=at_once)
    level = curve.median(part.t0, last)
    reached = curve.first_at_least(AT_LEVEL * level) if level > 0 else None
    if reached is None:
        return Withheld(Reason.NOT_STEADY, f"No level of {_WORDS[basis]} was reached.")
    renewed = _turnover(segment, reached, level)
    t0 = max(part.t0, renewed)
    if t0 >= last:
        told = f"Of the {level:.0f} {_WORDS[basis]} first, some were at work until {_s(renewed - part.t0)}"
        return Withheld(
            Reason.WINDOW_TOO_SHORT,
            f"{told}, and the last one was dispatched at {_s(last - part.t0)}: nothing is left between."
            " Ask more requests, or let more lead requests come first.",
        )
    if (last - t0) * 1e-9 < MIN_DURATION_S:
        return _too_short(t0, last)
    watched: list[tuple[Occupancy, Basis]] = [(curve, basis)]
    if not at_once and basis != "in_flight":
        watched.append((segment.in_flight, "in_flight"))  # what the client keeps up, whatever the engine does
    held = 1.0
    for one, name in watched:
        middle = level if name == basis else one.median(t0, last)
        share = one.share_at_least(HELD_AT[name] * middle, t0, last)
        held = min(held, share)
        if share < HELD_SHARE:
            return Withheld(
                Reason.NOT_STEADY,
                f"{middle:.0f} {_WORDS[name]} were usual, but for {100 * (1 - share):.0f} % of"
                f" {_s(last - t0)} there were fewer than {HELD_AT[name] * middle:.3g};"
                f" {100 * (1 - HELD_SHARE):.0f} % are allowed.",
            )
    if not at_once and (idle := _waiting_to_try_again(segment, t0, last)):
        return Withheld(Reason.NOT_STEADY, idle)
    changed = _growth(curve, t0, last, len(dispatched))
    if changed is not None:
        return Withheld(Reason.NOT_STEADY, changed.detail)
    return _Stretch(t0, last, basis, level, held)


_WORDS: dict[Basis, str] = {
    "in_flight": "requests in flight",
    "running": "requests in the engine's batch",
    "generating": "requests generating",
}


def _curve(segment: SegmentLoad, t0: int, t1: int, *, at_once: bool) -> tuple[Occupancy, Basis]:
    running = segment.running(t0, t1)
    if running is not None:
        return running, "running"
    return (segment.generating, "generating") if at_once else (segment.in_flight, "in_flight")


def _waiting_to_try_again(segment: SegmentLoad, t0: int, t1: int) -> str:
    """Say how many places of a closed load stood empty between the tries of their requests; "" for few."""
    edges = np.array([t0, t1], np.int64)
    in_flight = float(segment.in_flight.means(edges)[0])
    tried = float(segment.being_tried.means(edges)[0])
    if tried >= TRIED_SHARE * in_flight:
        return ""
    return (
        f"Of {in_flight:.1f} requests in flight {in_flight - tried:.1f} were waiting to try again on average:"
        f" the engine was asked {tried:.1f} at once. {100 * (1 - TRIED_SHARE):.0f} % are allowed. See why it"
        " turns requests away, or ask fewer at once."
    )


def _turnover(segment: SegmentLoad, reached: int, level: float) -> int:
    """Return when all but a few of the requests at work at ``reached`` had ended."""
    there = [item for item in segment.items if item.t_begin <= reached < item.t_end]
    there.sort(key=lambda item: (item.t_first is None, item.t_first or 0, item.t_begin))
    ends = sorted(item.t_end for item in there[: max(1, round(level))])
    left = int(YOUNG_SHARE * len(ends))
    return ends[len(ends) - 1 - left] if ends else reached


def _stationary(load: Load, segment: SegmentLoad, part: Span) -> _Stretch | Withheld:
    """Find the stretch of an open load after its start and up to the last arrival; refuse one that grows."""
    before = [item for item in segment.items if item.phase == Phase.WARMUP]
    lead = before[-load.lead_requests :] if load.lead_requests else []
    sent = [
        *lead,
        *(item for item in segment.items if item.phase != Phase.WARMUP and item.t_begin <= part.t1),
    ]
    begin = [item.t_begin if item.t_scheduled is None else item.t_scheduled for item in sent]
    end = [item.t_end for item in sent]
    first, last = min(begin), max(begin)
    pending = Occupancy.of_intervals(begin, end)
    tau_ns = _older_than(np.array(end, np.float64) - np.array(begin, np.float64))
    risen = first + round((load.ramp_s or 0.0) * 1e9)
    settled = max(part.t0, risen + tau_ns)
    looked_at = max(part.t0, min(settled, first + (last - first) // 4))
    if looked_at >= last:
        return Withheld(Reason.WINDOW_TOO_SHORT, "All requests arrived before the load had settled.")
    grown = _growth(pending, looked_at, last, len(sent))
    if grown is not None:
        return grown
    if settled >= last:
        return Withheld(
            Reason.WINDOW_TOO_SHORT,
            f"Arrivals went on for {_s(last - first)}, and after {_s(settled - first)} the start was still"
            f" felt (5 % of the requests in flight are older than {_s(tau_ns)}).",
        )
    level = float(pending.means(np.array([settled, last], np.int64))[0])
    basis: Basis = "in_flight" if segment.running(settled, last) is None else "running"
    return _Stretch(settled, last, basis, level, None)


def _older_than(latencies_ns: Floats) -> int:
    """Return the age that 5 % of the requests in flight exceed: sum (L - age)+ = 5 % of sum L."""
    longest = np.sort(np.maximum(latencies_ns, 0.0))[::-1]
    target = YOUNG_SHARE * float(longest.sum())
    counts = np.arange(1, len(longest) + 1)
    beyond = np.cumsum(longest) - counts * longest  # the sum at an age of each latency, from the longest on
    place = int(np.searchsorted(beyond, target, "right"))  # so many are longer than the age
    age = (float(longest[:place].sum()) - target) / place
    return round(max(0.0, age))


def _growth(pending: Occupancy, t0: int, t1: int, arrivals: int) -> Withheld | None:
    """Tell whether the number in flight rises (or falls) by more than chance: batch means and a line."""
    blocks = int(np.clip(arrivals // 10, *_BLOCKS))
    means = pending.means(np.linspace(t0, t1, blocks + 1).astype(np.int64))
    mean = float(means.mean())
    line = trend_of(means)
    change = line.change
    by_chance = GROWTH_BY_CHANCE * (2 * mean) ** 0.5
    if abs(change) < max(GROWTH_SHARE * mean, by_chance) or abs(line.z) < GROWTH_BY_CHANCE:
        return None
    told = f"{means[0]:.0f} requests were at work at first and {means[-1]:.0f} at the end of {_s(t1 - t0)}."
    return Withheld(Reason.OVERLOADED if change > 0 else Reason.NOT_STEADY, told)


def _enough(segment: SegmentLoad, found: _Stretch) -> SteadyWindow | Withheld:
    """Refuse a stretch that holds too little, with its numbers."""
    duration_s = (found.t1 - found.t0) * 1e-9
    if duration_s < MIN_DURATION_S:
        return _too_short(found.t0, found.t1)
    requests = segment.answered_between(found.t0, found.t1)
    least = max(MIN_REQUESTS, round(found.level))
    if requests < least:
        told = f"{requests} requests ended in its {duration_s:.1f} s; {least} are needed, each place once."
        return Withheld(Reason.WINDOW_TOO_SHORT, told)
    course = segment.tokens
    if isinstance(course, Withheld):
        return course
    edges = np.array([found.t0, found.t1], np.int64)
    tokens = float(course.between(edges)[0])
    at_work = float(segment.generating.means(edges)[0])
    in_flight = float(segment.in_flight.means(edges)[0])
    running = segment.running(found.t0, found.t1)
    batch = at_work if running is None else float(running.means(edges)[0])
    needed = max(MIN_TOKENS, MIN_TOKENS_A_PLACE * batch)
    if tokens < needed:
        told = f"{tokens:.0f} tokens were made in its {duration_s:.1f} s; {needed:.0f} are needed."
        return Withheld(Reason.TOO_FEW_TOKENS, told)
    return SteadyWindow(
        part=Span(segment.segment, found.t0, found.t1),
        basis=found.basis,
        level=found.level,
        mean_batch=batch,
        mean_in_flight=in_flight,
        held_share=found.held_share,
        requests=requests,
        tokens=tokens,
        token_basis=course.basis,
        mean_in_batch_s=batch * duration_s / requests,
    )


def _too_short(t0: int, t1: int) -> Withheld:
    told = f"It lasted {(t1 - t0) * 1e-9:.2f} s; {MIN_DURATION_S:.0f} s are needed."
    return Withheld(Reason.WINDOW_TOO_SHORT, told)


def _s(ns: float) -> str:
    return f"{ns * 1e-9:.1f} s"

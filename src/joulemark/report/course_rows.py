"""The course of a run as rows to draw: where an instant lies on the axis, phases, requests and power."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.run_view import RunView, Slowed
from joulemark.record.window_name import WindowName
from joulemark.report.buckets import MAX_POINTS, thin
from joulemark.report.theme import ACCENT, FAINT, INK, VERDICTS, Rows, verdict_name

PHASES: Mapping[str, tuple[str, str]] = {
    WindowName.MEASURE: ("measured", ACCENT),
    WindowName.WARMUP: ("warm-up", "var(--truncated)"),
    WindowName.PAUSE: ("pause", "var(--refused)"),
}
CAUSES = {
    "power_cap": ("power limit", FAINT),
    "sw_thermal": ("heat (driver)", "var(--loud)"),
    "hw_thermal": ("heat (hardware)", INK),
    "power_brake": ("power brake", "var(--refused)"),
}
MAX_REQUESTS = 400  # more than these are drawn as shares of stretches of time
_COLUMNS_A_PX = 0.15


class Placement:
    """Where an instant lies on the axis: seconds, segment after segment.

    Segments have clocks of their own; they are set side by side, and nothing is subtracted across them.
    """

    def __init__(self, run: RunView) -> None:
        self._start_ns: dict[int, int] = {}
        self._end_ns: dict[int, int] = {}
        self._offset_s: dict[int, float] = {}
        offset_s = 0.0
        for index in sorted({item.segment for item in run.items} | {w.segment for w in run.manifest.windows}):
            stamps = [
                t for w in run.manifest.windows if w.segment == index for t in (w.t0, w.t1) if t is not None
            ]
            stamps += [t for item in run.items if item.segment == index for t in (item.t_begin, item.t_end)]
            self._start_ns[index], self._end_ns[index] = min(stamps), max(stamps)
            self._offset_s[index] = offset_s
            offset_s += (max(stamps) - min(stamps)) / 1e9 + 1.0
        self.end_s = max(offset_s - 1.0, 0.0)

    def seconds(self, segment: int, t_ns: int) -> float:
        """Return the place of a stamp on the axis; ``KeyError`` for a segment in which nothing was asked."""
        return self._offset_s[segment] + (t_ns - self._start_ns[segment]) / 1e9

    def holds(self, segment: int, t_ns: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which stamps of a segment lie on the axis; the meter runs before and after it."""
        return (t_ns >= self._start_ns[segment]) & (t_ns <= self._end_ns[segment])

    def __contains__(self, segment: int) -> bool:
        return segment in self._start_ns


def power_rows(run: RunView, place: Placement) -> Rows:
    """Return the power of every source; a hole is a null, so that the line breaks."""
    drawn = [line for line in run.timelines if line.segment in place and len(line.t_ns)]
    budget = MAX_POINTS // max(len(drawn), 1)
    found: Rows = []
    for line in drawn:
        shown = place.holds(line.segment, line.t_ns)
        t_ns, power_w = line.t_ns[shown], line.power_w[shown]
        for k in thin(t_ns, power_w, budget) if len(t_ns) else ():
            watts = float(power_w[k])
            found.append(
                {
                    "s": place.seconds(line.segment, int(t_ns[k])),
                    "w": watts if math.isfinite(watts) else None,
                    "source": f"{line.source} {line.scope}",
                    "piece": f"{line.source} {line.scope} {line.segment}",
                }
            )
    return found


def band_rows(run: RunView, place: Placement) -> Rows:
    """Return the phases that came to an end, by the names a reader knows."""
    return [
        {
            "a": place.seconds(w.segment, w.t0),
            "b": place.seconds(w.segment, w.t1),
            "what": PHASES.get(w.name, (w.name, FAINT))[0],
        }
        for w in run.manifest.windows
        if w.t1 is not None
    ]


def request_rows(run: RunView, place: Placement, width: int, *, most: int = MAX_REQUESTS) -> Rows:
    """Return each request as a bar of full height, or of more than ``most`` their shares of time's stretches.

    Bars of requests that overlap would hide one another: 0 gives shares in any case.
    """
    bars: Rows = [
        {
            "a": place.seconds(item.segment, item.t_begin),
            "b": place.seconds(item.segment, item.t_end),
            "lo": 0.0,
            "hi": 1.0,
            "verdict": verdict_name(item),
        }
        for item in run.measured_items
    ]
    return bars if len(bars) <= most else _shares(bars, place.end_s, int(width * _COLUMNS_A_PX))


def _shares(bars: Rows, end_s: float, columns: int) -> Rows:
    """Return in each of ``columns`` stretches the requests that ended in it, stacked by verdict."""
    step_s = max(end_s, 1e-3) / columns
    ended: dict[int, dict[str, int]] = {}
    for bar in bars:
        counts = ended.setdefault(min(columns - 1, int(bar["b"] / step_s)), dict.fromkeys(VERDICTS, 0))
        counts[bar["verdict"]] += 1
    found: Rows = []
    for column, counts in sorted(ended.items()):
        total, below = sum(counts.values()), 0
        for verdict, count in counts.items():
            if count:
                edges = {"a": column * step_s, "b": (column + 1) * step_s}
                part = {"lo": below / total, "hi": (below + count) / total, "verdict": verdict}
                found.append({**edges, **part})
            below += count
    return found


def slowed_rows(slowed: Sequence[Slowed], place: Placement, width: int) -> Rows:
    """Return when the device was slowed down, by cause.

    None is narrower than a pixel, or it would vanish; such as lie less than a pixel apart are one.
    """
    pixel_s = max(place.end_s, 1e-3) / width
    found: Rows = []
    for one in sorted(slowed, key=lambda one: (one.cause, one.segment, one.t0_ns)):
        if one.segment not in place:
            continue
        cause = CAUSES.get(one.cause, (one.cause, ACCENT))[0]
        a, b = place.seconds(one.segment, one.t0_ns), place.seconds(one.segment, one.t1_ns)
        last = found[-1] if found else None
        if last and last["cause"] == cause and a <= last["b"] + pixel_s:
            last["b"] = max(last["b"], b)
        else:
            found.append({"a": a, "b": max(b, a + pixel_s), "cause": cause})
    return found

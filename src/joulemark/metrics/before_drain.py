"""What a request costs while as many are in flight as there are to be, without the end of a run.

When asking ends, what is in flight is awaited while nothing new begins: that time and that energy belong to
the end, which a longer run has as well and only once. So what is told is the cost of a second that a request
is in flight, before the last one began, times the mean seconds of a request, all that were asked: counting
the requests of that time would prefer the short ones, which had ended by its edge.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from joulemark.metrics.run_view import RunView
from joulemark.record.item import Item
from joulemark.record.span import Span
from joulemark.record.window_name import WindowName


def seconds_per_request(run: RunView) -> float | None:
    """Return the seconds of a request of a run whose requests overlap; null where all began at once."""
    last = _last_begin(run.measured_items)
    spans = [
        Span(window.segment, window.t0, min(window.t1, last[window.segment]))
        for window in run.manifest.windows
        if window.name == WindowName.MEASURE and window.t1 is not None and window.segment in last
        if window.t0 < last[window.segment]
    ]
    return _per_request(math.fsum(span.duration_s for span in spans), spans, run.measured_items)


def joules_per_request(run: RunView) -> float | None:
    """Return the joules of a request, from the stretches of time that the run's meters tell apart."""
    blocks = run.time_blocks
    if blocks is None or blocks.reason is not None:
        return None
    last = _last_begin(run.measured_items)
    joules, spans = [], []
    for metered, block in zip(blocks.joules, blocks.blocks, strict=True):
        (span,) = block.stretches
        if span.t1 <= last.get(span.segment, 0):
            joules.append(metered)
            spans.append(span)
    return _per_request(math.fsum(joules), spans, run.measured_items)


def _last_begin(items: Iterable[Item]) -> dict[int, int]:
    """Return when the last request of each segment began (monotonic ns)."""
    last: dict[int, int] = {}
    for item in items:
        last[item.segment] = max(last.get(item.segment, 0), item.t_begin)
    return last


def _per_request(cost: float, spans: Sequence[Span], items: Sequence[Item]) -> float | None:
    within: dict[int, list[Span]] = {}
    for span in spans:
        within.setdefault(span.segment, []).append(span)
    in_flight_ns = sum(
        max(min(item.t_end, span.t1) - max(item.t_begin, span.t0), 0)
        for item in items
        for span in within.get(item.segment, ())
    )
    if not cost > 0 or not in_flight_ns:
        return None
    return cost / in_flight_ns * sum(item.t_end - item.t_begin for item in items) / len(items)

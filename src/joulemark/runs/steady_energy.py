"""The steady state of a recorded run: its window from the requests, its joules from the timeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from joulemark.metrics.answer_blocks import RENEWALS
from joulemark.metrics.batch_means import steady_blocks
from joulemark.metrics.published_windows import published_windows
from joulemark.metrics.segment_loads import SegmentLoads
from joulemark.metrics.steady_state import SteadyState
from joulemark.metrics.steady_window import longest_steady
from joulemark.record.axis import AXIS
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.manifest import Manifest
from joulemark.record.reason import Reason
from joulemark.record.span import Span

Meter = Callable[[Sequence[Span]], list[MeasuredOrWithheld]]
"""What was metered in each span, as `RunEnergy.of` gives it."""


def steady_state(
    manifest: Manifest,
    loads: SegmentLoads,
    windows: Sequence[Span],
    metered: Meter,
    renewal_s: float = 0.0,
) -> SteadyState:
    """Find the steady window of a run and meter it, its blocks and the windows of the published rules.

    ``windows`` are the measured ones. The meter tells something new every ``renewal_s`` seconds; what is
    shorter than `joulemark.metrics.answer_blocks.RENEWALS` of these has no energy that could be believed.
    """
    if manifest.load.mode == "sequential" or not windows:
        return SteadyState()
    told = _told_apart(metered, renewal_s)
    parts = [(loads[w.segment], w) for w in windows]
    window = longest_steady(manifest.load, parts)
    if isinstance(window, Withheld):
        # the published rules are shown for the longest window, where ours refuses
        load = max(parts, key=lambda part: part[1].t1 - part[1].t0)[0]
        published = published_windows(load, max_batch(manifest))
        return SteadyState(window, load, window, published=published, published_energy=_of(told, published))
    load = loads[window.part.segment]
    blocks = steady_blocks(window, renewal_s)
    published = published_windows(load, max_batch(manifest))
    course = load.tokens
    assert not isinstance(course, Withheld)  # the window would have been refused
    edges = [*(block.t0 for block in blocks), *(block.t1 for block in blocks[-1:])]
    return SteadyState(
        window,
        load,
        told([window.part])[0],
        blocks,
        tuple(told(blocks)),
        tuple(course.between(np.array(edges, np.int64)).tolist()) if blocks else (),
        published,
        _of(told, published),
        renewal_s,
    )


def _told_apart(metered: Meter, renewal_s: float) -> Meter:
    """Return a meter that withholds what is too short for it."""
    least_s = RENEWALS * renewal_s
    why = (
        f"The meter tells something new every {renewal_s:.3g} s: a steady window of {least_s:.3g} s or more "
        "is needed."
    )

    def told(spans: Sequence[Span]) -> list[MeasuredOrWithheld]:
        return [
            Withheld(Reason.SHORTER_THAN_STEP, why)
            if span.duration_s < least_s and not isinstance(energy, Withheld)
            else energy
            for span, energy in zip(spans, metered(spans), strict=True)
        ]

    return told


def max_batch(manifest: Manifest) -> int | None:
    """Return the batch that the engine is set up for, where its flags say it."""
    value = AXIS["max_batch"].of(manifest.engine.flags)
    return value if isinstance(value, int) else None


def _of(metered: Meter, windows: Mapping[str, Span | Withheld]) -> dict[str, MeasuredOrWithheld]:
    found = {rule: window for rule, window in windows.items() if isinstance(window, Span)}
    return dict(zip(found, metered(list(found.values())), strict=True))

"""When an engine's gauge was read often enough to be believed (ADR 11): readings and gaps, each alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from doubles.made_up_loads import at
from joulemark.metrics.run_view import EngineGauge
from joulemark.metrics.segment_load import SegmentLoad


def is_believed(read_at_s: Sequence[float], t0_s: float, t1_s: float) -> bool:
    t_ns = np.array([at(s) for s in read_at_s], np.int64)
    gauge = EngineGauge("requests_running", 0, t_ns, np.full(len(t_ns), 4.0))
    return SegmentLoad.of(0, [], {}, [gauge]).running(at(t0_s), at(t1_s)) is not None


EVERY_HALF_SECOND = [k / 2 for k in range(41)]


@pytest.mark.parametrize(("gap_s", "believed"), [(2.0, True), (2.5, False)])
@pytest.mark.parametrize("begins_s", [0.0, 9.0, 20.0])
def test_a_gauge_is_read_at_least_every_two_seconds(gap_s: float, believed: bool, begins_s: float) -> None:
    """More than thirty readings are left, whether the gap is at an end of the stretch or inside it."""
    begins_s = min(begins_s, 20.0 - gap_s)
    inside = [s for s in EVERY_HALF_SECOND if not begins_s < s < begins_s + gap_s]
    read_at_s = [s for s in inside if not (s == 0.0 == begins_s or s == 20.0 == begins_s + gap_s)]
    assert len(read_at_s) > 30
    assert is_believed(read_at_s, 0.0, 20.0) is believed


@pytest.mark.parametrize(("readings", "believed"), [(10, True), (9, False)])
def test_a_gauge_is_read_at_least_ten_times_in_the_stretch(readings: int, believed: bool) -> None:
    """It is read twice a second before, in and after the stretch: no gap decides."""
    assert is_believed(EVERY_HALF_SECOND, 5.0, 5.0 + (readings - 1) / 2) is believed

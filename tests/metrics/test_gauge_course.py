"""How much of a window an engine's readings must stand for."""

from __future__ import annotations

import numpy as np
import pytest

from doubles.made_up_loads import at
from joulemark.metrics.gauge_course import Course, course_of
from joulemark.metrics.run_view import EngineGauge
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason
from joulemark.record.span import Span


@pytest.mark.parametrize(
    ("hole_s", "covered"),
    [
        (3.0, True),  # 1 of 20 s beyond the two that a reading stands for
        (3.5, False),
        (10.0, False),
    ],
)
def test_readings_stand_for_95_percent_of_the_time(hole_s: float, covered: bool) -> None:
    read_at_s = [k / 2 for k in range(41) if not 5.0 < k / 2 < 5.0 + hole_s]
    t_ns = np.array([at(s) for s in read_at_s], np.int64)
    gauge = EngineGauge("requests_running", 0, t_ns, np.full(len(t_ns), 4.0))
    found = course_of([gauge], "requests_running", [Span(0, at(0), at(20))])
    if covered:
        assert isinstance(found, Course)
        assert found.held_s.sum() == pytest.approx(20 - (hole_s - 2))
    else:
        assert isinstance(found, Withheld)
        assert found.reason is Reason.GAP_TOO_LONG
        assert f"{20 - (hole_s - 2):.1f} of 20.0 s" in found.detail

"""What a sweep says at its end: the next command, or what has to be done before there can be one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doubles.swept import measured, swept
from joulemark.cli.sweep_report import _frontier, _next
from joulemark.metrics.late_client import why_not_ranked
from joulemark.metrics.recommendation import Wish, recommend
from joulemark.sweeps.points import Measured, Swept, SweptPoint

AXES = {"concurrency": [1, 2, 4]}


def late(found: Swept, *places: int) -> Swept:
    """Return the sweep with points whose client did not keep up."""
    points = list(found.points)
    for place in places:
        one = points[place]
        assert isinstance(one.measured, Measured)
        point = replace(one.measured.point, late=why_not_ranked(["loop_lag"]))
        points[place] = SweptPoint(one.record, replace(one.measured, point=point))
    return replace(found, points=tuple(points))


def told(found: Swept) -> str:
    return _next(found, _frontier(found)[0])


def test_the_next_command_is_one_that_finds_something() -> None:
    assert told(swept(AXES)) == "joulemark recommend sweep --max-tpot 100ms"
    assert told(late(swept(AXES), 0, 1)) == "joulemark recommend sweep --max-tpot 100ms"


def test_a_limit_that_nothing_meets_is_not_proposed() -> None:
    def slow(values: object) -> Measured:
        one = measured(1.0)
        latencies = {
            **one.point.latencies_s,
            "tpot_mean": replace(one.point.latencies_s["tpot_mean"], value=0.5),
        }
        return replace(one, point=replace(one.point, latencies_s=latencies))

    found = swept(AXES, figures=slow)
    assert recommend(found.operating_points, Wish()).pick is not None
    assert told(found) == "joulemark recommend sweep"


def test_where_all_are_invalid_the_next_thing_is_to_measure_again() -> None:
    found = late(swept(AXES), 0, 1, 2)
    assert "the same command measures again" in told(found)
    assert "recommend" not in told(found)
    assert found.counts == {"invalid": 3}


@pytest.mark.parametrize("energy", [False])
def test_without_joules_no_command_is_named_that_would_fail(energy: bool) -> None:
    found = swept(AXES, figures=lambda values: measured(float(str(values["concurrency"])), energy=energy))
    assert told(found) == ""

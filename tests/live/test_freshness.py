"""One answer to whether a reading is of the present, for whoever shows it."""

from __future__ import annotations

import pytest

from joulemark.live.freshness import LEAST_STALE_S, is_present, is_stale
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading

T_NS = 10**12
GIVES = {"power_w": 60.0}


def source(poll_s: float) -> QualifiedSource:
    info = SourceInfo("plug", "shelly", Scope("wall"), ("power_w",))
    return QualifiedSource(info, Qualification(Trust.QUALIFIED, poll_period_s=poll_s))


@pytest.mark.parametrize(("poll_s", "limit_s"), [(0.2, LEAST_STALE_S), (0.6, LEAST_STALE_S), (2.0, 10.0)])
def test_a_reading_is_of_the_present_for_a_few_polls(poll_s: float, limit_s: float) -> None:
    reading, meter = Reading(0, T_NS, "plug", "wall", GIVES), source(poll_s)
    for late_s, stale in [(0.0, False), (limit_s, False), (limit_s + 0.01, True)]:
        now_ns = T_NS + round(late_s * 1e9)
        assert is_stale(meter, reading, now_ns) is stale
        assert is_present(meter, reading, now_ns) is not stale


@pytest.mark.parametrize(
    ("values", "flags", "present"),
    [
        (GIVES, (), True),
        (GIVES, ("gap", "slept"), True),
        (GIVES, ("energy_j:timeout",), True),
        ({}, ("power_w:timeout",), False),
        ({}, ("lost:gone",), False),
        (GIVES, ("lost:gone",), False),
    ],
)
def test_what_gave_nothing_or_is_lost_says_nothing_of_the_present(
    values: dict[str, float], flags: tuple[str, ...], present: bool
) -> None:
    reading = Reading(0, T_NS, "plug", "wall", values, flags=flags)
    assert is_present(source(0.2), reading, T_NS + 1) is present

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from joulemark.record.energy import MeasuredEnergy
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry.interval import energies_between, integrals_between
from joulemark.telemetry.timeline import Timeline

MS = 1_000_000
SOURCE = QualifiedSource(
    SourceInfo(
        "m", "simulated", Scope.gpu(0), ("energy_j", "power_w"), counter_quantum_j=0.001, power_window_s=0.0
    ),
    Qualification(Trust.QUALIFIED, update_period_s=0.1, update_period_max_s=0.1),
)

steps = st.lists(
    st.tuples(st.integers(1, 400), st.integers(0, 1), st.floats(0, 150), st.floats(0, 900)),
    min_size=3,
    max_size=40,
)
shares = st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted)


def a_timeline(rows: list[tuple[int, int, float, float]]) -> Timeline:
    t_ns, joules, readings = 10**9, 100.0, []
    for step_ms, read_ms, added_j, power_w in rows:
        t_ns, joules = t_ns + (step_ms + read_ms) * MS, joules + added_j
        values = {"energy_j": joules, "power_w": power_w}
        readings.append(Reading(0, t_ns, "m", "", values, read_ns=read_ms * MS))
    return Timeline.from_readings(readings)


def instants(timeline: Timeline, at: list[float]) -> list[int]:
    stamps = timeline.tracks[0, "m"].t_ns
    return [int(stamps[0] + share * (stamps[-1] - stamps[0])) for share in at]


@given(steps, shares)
def test_counter_energies_add_up_and_grow(rows: list[tuple[int, int, float, float]], at: list[float]) -> None:
    timeline = a_timeline(rows)
    a, b, c = instants(timeline, at)
    left, right, whole = energies_between(timeline, SOURCE, 0, [a, b, a], [b, c, c])
    assume(isinstance(whole, MeasuredEnergy))
    assert isinstance(whole, MeasuredEnergy)
    tolerance = 1e-6
    parts = [part for part in (left, right) if isinstance(part, MeasuredEnergy)]
    for part in (left, right):
        # one in which it was not seen to count has no energy, however much the whole has
        assert isinstance(part, MeasuredEnergy) or part.reason is Reason.SHORTER_THAN_STEP
    # the bounds of the parts and of the whole are about the same truth
    assert sum(part.lo for part in parts) <= whole.hi + tolerance
    if len(parts) == 2:
        assert whole.lo <= sum(part.hi for part in parts) + tolerance
    # a window within another can hold no more energy
    for part in parts:
        assert part.lo <= whole.lo + tolerance
        assert part.hi <= whole.hi + tolerance
        assert part.joules <= whole.hi + tolerance


@given(steps, shares)
def test_integrals_add_up(rows: list[tuple[int, int, float, float]], at: list[float]) -> None:
    timeline = a_timeline(rows)
    a, b, c = instants(timeline, at)
    left, right, whole = integrals_between(timeline, SOURCE, 0, [a, b, a], [b, c, c])
    assume(all(isinstance(part, MeasuredEnergy) for part in (left, right, whole)))
    assert isinstance(left, MeasuredEnergy)
    assert isinstance(right, MeasuredEnergy)
    assert isinstance(whole, MeasuredEnergy)
    assert left.joules + right.joules == pytest.approx(whole.joules, abs=1e-6)
    assert max(left.joules, right.joules) <= whole.joules + 1e-6


@given(steps, st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_many_windows_at_once_are_the_same_as_one_by_one(
    rows: list[tuple[int, int, float, float]], at: list[float]
) -> None:
    timeline = a_timeline(rows)
    stamps = sorted(instants(timeline, at))
    begins, stops = stamps[:-1], stamps[1:]
    for between in (energies_between, integrals_between):
        together = between(timeline, SOURCE, 0, begins, stops)
        single = [between(timeline, SOURCE, 0, [a], [b])[0] for a, b in zip(begins, stops, strict=True)]
        assert together == single


@given(
    st.lists(
        st.tuples(st.integers(1, 3000), st.floats(-1e6, 1e6), st.floats(-10, 1e4)), min_size=1, max_size=20
    ),
    shares,
)
def test_no_garbage_gives_a_negative_or_astronomic_energy(
    rows: list[tuple[int, float, float]], at: list[float]
) -> None:
    t_ns, readings = 10**9, []
    for step_ms, joules, power_w in rows:
        t_ns += step_ms * MS
        readings.append(Reading(0, t_ns, "m", "", {"energy_j": joules, "power_w": power_w}))
    timeline = Timeline.from_readings(readings)
    a, _, c = instants(timeline, at)
    for between in (energies_between, integrals_between):
        (energy,) = between(timeline, SOURCE, 0, [a], [c])
        if isinstance(energy, MeasuredEnergy):
            assert 0 <= energy.joules <= 2e5 * max((c - a) * 1e-9, 0.5)

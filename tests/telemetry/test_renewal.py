"""Sources that show one value until the next: what their readings contradict is not believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.simulated_meter import Curve, SimulatedMeter, run_items
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Withheld
from joulemark.record.meter import AGE_STATED, Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.telemetry.interval import energy_between, integrated_between
from joulemark.telemetry.renewal import FEW_RENEWALS, Renewal, renewal_of
from joulemark.telemetry.timeline import Timeline, Track

S = 1_000_000_000
LIMIT_W = 700.0
LOAD = Curve.of([0.0, 31.0, 44.0, 47.5, 52.0, 68.0], [90.0, 400.0, 150.0, 420.0, 90.0, 300.0])
WAVES = Curve.of(list(np.arange(0.0, 100.0, 0.5)), list(200.0 + 50.0 * np.sin(np.arange(200))))
Shown = Callable[[np.ndarray], np.ndarray]


def page(renewal_s: float, phase_s: float = 0.0) -> Shown:
    """When what a page shows at these times was collected."""
    return lambda t_s: np.maximum(np.floor((t_s - phase_s) / renewal_s) * renewal_s + phase_s, 0.0)


def board(*, declared_s: float, trust: Trust = Trust.QUALIFIED, **facts: object) -> QualifiedSource:
    settings: dict[str, object] = {"counter_quantum_j": 1e-3, "power_window_s": 0.0, **facts}
    info = SourceInfo(
        "dcgm:0", "dcgm", Scope.gpu(0), ("energy_j", "power_w"), value_age_s=declared_s, **settings
    )  # type: ignore[arg-type]
    reason = None if trust is Trust.QUALIFIED else "counter did not move"
    return QualifiedSource(info, Qualification(trust, reason, poll_period_s=0.2))


def timeline(
    counter: Shown,
    gauge: Shown | None = None,
    curve: Curve = LOAD,
    *,
    until_s: float = 100.0,
    step_s: float = 0.2,
    limit_w: float | None = None,
    quantum_j: float = 1e-3,
) -> Timeline:
    """Read ``curve`` each ``step_s``; ``counter`` and ``gauge`` say when what they show was collected."""
    t_s = np.arange(0.0, until_s, step_s)
    energy_j = np.floor((5000.0 + curve.joules_at(counter(t_s))) / quantum_j) * quantum_j
    power_w = np.array([curve.peak_w(at, at) for at in (gauge or counter)(t_s)])
    t_ns = S + np.rint(t_s * S).astype(np.int64)
    values = {"energy_j": energy_j, "power_w": power_w}
    if limit_w is not None:
        values["power_limit_w"] = np.full(len(t_s), limit_w)
    return Timeline({(0, "dcgm:0"): Track(t_ns, t_ns - 2_000_000, values, np.zeros(len(t_ns), np.int64), ())})


def both(
    read: Timeline, source: QualifiedSource, t0_s: float, t1_s: float
) -> tuple[MeasuredOrWithheld, MeasuredOrWithheld]:
    window = (0, S + round(t0_s * S), S + round(t1_s * S))
    return energy_between(read, source, *window), integrated_between(read, source, *window)


def why(energy: MeasuredOrWithheld) -> Reason:
    assert isinstance(energy, Withheld), energy
    return energy.reason


def true_j(t0_s: float, t1_s: float) -> float:
    return float(LOAD.joules_at(t1_s) - LOAD.joules_at(t0_s))


def assert_holds(energy: MeasuredOrWithheld, t0_s: float, t1_s: float) -> None:
    assert isinstance(energy, MeasuredEnergy), energy
    assert energy.lo <= true_j(t0_s, t1_s) <= energy.hi, f"{true_j(t0_s, t1_s):.0f} J is not in {energy}"


@pytest.mark.parametrize("window", [(31.0, 43.0), (55.0, 67.0), (10.0, 85.0)])
def test_a_window_shorter_than_a_few_renewals_has_no_energy_and_no_zero(window: tuple[float, float]) -> None:
    read = timeline(page(30.0), until_s=130.0)
    for energy in both(read, board(declared_s=30.0), *window):
        assert why(energy) is Reason.SHORTER_THAN_STEP
        assert isinstance(energy, Withheld)
        assert "90 s or more" in energy.detail


def test_a_counter_that_never_moves_is_no_zero_whatever_is_known_of_it() -> None:
    still = timeline(lambda t_s: np.zeros_like(t_s), lambda t_s: t_s, WAVES)
    for declared_s in (30.0, 0.0):
        counter, integrated = both(still, board(declared_s=declared_s), 31.0, 43.0)
        assert why(counter) in (Reason.SHORTER_THAN_STEP, Reason.COUNTER_FROZEN)
        if not declared_s:  # its gauge moved without it, so that is not stale
            assert isinstance(integrated, MeasuredEnergy)
            assert integrated.joules == pytest.approx(
                float(WAVES.joules_at(43) - WAVES.joules_at(31)), rel=0.03
            )


@pytest.mark.parametrize("trust", [Trust.QUALIFIED, Trust.SUSPECT])
@pytest.mark.parametrize("phase_s", [0.4, 2.0, 3.9])
def test_a_declaration_that_the_readings_contradict_is_not_believed(trust: Trust, phase_s: float) -> None:
    source = board(declared_s=0.1, trust=trust, power_max_w=LIMIT_W)
    read = timeline(page(5.0, phase_s), until_s=80.0)
    found = renewal_of(read, source, 0)
    assert 4.5 < found.counter_s <= 5.5
    assert 4.5 < found.gauge_s <= 5.5
    refused = {Trust.QUALIFIED: Reason.SHORTER_THAN_STEP, Trust.SUSPECT: Reason.METER_NOT_QUALIFIED}
    counter, integrated = both(read, source, 31.0, 41.0)
    assert why(counter) is refused[trust]
    assert why(integrated) is Reason.SHORTER_THAN_STEP
    counter, integrated = both(read, source, 30.0, 70.0)
    assert_holds(integrated, 30.0, 70.0)
    if trust is Trust.QUALIFIED:
        assert_holds(counter, 30.0, 70.0)


def test_three_values_in_ten_seconds_are_enough_to_contradict_it() -> None:
    read = timeline(page(5.0, 2.0), until_s=11.0)
    assert renewal_of(read, board(declared_s=0.1), 0).gauge_s > 4.0
    assert (
        why(both(read, board(declared_s=0.1, trust=Trust.SUSPECT), 0.5, 10.5)[1]) is Reason.SHORTER_THAN_STEP
    )


def test_a_page_that_stops_makes_both_doubtful_where_it_stood_and_nowhere_else() -> None:
    stops = timeline(lambda t_s: np.minimum(page(1.0)(t_s), 60.0))
    source = board(declared_s=1.0, power_max_w=LIMIT_W)
    counter, integrated = both(stops, source, 20.0, 90.0)
    assert why(counter) is Reason.COUNTER_FROZEN
    assert why(integrated) is Reason.GAP_TOO_LONG
    assert isinstance(integrated, Withheld)
    assert "its counter with its power" in integrated.detail
    for energy in both(stops, source, 20.0, 55.0):
        assert_holds(energy, 20.0, 55.0)


def test_a_gauge_that_goes_on_beside_a_counter_that_stops_is_believed() -> None:
    read = timeline(lambda t_s: np.minimum(t_s, 50.0), lambda t_s: t_s, WAVES)
    source = board(declared_s=0.0)
    counter, integrated = both(read, source, 20.0, 90.0)
    assert why(counter) is Reason.COUNTER_FROZEN
    assert isinstance(integrated, MeasuredEnergy)
    assert integrated.joules == pytest.approx(float(WAVES.joules_at(90) - WAVES.joules_at(20)), rel=0.03)


def test_a_steady_gauge_beside_a_coarse_counter_is_not_stale() -> None:
    """A step of a kilojoule stands for ten seconds at 100 W: the energy makes it, not the clock."""
    read = timeline(lambda t_s: t_s, curve=Curve.of([0.0], [100.0]), quantum_j=1000.0)
    source = board(declared_s=0.0, counter_quantum_j=1000.0)
    assert renewal_of(read, source, 0) == Renewal(0.0, 0.0)
    _, integrated = both(read, source, 20.0, 23.0)
    assert isinstance(integrated, MeasuredEnergy)


def test_a_driver_that_is_read_less_often_than_it_updates_is_not_stale() -> None:
    for period_s in (0.02, 0.1, 0.2):
        meter = SimulatedMeter(
            LOAD, np.random.default_rng(3), VirtualClock(), duration_s=40, period_s=period_s, window_s=1.0
        )
        items = [(at, at + 0.3) for at in np.arange(1.0, 35.0, 0.5)]
        run = run_items(meter, items, end_s=36.0)
        assert renewal_of(run.timeline, meter.qualified, 0) == Renewal(0.0, 0.0)


@pytest.mark.parametrize("max_w", [None, LIMIT_W])
def test_the_power_limit_that_was_read_bounds_what_may_have_been_drawn(max_w: float | None) -> None:
    curve = Curve.of([0.0, 20.0, 80.0], [20.0, 21.0, 650.0])
    source = board(declared_s=10.0, power_max_w=max_w)
    window = (25.0, 60.0)
    with_limit = both(timeline(page(10.0), curve=curve, limit_w=LIMIT_W), source, *window)
    for energy in with_limit:
        assert isinstance(energy, MeasuredEnergy)
        assert energy.hi <= 2 * LIMIT_W * 35.0
    # the limit says the same as a maximum that the device states
    assert with_limit == both(
        timeline(page(10.0), curve=curve),
        replace(source, info=replace(source.info, power_max_w=LIMIT_W)),
        *window,
    )


@settings(deadline=None, max_examples=60)
@given(
    st.floats(0.5, 40.0),
    st.floats(0.0, 1.0),
    st.floats(0.0, 40.0),
    st.floats(5.0, 60.0),
    st.floats(0.05, 60.0),
)
def test_no_page_gives_a_zero_or_a_bound_without_the_truth(
    renewal_s: float, phase: float, declared_s: float, t0_s: float, length_s: float
) -> None:
    """Whatever was declared: once a page was seen to be renewed, its rhythm is known."""
    source = board(declared_s=declared_s, power_max_w=LIMIT_W)
    read = timeline(page(renewal_s, phase * renewal_s), until_s=220.0)
    window = (t0_s, t0_s + length_s)
    counter, integrated = both(read, source, *window)
    for energy in (counter, integrated):
        if isinstance(energy, MeasuredEnergy):
            assert energy.joules > 0
            assert length_s >= FEW_RENEWALS * declared_s - 1e-6
    if isinstance(counter, MeasuredEnergy):
        assert counter.lo > 0 or length_s < 1.0
        assert_holds(counter, *window)


def power_alone(declared_s: float = 0.1, poll_s: float = 0.25) -> QualifiedSource:
    """A page of power without a counter, read each ``poll_s``."""
    info = SourceInfo(
        "dcgm:0",
        "dcgm",
        Scope.gpu(0),
        ("power_w",),
        power_window_s=1.0,
        value_age_s=declared_s,
        read_period_s=poll_s,
    )
    return QualifiedSource(info, Qualification(Trust.QUALIFIED, poll_period_s=poll_s))


def gauge_alone(
    shown: Shown, watts: Callable[[np.ndarray], np.ndarray], *, until_s: float = 60.0
) -> Timeline:
    t_s = np.arange(0.0, until_s, 0.25)
    t_ns = S + np.rint(t_s * S).astype(np.int64)
    values = {"power_w": watts(shown(t_s))}
    return Timeline({(0, "dcgm:0"): Track(t_ns, t_ns - 2_000_000, values, np.zeros(len(t_ns), np.int64), ())})


def noisy(t_s: np.ndarray) -> np.ndarray:
    """A load with a digit that never stands still."""
    return np.where((t_s > 12) & (t_s < 45), 300.0, 90.0) + np.sin(977 * t_s)


def at_rest(t_s: np.ndarray) -> np.ndarray:
    """A load whose power stands to the last digit, for as long as each answer takes."""
    return np.interp(
        t_s, [0, 7, 7.2, 16, 16.3, 18, 18.2, 31, 31.2, 60], [90, 90, 300, 300, 90, 90, 280, 280, 90, 90]
    )


@pytest.mark.parametrize(("renewal_s", "until_s"), [(5.0, 60.0), (10.0, 60.0), (10.0, 22.0), (10.0, 17.0)])
@pytest.mark.parametrize("phase_s", [0.4, 2.3, 4.9])
def test_a_page_of_power_alone_shows_its_rhythm(renewal_s: float, until_s: float, phase_s: float) -> None:
    read = gauge_alone(page(renewal_s, phase_s), noisy, until_s=until_s)
    found = renewal_of(read, power_alone(), 0)
    assert found.gauge_s >= 0.75 * renewal_s if until_s > 17 else found.gauge_s > 5
    assert found.gauge_s <= renewal_s + 1
    assert not found.is_stated
    energy = integrated_between(read, power_alone(), 0, S + 2 * S, S + 16 * S)
    assert why(energy) is Reason.SHORTER_THAN_STEP


def test_a_gauge_that_is_as_old_as_stated_is_believed() -> None:
    for renewal_s, declared_s in ((0.25, 0.1), (1.0, 1.0), (5.0, 5.0)):
        found = renewal_of(gauge_alone(page(renewal_s), noisy), power_alone(declared_s), 0)
        assert found == Renewal(0.0, declared_s)


@pytest.mark.parametrize("watts", [at_rest, lambda t_s: np.full(len(t_s), 90.0)])
def test_a_power_that_stands_still_for_as_long_as_it_likes_is_no_rhythm(
    watts: Callable[[np.ndarray], np.ndarray],
) -> None:
    read = gauge_alone(lambda t_s: t_s, watts)
    found = renewal_of(read, power_alone(), 0)
    assert found.gauge_s == 0.1
    energy = integrated_between(read, power_alone(), 0, 6 * S, 30 * S)
    assert isinstance(energy, MeasuredEnergy)
    assert (AGE_STATED in energy.flags) is found.is_stated


def test_an_age_that_nothing_confirms_is_told_as_stated() -> None:
    read = gauge_alone(lambda t_s: t_s, lambda t_s: np.full(len(t_s), 90.0))
    energy = integrated_between(read, power_alone(), 0, 6 * S, 30 * S)
    assert isinstance(energy, MeasuredEnergy)
    assert energy.flags == (AGE_STATED,)

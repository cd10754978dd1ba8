"""How long an idle is watched: as long as its meter needs, which meters on virtual time confirm."""

from __future__ import annotations

import re

import numpy as np
import pytest

from doubles.calibrations import power, stretch
from doubles.simulated_meter import Curve
from doubles.simulated_register import SimulatedRegister, sample
from joulemark.calibration.idle import require_power
from joulemark.calibration.idle_window import idle_window, needed_s, says_nothing
from joulemark.calibration.watch import bounded_w, sharpest
from joulemark.live.source_energy import source_energy
from joulemark.record.clock import VirtualClock
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.errors import InputError
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope

BEFORE_S = 8.0  # of settling, in which the sampler reads already


def meter(
    *,
    scope: str = "wall",
    age_s: float = 0.0,
    step_j: float = 3.6,
    power_w: float | None = 90.0,
    quantities: tuple[str, ...] = ("energy_j", "power_w"),
    trust: Trust = Trust.QUALIFIED,
    reason: str | None = None,
) -> QualifiedSource:
    is_register = scope == "wall" and "energy_j" in quantities
    info = SourceInfo(
        f"meter of {scope}",
        "x",
        Scope(scope),
        quantities,
        counter_quantum_j=step_j,
        power_max_w=4000.0,
        is_register=is_register,
        value_age_s=age_s,
    )
    return QualifiedSource(info, Qualification(trust, reason, mean_power_w=power_w))


@pytest.mark.parametrize("has_gauge", [True, False])
@pytest.mark.parametrize(
    ("quantum_j", "refresh_s", "cache_s", "watts"),
    [(3.6, 1.0, 1.0, 90.0), (60.0, 60.0, 2.0, 90.0), (3600.0, 1.0, 0.0, 200.0), (36.0, 5.0, 3.0, 30.0)],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_it_a_meter_tells_a_steady_power_to_about_half(
    quantum_j: float, refresh_s: float, cache_s: float, watts: float, has_gauge: bool, seed: int
) -> None:
    register = SimulatedRegister(
        Curve.of([0.0], [watts]),
        np.random.default_rng(seed),
        VirtualClock(),
        quantum_j=quantum_j,
        refresh_s=refresh_s,
        cache_s=cache_s,
        has_gauge=has_gauge,
    )
    test = Qualification(Trust.QUALIFIED, mean_power_w=watts, poll_period_s=1.0)
    source = QualifiedSource(register.info, test)
    duration_s = needed_s(source)
    timeline = sample(register, [BEFORE_S, BEFORE_S + duration_s], BEFORE_S + duration_s + 12)
    t0_ns, t1_ns = round(BEFORE_S * 1e9), round((BEFORE_S + duration_s) * 1e9)
    best = sharpest(source_energy(timeline, source, t0_ns, t1_ns))
    assert isinstance(best, MeasuredEnergy)
    point, low, high = bounded_w(best, duration_s)
    assert low <= watts <= high
    assert not says_nothing((point, low, high))
    assert high - low < 0.6 * watts


def test_a_meter_whose_values_are_fresh_takes_what_was_asked_for() -> None:
    window = idle_window([meter(scope="wall/psu/gpu:0")], 3.0)
    assert (window.duration_s, window.why) == (3.0, "")


def test_a_slow_meter_takes_longer_and_says_why() -> None:
    window = idle_window([meter(age_s=62.0, step_j=60.0)], 10.0)
    assert 700 < window.duration_s < 800
    assert "62 s old" in window.why
    assert "steps of 60 J" in window.why
    asked_s = window.duration_s + 1
    assert idle_window([meter(age_s=62.0, step_j=60.0)], asked_s).duration_s == asked_s


def test_a_meter_outside_does_not_hold_up_those_of_the_devices() -> None:
    window = idle_window([meter(age_s=62.0, step_j=60.0), meter(scope="wall/psu/gpu:0")], 10.0)
    assert window.duration_s == 10.0


def test_a_register_that_is_not_believed_leaves_its_gauge() -> None:
    suspect = meter(age_s=2.0, trust=Trust.SUSPECT, reason="counter did not move")
    assert needed_s(suspect) > needed_s(meter(age_s=2.0)) > 0


def test_what_would_take_more_than_a_quarter_of_an_hour_is_refused_unless_asked_for() -> None:
    slow = meter(age_s=60.0, step_j=3600.0, power_w=40.0)
    with pytest.raises(InputError, match="cannot tell an idle power in 15 min") as caught:
        idle_window([slow], 10.0)
    asked = re.search(r"--duration (\d+)", caught.value.fix)
    assert asked is not None
    assert idle_window([slow], float(asked[1])).duration_s == float(asked[1])
    hopeless = meter(age_s=60.0, step_j=36_000.0, power_w=20.0)
    with pytest.raises(InputError) as caught:
        idle_window([hopeless], 10.0)
    assert "--duration" not in caught.value.fix


def test_an_idle_that_says_nothing_is_refused_with_the_time_that_it_would_take() -> None:
    blunt = power(90.0, source="shelly", scope="wall", lo_w=0.0, hi_w=400.0)
    with pytest.raises(InputError, match="wider than the power") as caught:
        require_power(stretch(90.0, powers=[blunt]), "without a model")
    assert "shelly: 90.0 W, from 0.0 to 400.0 W" in caught.value.why
    assert "--duration 90" in caught.value.fix  # 10 s gave a bound of 400 / 90 of the power
    require_power(stretch(90.0, powers=[blunt, power(20.0)]), "without a model")  # another one tells

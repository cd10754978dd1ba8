"""Tier, drift, throttling and processor time."""

from dataclasses import replace

import pytest

from doubles.run_views import item, measured, meter
from joulemark.metrics.cpu import cpu_seconds, cpu_seconds_per_correct_answer
from joulemark.metrics.drift import counter_vs_integration_pct_diff
from joulemark.metrics.throttle import DEFINITIONS, throttle_pct
from joulemark.metrics.tier import is_replayed, is_simulated, tier
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.item import Verdict
from joulemark.record.meter import Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

GPU = meter().qualified
PLUG = meter("shelly:kitchen", "shelly", Scope("wall")).qualified
ANALYZER = meter("wt310:0", "analyzer", Scope("wall")).qualified
SUSPECT_PLUG = meter("shelly:kitchen", "shelly", Scope("wall"), trust=Trust.SUSPECT).qualified
REPLAY = meter("nvml:0", "replay").qualified
SIMULATED = meter("dcgm:0", "dcgm").qualified
SIMULATED = replace(SIMULATED, info=replace(SIMULATED.info, device_name="Simulated NVIDIA H100"))
CPU_TIME = meter("process:1", "process", Scope.package(0), quantities=("cpu_time_ns",)).qualified
NO_METER = Withheld(Reason.NO_METER)


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        ([GPU], "C"),
        ([GPU, PLUG], "B"),
        ([GPU, SUSPECT_PLUG], "C"),
        ([GPU, ANALYZER], "A"),
        ([ANALYZER], "A"),
        ([PLUG], None),
        ([REPLAY], None),
        ([SIMULATED], None),
        ([SIMULATED, PLUG], None),
        ([CPU_TIME], None),
        ([], None),
    ],
)
def test_the_tier_follows_from_believed_sources(sources, expected):
    found, reason = tier(sources, measured(1.0))
    assert found == expected
    assert (reason is None) == (expected is not None)


def test_no_joules_no_tier():
    assert tier([GPU], NO_METER) == (None, Reason.NO_METER)


def test_a_replayed_headline_is_told():
    assert is_replayed([REPLAY], measured(1.0))
    assert not is_replayed([GPU], measured(1.0))
    assert not is_replayed([GPU], NO_METER)
    assert is_replayed([GPU, REPLAY], NO_METER)


def test_a_simulated_headline_is_told():
    assert is_simulated([SIMULATED], replace(measured(1.0), source="dcgm:0"))
    assert not is_simulated([SIMULATED, GPU], measured(1.0))
    assert is_simulated([SIMULATED], NO_METER)


def test_drift_by_hand():
    integrated = measured(105.0, method=Method.INTEGRATED)
    assert counter_vs_integration_pct_diff(measured(100.0), integrated).value == pytest.approx(5.0)
    assert counter_vs_integration_pct_diff(measured(210.0), integrated).value == pytest.approx(-50.0)


def test_drift_needs_a_counter_and_the_same_scope():
    integrated = measured(105.0, method=Method.INTEGRATED)
    other = MeasuredEnergy(1.0, 1.0, 1.0, "rapl", (Scope.package(0),), Method.INTEGRATED)
    assert counter_vs_integration_pct_diff(integrated, integrated).reason is Reason.NOT_APPLICABLE
    assert counter_vs_integration_pct_diff(measured(1.0), other).reason is Reason.NOT_APPLICABLE
    assert counter_vs_integration_pct_diff(measured(0.0), integrated).reason is Reason.NO_SAMPLES
    assert counter_vs_integration_pct_diff(NO_METER, integrated).reason is Reason.NO_METER
    lost = Withheld(Reason.METER_LOST)
    assert counter_vs_integration_pct_diff(measured(1.0), lost).reason is Reason.METER_LOST


def test_throttling_by_cause():
    seconds = {"power_cap": 5.0, "sw_thermal": 10.0, "hw_thermal": 4.0}
    thermal = throttle_pct(seconds, 100.0, ("sw_thermal", "hw_thermal"), Reason.NO_METER)
    # the two may have run together: between 10 and 14 s
    assert (thermal.value, thermal.lo, thermal.hi, thermal.interval) == (14.0, 10.0, 14.0, "bound")
    cap = throttle_pct(seconds, 100.0, ("power_cap",), Reason.NO_METER)
    assert (cap.value, cap.interval) == (5.0, None)
    assert throttle_pct(seconds, 100.0, ("power_brake",), Reason.NO_METER).reason is Reason.NO_METER
    assert throttle_pct(seconds, None, ("power_cap",), Reason.NO_METER).reason is Reason.OUTSIDE_TIMELINE
    both = {"sw_thermal": 80.0, "hw_thermal": 90.0}
    assert throttle_pct(both, 100.0, ("sw_thermal", "hw_thermal"), Reason.NO_METER).value == 100.0


def test_throttling_is_defined_as_that_of_one_device():
    # the seconds of two devices in one share would be no device's
    for defined in DEFINITIONS:
        assert "of the one that was slowed down longest" in defined.source


def test_an_unthrottled_device_is_a_real_zero():
    value = throttle_pct({"power_cap": 0.0}, 10.0, ("power_cap",), Reason.NO_METER)
    assert (value.value, value.reason) == (0.0, None)


def test_processor_time_per_correct_answer():
    items = [item(0), item(1), item(2, verdict=Verdict.WRONG)]
    seconds = cpu_seconds(9.0, None)
    assert cpu_seconds_per_correct_answer(seconds, items, {}).value == 4.5
    wrong = [item(0, verdict=Verdict.WRONG)]
    assert cpu_seconds_per_correct_answer(seconds, wrong, {}).reason is Reason.NOTHING_CORRECT
    unseen = cpu_seconds(None, Reason.NOT_LOCAL)
    assert unseen.reason is Reason.NOT_LOCAL
    assert cpu_seconds_per_correct_answer(unseen, items, {}).reason is Reason.NOT_LOCAL
    assert cpu_seconds(None, None).reason is Reason.CPU_NOT_OBSERVED

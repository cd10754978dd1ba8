"""The thermal guard: pause when hot for long, go on when cool, stop when it stays hot."""

from __future__ import annotations

import pytest

from joulemark.meters.thermal import HW_THERMAL_SLOWDOWN, Advice, ThermalGuard
from joulemark.record.telemetry import Reading

HOT = {"throttle_reasons": float(HW_THERMAL_SLOWDOWN | 0x8)}
COOL = {"throttle_reasons": 0.0}


def reading(t_s: float, values: dict[str, float], source: str = "nvml:0") -> Reading:
    return Reading(0, round(t_s * 1e9), source, "wall/psu/gpu:0", values)


def fed(guard: ThermalGuard, *parts: tuple[float, dict[str, float]]) -> Advice:
    for t_s, values in parts:
        guard.feed(reading(t_s, values))
    return guard.advice


def test_ten_hot_seconds_pause() -> None:
    guard = ThermalGuard()
    assert fed(guard, (0, HOT), (5, HOT), (9.9, HOT)) is Advice.GO
    assert fed(guard, (10, HOT)) is Advice.PAUSE
    assert "nvml:0" in guard.why


def test_a_break_starts_the_count_again() -> None:
    guard = ThermalGuard()
    assert fed(guard, (0, HOT), (9, HOT), (9.5, COOL), (10, HOT), (19.9, HOT)) is Advice.GO
    assert fed(guard, (20, HOT)) is Advice.PAUSE


def test_readings_without_the_mask_leave_it_standing() -> None:
    guard = ThermalGuard()
    assert fed(guard, (0, HOT), (5, {"power_w": 1.0}), (10, {"power_w": 1.0})) is Advice.PAUSE


@pytest.mark.parametrize("mask", [0x1, 0x4, 0x8, 0x20, 0x80, 0x100])
def test_other_reasons_are_not_heat(mask: int) -> None:
    guard = ThermalGuard()
    assert fed(guard, *((t, {"throttle_reasons": float(mask)}) for t in range(60))) is Advice.GO


def test_cool_for_a_while_goes_on() -> None:
    guard = ThermalGuard(cool_s=5)
    fed(guard, (0, HOT), (10, HOT))
    assert fed(guard, (11, COOL), (15.9, COOL)) is Advice.PAUSE
    assert fed(guard, (16, COOL)) is Advice.GO
    assert guard.why == ""
    assert fed(guard, (17, HOT), (27, HOT)) is Advice.PAUSE


def test_flapping_does_not_resume() -> None:
    guard = ThermalGuard(cool_s=5)
    fed(guard, (0, HOT), (10, HOT))
    for t in range(11, 60, 4):
        assert fed(guard, (t, COOL), (t + 2, HOT)) is Advice.PAUSE


def test_three_hundred_hot_seconds_of_pause_stop_for_good() -> None:
    guard = ThermalGuard()
    fed(guard, (0, HOT), (10, HOT))
    assert fed(guard, (309, HOT)) is Advice.PAUSE
    assert fed(guard, (310, HOT)) is Advice.STOP
    assert "300 s" in guard.why
    assert fed(guard, (311, COOL), (400, COOL)) is Advice.STOP


def test_a_silent_meter_does_not_keep_the_pause_for_ever() -> None:
    guard = ThermalGuard()
    fed(guard, (0, HOT), (10, HOT))
    assert guard.advise(round(311e9)) is Advice.STOP


def test_the_cumulative_counter_is_heat_while_it_moves() -> None:
    guard = ThermalGuard()
    counts = [(t, {"throttle_hw_thermal_ns": 1e9 + t * 1e8}) for t in range(12)]
    assert fed(guard, *counts[:11]) is Advice.GO  # the first reading proves nothing yet
    assert fed(guard, counts[11]) is Advice.PAUSE
    assert fed(guard, (12, counts[11][1]), (17, counts[11][1])) is Advice.GO


def test_a_high_but_still_counter_is_not_heat() -> None:
    guard = ThermalGuard()
    assert fed(guard, *((t, {"throttle_hw_thermal_ns": 5e12}) for t in range(60))) is Advice.GO


def test_a_temperature_limit_with_hysteresis() -> None:
    guard = ThermalGuard(limit_c=90, hysteresis_c=5, cool_s=1)
    assert fed(guard, (0, {"temperature_c": 90.0}), (30, {"temperature_c": 90.0})) is Advice.GO
    assert fed(guard, (31, {"temperature_c": 91.0}), (41, {"temperature_c": 92.0})) is Advice.PAUSE
    assert "temperature" in guard.why
    assert fed(guard, (45, {"temperature_c": 88.0}), (50, {"temperature_c": 86.0})) is Advice.PAUSE
    assert fed(guard, (51, {"temperature_c": 85.0}), (52, {"temperature_c": 85.0})) is Advice.GO


def test_without_a_limit_no_temperature_is_too_high() -> None:
    assert fed(ThermalGuard(), *((t, {"temperature_c": 110.0}) for t in range(60))) is Advice.GO


def test_one_hot_board_of_two_pauses_and_both_must_be_cool() -> None:
    guard = ThermalGuard(cool_s=1)
    for t in range(11):
        guard.feed(reading(t, COOL, "nvml:1"))
        guard.feed(reading(t, HOT, "nvml:0"))
    assert guard.advice is Advice.PAUSE
    guard.feed(reading(11, HOT, "nvml:1"))
    guard.feed(reading(12, COOL, "nvml:0"))
    guard.feed(reading(14, COOL, "nvml:0"))
    assert guard.advice is Advice.PAUSE
    guard.feed(reading(15, COOL, "nvml:1"))
    assert guard.feed(reading(16, COOL, "nvml:1")) is Advice.GO

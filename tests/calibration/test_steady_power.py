"""The rule by which a calibration waits."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.calibration.steady_power import WINDOWS, Steadiness


def sharp(power_w: float) -> tuple[float, float, float]:
    return power_w, power_w * 0.95, power_w * 1.05


def fed(*windows: dict[str, tuple[float, float, float]]) -> list[bool]:
    steadiness = Steadiness()
    return [steadiness.feed(window) for window in windows]


def test_power_that_falls_off_is_steady_once_it_stays():
    powers = [300, 200, 140, 110, 95, 90, 90, 90, 90]
    assert fed(*({"gpu": sharp(w)} for w in powers)) == [False] * 8 + [True]


def test_every_source_has_to_be_steady():
    windows = [{"gpu": sharp(60), "cpu": sharp(10 + k)} for k in range(6)]
    assert not any(fed(*windows))
    assert fed(*windows, *[{"gpu": sharp(60), "cpu": sharp(15)}] * WINDOWS)[-1]


def test_small_power_may_move_by_half_a_watt():
    assert fed(*({"soc": sharp(w)} for w in (1.0, 1.4, 0.9, 1.2)))[-1]


def test_a_source_that_cannot_tell_is_not_waited_for():
    blunt = [{"gpu": sharp(60), "wall": (w, 0.0, 3600.0)} for w in (0.0, 3600.0, 0.0, 3600.0)]
    assert fed(*blunt)[-1]
    alone = [{"wall": (w, 0.0, 3600.0)} for w in (0.0, 3600.0, 0.0, 3600.0)]
    assert fed(*alone) == [False, False, False, True]


@settings(deadline=None)
@given(st.lists(st.floats(0.1, 1000), min_size=WINDOWS, max_size=20))
def test_steady_power_lies_within_what_the_rule_says(powers):
    steadiness = Steadiness()
    steady = [steadiness.feed({"gpu": sharp(w)}) for w in powers][-1]
    last = powers[-WINDOWS:]
    mean = sum(last) / WINDOWS
    assert (
        steady == all(abs(w - mean) <= max(0.03 * mean, 0.5) + 1e-9 for w in last)
        or abs(max(abs(w - mean) for w in last) - max(0.03 * mean, 0.5)) < 1e-6
    )

import pytest

from doubles.run_views import measured
from joulemark.metrics.value import Value, energy_value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"value": None}, "reason"),
        ({"value": 1.0, "reason": Reason.NO_METER}, "reason"),
        ({"value": float("nan")}, "finite"),
        ({"value": float("inf")}, "finite"),
        ({"value": 1.0, "lo": 0.5}, "together"),
        ({"value": 1.0, "interval": "ci95"}, "together"),
        ({"value": 1.0, "lo": 2.0, "hi": 0.5, "interval": "ci95"}, "lo <= hi"),
        ({"value": 3.0, "lo": 1.0, "hi": 2.0, "interval": "bound"}, "bound"),
    ],
)
def test_a_contradiction_is_refused(arguments, word):
    with pytest.raises(ValueError, match=word):
        Value(unit="J", **arguments)


def test_an_energy_keeps_its_bound_through_a_division():
    value = energy_value(measured(100.0, 10.0), divisor=4)
    assert (value.value, value.lo, value.hi, value.interval) == (25.0, 22.5, 27.5, "bound")


def test_a_withheld_energy_keeps_its_reason_and_detail():
    value = energy_value(Withheld(Reason.METER_LOST, "nvml:0 at 12 s"))
    assert value == withheld("J", Reason.METER_LOST, detail="nvml:0 at 12 s")
    with pytest.raises(ValueError, match="positive"):
        energy_value(measured(1.0), divisor=0)

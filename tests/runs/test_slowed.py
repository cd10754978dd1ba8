from doubles import run_views
from joulemark.metrics.run_view import Slowed
from joulemark.record.meter import Trust
from joulemark.record.telemetry import Quantity, Reading
from joulemark.runs.timelines import slowed_stretches
from joulemark.telemetry.timeline import Timeline


def _timeline(values, quantity=Quantity.THROTTLE_POWER_CAP_NS, segment=0):
    return Timeline.from_readings(
        Reading(segment, 1000 + k * 100, "nvml:0", "gpu:0", {quantity.value: float(v)})
        for k, v in enumerate(values)
    )


def _sources(trust=Trust.QUALIFIED):
    return [run_views.meter(trust=trust).qualified]


def test_advances_next_to_each_other_are_one_stretch():
    found = slowed_stretches(_timeline([0, 0, 5, 9, 9, 9, 12]), _sources())
    assert found == (
        Slowed(0, "nvml:0", "power_cap", 1100, 1300),
        Slowed(0, "nvml:0", "power_cap", 1500, 1600),
    )


def test_a_counter_that_stands_still_or_falls_is_no_slow_down():
    assert slowed_stretches(_timeline([7, 7, 7]), _sources()) == ()
    assert slowed_stretches(_timeline([7, 3, 3]), _sources()) == ()
    assert slowed_stretches(_timeline([7]), _sources()) == ()


def test_an_absent_source_and_other_quantities_say_nothing():
    assert slowed_stretches(_timeline([0, 9]), _sources(Trust.ABSENT)) == ()
    assert slowed_stretches(_timeline([0, 9], Quantity.TEMPERATURE_C), _sources()) == ()

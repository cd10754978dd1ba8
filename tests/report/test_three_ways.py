import dataclasses

import pytest

from doubles import run_views, varied_runs
from joulemark.metrics import summarize
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.reason import Reason
from joulemark.record.scope import WALL, Scope
from joulemark.report.three_ways import COUNTER, INTEGRATED, OUTSIDE, is_outside, three_ways
from joulemark.report.wording import DASH


def _ways(view):
    return three_ways(summarize(view), view)


def test_the_counter_leads_and_the_others_are_compared_with_it():
    counter, integrated, outside = _ways(varied_runs.with_wall_meter())
    assert [counter.title, integrated.title, outside.title] == [COUNTER, INTEGRATED, OUTSIDE]
    assert counter.leads
    assert not integrated.leads
    assert not outside.leads
    assert counter.source == integrated.source == "nvml:0"
    assert counter.scope == integrated.scope == "gpu:0"
    assert (outside.source, outside.scope) == ("shelly:desk", "wall")
    assert integrated.against == "-0.9 % against the counter"
    assert outside.against.startswith("+62.0 % against the headline")
    assert " … " in outside.bound


def test_what_is_missing_says_why():
    view = run_views.with_counter()
    _, integrated, outside = _ways(dataclasses.replace(view, integrated_energy=Withheld(Reason.GAP_TOO_LONG)))
    assert (integrated.text, integrated.why) == (DASH, Reason.GAP_TOO_LONG.text)
    assert (outside.text, outside.leads) == (DASH, False)
    assert "No wall meter" in outside.why
    for way in _ways(run_views.without_meter()):
        assert way.text == DASH
        assert not way.leads
    assert _ways(run_views.without_meter())[0].why == Reason.NO_METER.text


@pytest.mark.parametrize(
    ("quantities", "reason", "told"),
    [
        (("power_w",), None, "nvml:0 has no energy counter."),
        (("power_w", "energy_j"), "counter_frozen", "is not believed: counter_frozen"),
    ],
)
def test_without_a_counter_its_own_fault_is_named(quantities, reason, told):
    view = varied_runs.integrated_only()
    trust = run_views.Trust.QUALIFIED if reason is None else run_views.Trust.SUSPECT
    board = run_views.meter(quantities=quantities, trust=trust, reason=reason)
    manifest = view.manifest.model_copy(update={"meters": [board]})
    counter, integrated, _ = _ways(dataclasses.replace(view, manifest=manifest))
    assert counter.text == DASH
    assert told in counter.why
    assert integrated.leads
    assert integrated.against == ""


def test_a_wall_meter_alone_leads_and_the_device_has_no_figure():
    view = varied_runs.fitted()
    seen = MeasuredEnergy(900.0, 890.0, 910.0, "shelly:desk", (Scope(WALL),), Method.METER)
    view = dataclasses.replace(view, headline_energy=seen, headline_scope="wall", other_energy={})
    counter, integrated, outside = _ways(view)
    assert counter.text == integrated.text == DASH
    assert outside.leads
    assert outside.text == "900 J"


def test_a_wall_meter_that_saw_nothing_is_a_dash_with_its_reason():
    view = varied_runs.with_wall_meter()
    others = {**view.other_energy, "shelly:desk · wall": Withheld(Reason.METER_LOST)}
    outside = _ways(dataclasses.replace(view, other_energy=others))[2]
    assert (outside.text, outside.why, outside.against) == (DASH, Reason.METER_LOST.text, "")


def test_only_wall_and_supply_see_from_outside():
    assert is_outside("shelly:desk · wall")
    assert is_outside("pmbus:0 · psu")
    assert not is_outside("rapl:package-0 · package:0")
    assert not is_outside("wall · gpu:0")

"""A day at standby, from the idle power on file."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles import run_views
from doubles.run_views import measured
from joulemark.metrics import summarize
from joulemark.metrics.standby import above, idle_power_w, standby
from joulemark.metrics.value import Value
from joulemark.record.energy import Withheld
from joulemark.record.manifest import Baselines, Rates
from joulemark.record.reason import Reason

ON_FILE = Baselines(
    empty_idle_w=20.0,
    empty_idle_bound_w=(19.0, 21.0),
    loaded_idle_w=50.0,
    loaded_idle_bound_w=(48.0, 53.0),
    scope="gpu:0",
)
RATES = Rates(usd_per_kwh=0.25, gco2e_per_kwh=400.0, pue=1.5)


def figures(baselines=ON_FILE, total=None, scope="gpu:0", rates=RATES):
    return standby(baselines, measured(500.0) if total is None else total, scope, rates)


def test_a_day_by_hand():
    found = figures()
    kwh = found["standby_kwh_per_day"]
    assert (kwh.value, kwh.lo, kwh.hi) == (
        pytest.approx(1.2),
        pytest.approx(1.152),
        pytest.approx(1.272),
    )
    assert kwh.unit == "kWh/day"
    assert found["standby_usd_per_day"].value == pytest.approx(1.2 * 0.25 * 1.5)
    assert found["standby_gco2e_per_day"].value == pytest.approx(1.2 * 400 * 1.5)
    more = found["standby_above_empty_kwh_per_day"]
    assert more.value == pytest.approx(0.024 * 30)
    assert (more.lo, more.hi) == (pytest.approx(0.024 * 27), pytest.approx(0.024 * 34))


def test_each_missing_thing_has_its_own_reason():
    none = figures(Baselines(reasons={"loaded_idle_w": "no_baseline: At another limit."}))
    assert none["standby_kwh_per_day"].reason is Reason.NO_BASELINE
    assert none["standby_kwh_per_day"].detail == "At another limit."
    assert none["standby_usd_per_day"].reason is Reason.NO_BASELINE
    unpriced = figures(rates=Rates())
    assert unpriced["standby_usd_per_day"].reason is Reason.NO_PRICE
    assert unpriced["standby_gco2e_per_day"].reason is Reason.NO_GRID_INTENSITY
    half = figures(ON_FILE.model_copy(update={"empty_idle_w": None}))
    assert half["standby_above_empty_kwh_per_day"].reason is Reason.NO_BASELINE
    assert half["standby_kwh_per_day"].value is not None
    lost = figures(total=Withheld(Reason.METER_LOST))
    assert lost["standby_kwh_per_day"].reason is Reason.METER_LOST


def test_the_idle_of_another_scope_is_not_taken():
    value = idle_power_w(ON_FILE, "loaded", "package:0")
    assert value.reason is Reason.NO_BASELINE
    assert "gpu:0" in value.detail
    assert "package:0" in value.detail


@given(*[st.floats(0, 500) for _ in range(4)])
def test_the_difference_of_two_bounds_holds_every_difference(a, b, slack_a, slack_b):
    loaded = Value(a, "W", a - slack_a, a + slack_a, "bound")
    empty = Value(b, "W", b - slack_b, b + slack_b, "bound")
    more = above(loaded, empty)
    for x in (loaded.lo, loaded.hi):
        for y in (empty.lo, empty.hi):
            assert more.lo - 1e-9 <= x - y <= more.hi + 1e-9


def test_a_run_with_a_baseline_has_net_joules_and_standby_in_its_summary():
    view = run_views.with_counter()
    bare = summarize(view).figures
    assert bare["net_joules"].reason is Reason.NO_BASELINE
    manifest = view.manifest.model_copy(update={"baselines": ON_FILE})
    found = summarize(dataclasses.replace(view, manifest=manifest)).figures
    total = found["total_joules"]
    assert found["net_joules"].value == pytest.approx(total.value - 50.0 * view.duration_s)
    assert found["net_joules"].lo == pytest.approx(total.lo - 53.0 * view.duration_s)
    assert found["net_joules"].hi == pytest.approx(total.hi - 48.0 * view.duration_s)
    assert found["standby_kwh_per_day"].value == pytest.approx(1.2)
    assert found["modelled_wall_joules"].reason is Reason.NO_WALL_CALIBRATION

"""Which figures rest on a meter: derived from the definitions, and true of real summaries."""

import re

import pytest

from doubles import run_views, varied_runs
from doubles.compared_runs import without_joules
from joulemark.metrics import summarize, throttle
from joulemark.metrics.catalogue import definitions
from joulemark.report import terminal, wording
from joulemark.report.headline import ENERGY
from joulemark.report.lineage import fields, of_meters, of_rates
from joulemark.report.wording import DASH, shown

RECORD = re.compile(
    r"(telemetry|items|chunks|attribution|meters|client|rates|baselines|manifest)\.\w+( of the other)?"
    r"|windows|items|headline_scope|cost model of one run"
)


@pytest.mark.parametrize("defined", definitions(), ids=lambda defined: defined.name)
def test_every_figure_leads_back_to_the_record(defined):
    assert fields(defined.name)
    for field in fields(defined.name):
        assert RECORD.fullmatch(field), field
    if re.search(r"\b[JW]\b", defined.unit):
        assert of_meters(defined.name)
    if {"USD", "gCO2e"} & {defined.unit}:
        assert of_rates(defined.name)


def test_a_figure_made_of_figures_rests_on_what_they_rest_on():
    assert of_meters("gco2e_per_correct_answer")
    assert fields("gco2e_per_correct_answer") > fields("joules_per_correct_answer")
    assert not of_meters("cpu_seconds_per_correct_answer")
    assert not of_rates("joules_per_token")


def test_what_is_lost_with_the_joules_is_what_rests_on_a_meter():
    """The run is the same but for its joules: no figure may vanish that the definitions do not name."""
    view = varied_runs.fitted()
    full, bare = summarize(view), summarize(without_joules(view))
    lost = {n for n, v in full.figures.items() if v.value is not None and bare.figures[n].value is None}
    assert {"total_joules", "joules_per_token", "cost_fixed_joules"} <= lost
    assert all(map(of_meters, lost))


@pytest.mark.parametrize("make", [run_views.without_meter, lambda: without_joules(varied_runs.fitted())])
def test_without_a_meter_one_row_says_so_for_all(make):
    rows = {row.name: row for row in shown(summarize(make()))}
    assert [name for name, row in rows.items() if of_meters(name) and row.text == DASH] == [ENERGY]


def test_a_figure_of_a_rate_was_asked_for_and_says_why_it_is_missing():
    rows = {row.name: row for row in shown(summarize(without_joules(varied_runs.priced())))}
    for name in ("usd_per_correct_answer", "gco2e_per_correct_answer"):
        assert rows[name].text == DASH
        assert rows[name].why


def test_a_known_figure_is_never_left_out_for_want_of_joules():
    bare = summarize(without_joules(varied_runs.fitted()))
    assert bare.figures["thermal_throttle_pct"].value is not None
    assert "thermal_throttle_pct" in {row.name for row in shown(bare)}


def test_names_kept_by_hand_are_names_of_definitions():
    names = {defined.name: defined for defined in definitions()}
    assert set(names) >= terminal._ELSEWHERE
    assert set(terminal._SLOWED) == {defined.name for defined in throttle.DEFINITIONS}
    # a share is a percentage; these two have no unit and are none
    shares = {name for name, defined in names.items() if defined.unit == "1"}
    assert shares - wording._PERCENTAGES == {"mean_score", "cost_model_r2"}

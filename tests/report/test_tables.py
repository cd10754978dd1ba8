"""Small tables of the page: repeats, rates, standing, meters, items."""

import dataclasses

import pytest

from doubles import run_views, varied_runs
from joulemark.metrics import summarize
from joulemark.record.manifest import Rates, RateStep
from joulemark.record.meter import Qualification, Trust
from joulemark.record.reason import Reason
from joulemark.report.cells import Cell, known, notes
from joulemark.report.item_cost import item_costs
from joulemark.report.item_table import item_notes, item_rows
from joulemark.report.meter_table import meter_notes, meter_rows
from joulemark.report.rates import a_million, asked_for, missing_lines, rate_lines
from joulemark.report.repeats import left_out, n_repeats, spread_rows, spread_text
from joulemark.report.standing import standing
from joulemark.report.wording import DASH


def test_a_spread_is_shown_to_its_own_digits():
    summary = summarize(varied_runs.repeated())
    spread = summary.repeats["joules_per_correct_answer"]
    text = spread_text("joules_per_correct_answer", spread)
    assert text == f"{spread.mean:.0f} J ± {spread.sigma:.0f} J (n = 3)"
    rows = {row.name: row for row in spread_rows(summary)}
    assert rows["accuracy"].each == "50.0 %, 40.0 %, 55.0 %"
    assert "mean_score" not in rows


def test_one_run_has_no_row_of_a_spread():
    summary = summarize(run_views.with_counter())
    assert n_repeats(summary) == 1
    assert spread_rows(summary) == []


def test_a_repeat_that_was_cut_short_is_named():
    view = varied_runs.repeated()
    short = dataclasses.replace(view, items=view.items[:-1], attributions=view.attributions[:-1])
    assert left_out(summarize(short)) == "Left out, as it is not complete: repeat 3."
    assert left_out(summarize(view)) == ""


def test_a_figure_that_one_repeat_lacks_is_a_dash_with_its_reason():
    view = varied_runs.repeated()
    first = view.attributions[0]
    rows = (dataclasses.replace(first, joules=None, lo=None, hi=None, reason=Reason.GAP_TOO_LONG),)
    summary = summarize(dataclasses.replace(view, attributions=(*rows, *view.attributions[1:])))
    row = next(row for row in spread_rows(summary) if row.name == "total_joules")
    assert row.mean.text == row.sigma.text == DASH
    assert Reason.GAP_TOO_LONG.text in row.mean.why


def test_rates_come_with_their_source_and_only_what_counts():
    both = Rates(
        usd_per_kwh=0.2,
        usd_per_million_prompt_tokens=0.15,
        usd_per_million_completion_tokens=0.6,
        electricity_source="my bill",
        token_price_source="a list, 2026",
    )
    assert rate_lines(both, local=True) == ["Electricity: 0.2 USD per kWh (my bill)."]
    (tokens,) = rate_lines(both, local=False)
    assert "0.15 USD per million of the prompt, 0.6 USD per million of output (a list, 2026)" in tokens
    assert rate_lines(Rates(), local=True) == []
    assert asked_for(Rates()) == ()
    assert len(missing_lines(Rates())) == 2
    assert missing_lines(Rates(usd_per_kwh=0.0, gco2e_per_kwh=10.0)) == []
    assert asked_for(Rates(gco2e_per_kwh=10.0)) == ("gco2e_per_correct_answer", "gco2e_per_request")
    assert a_million(summarize(run_views.with_counter())) == ""


def test_rates_that_change_come_with_their_mean_their_range_and_their_time():
    steps = [
        RateStep(from_utc="2026-11-29T20:00Z", to_utc="2026-11-29T21:00Z", rate=0.1),
        RateStep(from_utc="2026-11-29T21:00Z", to_utc="2026-11-29T22:00Z", rate=-0.3),
    ]
    known = Rates(
        usd_per_kwh=-0.1, tariff=steps, electricity_source="House", gco2e_per_kwh=5, grid_series=steps[:1]
    )
    electricity, grid = rate_lines(known, local=True)
    for told in (
        "-0.1 USD per kWh while it was measured; its steps lie between -0.3 and 0.1",
        "(House)",
        "negative: using it was paid for",
    ):
        assert told in electricity
    assert grid.startswith("Grid: 5 g CO2e per kWh while it was measured (")
    unknown = Rates(electricity_source="House", grid_source="grid.csv", grid_zone="FR")
    electricity, grid = rate_lines(unknown, local=True)
    assert electricity == "Electricity: not known for all of the time that was measured (House)."
    assert grid.startswith("Grid: not known for all of the time that was measured (FR, grid.csv);")
    assert missing_lines(unknown) == []
    assert len(asked_for(unknown)) == 4


def test_making_the_machine_is_a_line_of_its_own():
    given = Rates(embodied_kgco2e=1500.0, lifetime_years=4.0, embodied_source="declared by the user")
    (line,) = rate_lines(given, local=True)
    assert line.startswith("Making the machine: 1500 kg CO2e over 4 years (declared by the user)")
    assert "never added" in line
    assert asked_for(given) == ("embodied_gco2e_per_correct_answer", "embodied_gco2e_per_request")
    assert asked_for(Rates(lifetime_years=4.0)) == asked_for(given)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "Not ranked: no reason was recorded"),
        ({"standing": "not ranked: a task of the user's own"}, "Not ranked: a task of the user's own"),
        ({"may_rank": True, "standing": "ranked within its task"}, "May be ranked: within its task"),
        ({"suite": "quick", "standing": "not ranked: too short."}, "Suite quick · not ranked: too short"),
        (
            {"suite": "full", "may_rank": True, "standing": "ranked within its tier"},
            "Suite full · may be ranked: within its tier",
        ),
        ({"suite": "full", "may_rank": True}, "Suite full · may be ranked"),
        ({"suite": "full", "standing": "it was cut short"}, "Suite full · not ranked: it was cut short"),
    ],
)  # fmt: skip
def test_the_standing_is_one_sentence(fields, told):
    assert standing(run_views.manifest(**fields)) == told


def test_nothing_is_ranked_by_no_answers():
    manifest = run_views.manifest(may_rank=True, suite="full", standing="ranked within its tier")
    assert standing(manifest, is_answered=False) == "Suite full · not ranked: nothing was answered"


def test_a_canary_is_said():
    told = standing(varied_runs.canary().manifest)
    assert told.split(" · ")[-1].lower().startswith("not ranked: a canary task")
    assert told.count("canary") == 1


def test_meters_without_a_figure_say_why():
    silent = run_views.meter(trust=Trust.SUSPECT, reason="counter_frozen")
    untested = silent.model_copy(update={"qualification": Qualification(Trust.SUSPECT, "counter_frozen")})
    view = run_views.with_counter()
    manifest = view.manifest.model_copy(update={"meters": [untested]})
    (row,) = rows = meter_rows(dataclasses.replace(view, manifest=manifest))
    assert row.period.text == row.ratio.text == DASH
    assert row.period.why
    assert len(meter_notes(rows)) == 2
    assert row.trust == "suspect: counter_frozen"


def test_items_without_counts_or_costs_say_why_by_their_own_reason():
    view = run_views.with_counter(12)
    told = {"completion_tokens": Reason.REQUEST_FAILED.value}
    items = tuple(
        dataclasses.replace(item, completion_tokens=None, reasons=told) if item.index == 3 else item
        for item in view.items
    )
    lost = dataclasses.replace(
        view.attributions[5], joules=None, lo=None, hi=None, reason=Reason.GAP_TOO_LONG
    )
    rows = (*view.attributions[:5], lost, *view.attributions[6:])
    view = dataclasses.replace(view, items=items, attributions=rows)
    table = item_rows(view, item_costs(view))
    assert table[3].output == Cell(DASH, Reason.REQUEST_FAILED.text)
    assert table[5].cost == table[5].bound == Cell(DASH, Reason.GAP_TOO_LONG.text)
    assert item_notes(table, "Joules") == [
        f"{DASH} Output tokens: {Reason.REQUEST_FAILED.text}",
        f"{DASH} Joules, Meter's bound: {Reason.GAP_TOO_LONG.text}",
    ]


def test_notes_gather_one_reason_once():
    cells = [("a", Cell(DASH, "x")), ("b", Cell("1")), ("a", Cell(DASH, "x")), ("c", known(None, "x"))]
    assert notes(cells) == [f"{DASH} a, c: x"]
    assert known(3, "x") == Cell("3")

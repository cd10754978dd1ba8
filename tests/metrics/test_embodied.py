"""What making the machine emitted: a share by time, apart from what its electricity emits."""

import dataclasses

import pytest

from doubles import run_views
from doubles.run_views import item, priced
from joulemark.metrics import summarize
from joulemark.metrics.embodied import SECONDS_PER_YEAR, embodied_figures, embodied_gco2e
from joulemark.record.item import Verdict
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason

GIVEN = Rates(embodied_kgco2e=1000.0, lifetime_years=4.0)
NAMES = ("embodied_gco2e_per_correct_answer", "embodied_gco2e_per_request")


def test_by_hand():
    # a tenth of a year of four: 1,000 kg / 40
    assert embodied_gco2e(GIVEN, SECONDS_PER_YEAR / 10).value == pytest.approx(25_000)
    answers = [item(k, verdict=Verdict.CORRECT if k < 5 else Verdict.WRONG) for k in range(20)]
    found = embodied_figures(GIVEN, 3600.0, answers, real_valued=False)
    grams = 1e6 * 3600 / (4 * SECONDS_PER_YEAR)
    assert found[NAMES[0]].value == pytest.approx(grams / 5)
    assert found[NAMES[1]].value == pytest.approx(grams / 20)
    assert found[NAMES[0]].unit == "gCO2e"


@pytest.mark.parametrize(
    ("rates", "lacking"),
    [
        (Rates(), ""),
        (Rates(embodied_kgco2e=1000.0), "--lifetime-years"),
        (Rates(lifetime_years=4.0), "--embodied-kg"),
    ],
)
def test_without_both_it_is_withheld(rates, lacking):
    value = embodied_gco2e(rates, 60.0)
    assert value.reason is Reason.NO_EMBODIED
    assert lacking in value.detail
    assert bool(value.detail) == bool(lacking)


@pytest.mark.parametrize("duration_s", [None, 0.0])
def test_no_time_no_share(duration_s):
    assert embodied_gco2e(GIVEN, duration_s).reason is Reason.NOT_APPLICABLE


def test_nothing_correct_and_no_notion_of_it():
    wrong = [item(k, verdict=Verdict.WRONG) for k in range(12)]
    found = embodied_figures(GIVEN, 60.0, wrong, real_valued=False)
    assert found[NAMES[0]].reason is Reason.NOTHING_CORRECT
    assert found[NAMES[1]].value is not None
    scored = [item(k, verdict=None, score=0.5) for k in range(12)]
    assert (
        embodied_figures(GIVEN, 60.0, scored, real_valued=True)[NAMES[0]].reason is Reason.REAL_VALUED_SCORE
    )
    assert embodied_figures(GIVEN, 60.0, [], real_valued=False)[NAMES[1]].reason is Reason.NOTHING_SCORED


def test_it_is_never_inside_the_operational_figure_and_needs_no_meter():
    bare = run_views.with_lengths()
    without = summarize(priced(bare, gco2e_per_kwh=344.0)).figures
    both = summarize(
        priced(bare, gco2e_per_kwh=344.0, embodied_kgco2e=1000.0, lifetime_years=4.0, pue=2.0)
    ).figures
    alone = summarize(priced(run_views.without_meter(), embodied_kgco2e=1000.0, lifetime_years=4.0)).figures
    for name in ("gco2e_per_correct_answer", "gco2e_per_request"):
        assert both[name].value == pytest.approx(2 * without[name].value)
    assert all(alone[name].value > 0 for name in NAMES)
    # PUE is of electricity
    one = summarize(priced(bare, embodied_kgco2e=1000.0, lifetime_years=4.0)).figures
    assert one[NAMES[1]] == both[NAMES[1]]


def test_a_run_of_which_nothing_was_completed():
    view = priced(run_views.without_meter(), embodied_kgco2e=1000.0, lifetime_years=4.0)
    failed = tuple(dataclasses.replace(one, verdict=Verdict.FAILED, correct=False) for one in view.items)
    figures = summarize(dataclasses.replace(view, items=failed)).figures
    assert figures[NAMES[0]].value is None


def test_a_huge_mass_is_withheld_and_stops_nothing():
    value = embodied_gco2e(Rates(embodied_kgco2e=1e306, lifetime_years=1e-9), 1e6)
    assert value.reason is Reason.NOT_APPLICABLE

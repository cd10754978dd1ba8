"""The figures at the limits of a run: in its summary, by the manifest alone, with a reason for each null."""

from __future__ import annotations

import dataclasses
import json

import pytest

from doubles import loaded_views, run_views
from joulemark.metrics import summarize
from joulemark.metrics.run_view import RunView
from joulemark.metrics.slo import Slo, slo_share
from joulemark.metrics.slo_energy import joules_per_correct_answer_at, share_correct_at
from joulemark.metrics.slo_summary import slo_figures

SLO = Slo(tpot_s=0.05, e2el_s=1.0)


def limited(view: RunView, slo: Slo) -> RunView:
    manifest = view.manifest.model_copy(update={"limits_s": slo.limits})
    return dataclasses.replace(view, manifest=manifest)


def test_a_run_with_limits_has_all_three_figures_in_its_json() -> None:
    view = limited(loaded_views.closed(), SLO)
    told = summarize(view).to_json()["slo"]
    share, correct = slo_share(view.measured_items, view.chunks, SLO), share_correct_at(view, SLO)
    joules = joules_per_correct_answer_at(view, SLO)
    assert isinstance(told, dict)
    assert told["limits_s"] == {"tpot": 0.05, "e2el": 1.0}
    assert (told["share"], told["n"]) == (share.value, share.n) == (share.value, 388)
    assert told["share_correct"] == correct.value
    assert told["joules_per_correct_answer"] == joules.value
    assert None not in (share.value, correct.value, joules.value)
    assert told["reasons"] == {}
    intervals = told["intervals"]
    assert isinstance(intervals, dict)
    assert intervals["joules_per_correct_answer"] == {"lo": joules.lo, "hi": joules.hi, "kind": "ci95"}
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_stricter_limits_are_kept_by_fewer_and_cost_more() -> None:
    loose = slo_figures(limited(loaded_views.closed(), Slo(e2el_s=1.5)))
    strict = slo_figures(limited(loaded_views.closed(), Slo(e2el_s=0.9)))
    assert loose is not None
    assert strict is not None
    assert (strict.share.value or 0) < (loose.share.value or 0)
    assert (strict.joules_per_correct_answer.value or 0) > (loose.joules_per_correct_answer.value or 1e9)


def test_without_limits_it_is_null_and_says_why() -> None:
    document = summarize(loaded_views.closed()).to_json()
    assert document["slo"] is None
    reasons = document["reasons"]
    assert isinstance(reasons, dict)
    reason = reasons["slo"]
    assert isinstance(reason, dict)
    assert (reason["code"], reason["detail"]) == ("not_applicable", "No limit was given.")


@pytest.mark.parametrize("make", [run_views.with_counter, run_views.without_meter, loaded_views.refused])
def test_where_there_is_no_steady_state_the_share_stays_and_the_rest_says_why(make: object) -> None:
    assert callable(make)
    told = summarize(limited(make(), Slo(e2el_s=1e6))).to_json()["slo"]
    assert isinstance(told, dict)
    assert told["share"] == 1.0
    for name in ("share_correct", "joules_per_correct_answer"):
        assert told[name] is None
        assert isinstance(told["reasons"], dict)
        assert told["reasons"][name]

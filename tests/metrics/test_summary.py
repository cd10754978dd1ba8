import dataclasses
import json
import math

import pytest

from doubles import run_views
from doubles.run_views import item
from joulemark.metrics import definitions, summarize
from joulemark.record.energy import Withheld
from joulemark.record.item import Verdict
from joulemark.record.manifest import ClientProof, Device
from joulemark.record.meter import Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

VIEWS = {
    "counter": run_views.with_counter,
    "failures": lambda: run_views.with_counter(with_failures=True),
    "no meter": run_views.without_meter,
    "not streamed": run_views.not_streamed,
    "replayed": run_views.replayed,
}


@pytest.fixture(params=VIEWS, scope="module")
def view(request):
    return VIEWS[request.param]()


def _codes(summary, *, loud=None):
    return {c.code for c in summary.caveats if loud is None or c.loud == loud}


def _changed(view, **fields):
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update=fields))


def test_every_figure_is_defined_once_and_in_its_unit(view):
    summary = summarize(view)
    defined = {d.name: d for d in definitions()}
    assert len(defined) == len(definitions())
    assert set(defined) == set(summary.figures) | set(summary.latency)
    for name, value in summary.figures.items():
        assert value.unit == defined[name].unit, name
    for name, latency in summary.latency.items():
        assert {v.unit for v in latency.answered.values()} == {defined[name].unit}


def test_definitions_are_complete_and_readable():
    for d in definitions():
        assert d.title
        assert d.latex
        assert d.inputs
        assert d.source
        assert not set("\\{}") & set(d.formula), d.formula
        assert d.formula in d.tooltip()


def test_json_is_strict_unrounded_and_gives_a_reason_for_every_null(view):
    summary = summarize(view)
    document = summary.to_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    for name, value in summary.figures.items():
        assert document[name] == value.value
        assert (name in document["reasons"]) == (document[name] is None)
        assert document["units"][name] == value.unit
    for name in ("measurement_tier", "energy_source", "headline_source", "headline_scope", "streaming_used"):
        assert (name in document["reasons"]) == (document[name] is None), name
    for form in document["latency"].values():
        for kind in ("answered", "with_failures"):
            nulls = {p for p, v in form[kind].items() if v is None}
            assert nulls == set(form[f"{kind}_reasons"])


def test_the_contract_names_are_there():
    document = summarize(run_views.with_counter()).to_json()
    for name in (
        "joules_per_correct_answer", "joules_per_token", "joules_per_request", "ipj", "accuracy_per_watt",
        "net_joules", "counter_vs_integration_pct_diff", "thermal_throttle_pct", "power_cap_throttle_pct",
        "streaming_used", "energy_source", "cpu_seconds_per_correct_answer", "measurement_tier", "accuracy",
    ):  # fmt: skip
        assert name in document


def test_figures_agree_with_each_other():
    view = run_views.with_counter(with_failures=True)
    summary = summarize(view)
    f = {name: value.value for name, value in summary.figures.items()}
    assert f["joules_per_correct_answer"] * summary.n_correct == pytest.approx(f["total_joules"])
    assert f["joules_per_correct_answer"] * f["ipj"] == pytest.approx(1.0)
    assert f["joules_per_request"] * summary.n_requests == pytest.approx(f["total_joules"])
    assert f["mean_power_w"] * summary.duration_s == pytest.approx(f["total_joules"])
    assert (
        summary.n_correct + sum(n for v, n in summary.verdicts.items() if v != "correct")
        == summary.n_requests
    )
    assert f["counter_vs_integration_pct_diff"] == pytest.approx(2.7)
    assert (summary.measurement_tier, summary.energy_source, summary.headline_scope) == (
        "C",
        "counter",
        "gpu:0",
    )
    check = summary.checks[0]
    assert check.items_j + check.idle_j + check.residual_j == pytest.approx(f["total_joules"])


def test_warm_up_items_count_nowhere():
    view = run_views.with_counter()
    dropped = dataclasses.replace(view, items=view.measured_items)
    assert len(view.items) == len(dropped.items) + 1
    assert summarize(view) == summarize(dropped)


def test_the_summary_is_a_pure_function():
    assert summarize(run_views.with_counter()) == summarize(run_views.with_counter())


def test_no_meter_says_so_loudly_and_keeps_what_is_valid():
    summary = summarize(run_views.without_meter())
    loud = next(c for c in summary.caveats if c.loud)
    assert loud is summary.caveats[0]
    assert "joulemark doctor" in loud.text
    assert summary.figures["joules_per_correct_answer"].reason is Reason.NO_METER
    assert summary.tier_reason is Reason.NO_METER
    for name in ("accuracy", "cpu_seconds_per_correct_answer", "tokens_per_second"):
        assert math.isfinite(summary.figures[name].value)
    remote = dataclasses.replace(run_views.without_meter(), headline_energy=Withheld(Reason.ENGINE_REMOTE))
    assert "on the machine that runs the engine" in summarize(remote).caveats[0].text


def test_a_replayed_meter_is_said_first_and_has_no_tier():
    summary = summarize(run_views.replayed())
    assert summary.replayed
    assert summary.caveats[0].code == "replayed_meter"
    assert summary.caveats[0].loud
    assert summary.measurement_tier is None


def test_caveats_follow_from_what_was_recorded():
    view = run_views.with_counter()
    assert _codes(summarize(view), loud=True) == set()
    shared = Device(
        uuid_hash="x", name="Board", scope=str(Scope.gpu(0)), engine_on_device=False, other_processes=["Xorg"]
    )
    cases = {
        "client_invalid": {"client": [ClientProof(segment=0, invalid=["late_sends"])]},
        "shared_device": {"devices": [shared]},
        "engine_not_on_device": {"devices": [shared]},
        "partial": {"state": "partial"},
        "resumed": {"segments": view.manifest.segments * 2},
        "prefix_cache": {"engine": view.manifest.engine.model_copy(update={"prefix_cache": None})},
        "suspect_meter": {"meters": [run_views.meter(trust=Trust.SUSPECT, reason="it stood still")]},
        "note": {"notes": ["the fan was loud"]},
    }
    for code, fields in cases.items():
        assert code not in _codes(summarize(view))
        assert code in _codes(summarize(_changed(view, **fields))), code
    assert summarize(_changed(view, **cases["client_invalid"])).invalid == ("late_sends",)
    drifting = dataclasses.replace(
        view, integrated_energy=dataclasses.replace(view.integrated_energy, joules=1.0, lo=0.0)
    )
    assert "drift" in _codes(summarize(drifting), loud=True)
    hot = dataclasses.replace(view, throttle_s={"sw_thermal": 2.0})
    assert "thermal_throttle" in _codes(summarize(hot))


def test_failures_and_retries_are_told():
    summary = summarize(run_views.with_counter(with_failures=True))
    assert {"failed_requests", "retried"} <= _codes(summary)
    assert summary.n_retried == 13
    assert summary.verdicts["failed"] == 7


def test_an_empty_run_is_all_reasons_and_no_crash():
    empty = dataclasses.replace(run_views.without_meter(), items=(), duration_s=None, cpu_seconds=None)
    summary = summarize(empty)
    json.dumps(summary.to_json(), allow_nan=False)
    cpu_reason = summary.figures["cpu_seconds"].reason
    assert cpu_reason is Reason.CPU_NOT_OBSERVED
    assert all(value.value is None for value in summary.figures.values())


def test_a_run_of_failures_only():
    failed = tuple(
        item(k, verdict=Verdict.FAILED, streamed=None, first_s=None, tokens=None) for k in range(12)
    )
    summary = summarize(dataclasses.replace(run_views.with_counter(), items=failed, chunks={}))
    assert summary.figures["accuracy"].value == 0.0
    assert summary.figures["joules_per_correct_answer"].reason is Reason.NOTHING_CORRECT
    assert summary.streaming_used is None
    assert "failed_requests" in _codes(summary, loud=True)

"""The names of the record's contract: each derived one is defined, and is in every summary."""

import ast
import dataclasses
from pathlib import Path

import pytest

import joulemark.metrics
from doubles import loaded_views, run_views, varied_runs
from doubles.points import point
from joulemark.metrics import definition, definitions, summarize
from joulemark.metrics.catalogue import (
    NOT_FIGURES,
    all_definitions,
    code_definitions,
    comparison_definitions,
    picking_definitions,
    recommendation_definitions,
)
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.limits import Limit
from joulemark.metrics.recommendation import Wish, recommend
from joulemark.metrics.recommendation_json import UNITS, recommendation_json
from joulemark.metrics.value import Value

SCALARS = (
    "joules_per_correct_answer",
    "joules_per_token",
    "joules_per_request",
    "mean_completion_tokens",
    "ipj",
    "accuracy",
    "accuracy_excluding_truncated",
    "accuracy_per_watt",
    "net_joules",
    "total_joules",
    "counter_vs_integration_pct_diff",
    "thermal_throttle_pct",
    "power_cap_throttle_pct",
    "usd_per_correct_answer",
    "usd_per_request",
    "gco2e_per_correct_answer",
    "gco2e_per_request",
    "cpu_seconds_per_correct_answer",
    "cost_fixed_joules",
    "cost_joules_per_prompt_token",
    "cost_joules_per_completion_token",
    "cost_model_r2",
    "engine_prefill_tokens_per_second",
    "engine_decode_tokens_per_second",
    "engine_prefill_share",
    "mean_score",
)
LATENCIES = ("ttft", "ttfa", "tpot", "icl", "itl", "e2el", "ttft_scheduled", "e2el_scheduled")
WORDS = ("streaming_used", "energy_source", "measurement_tier")


@pytest.mark.parametrize("name", [*SCALARS, *LATENCIES, *WORDS, "cost_model_transfer_pct"])
def test_every_name_of_the_contract_is_defined(name):
    assert definition(name).name == name


@pytest.mark.parametrize("view", [run_views.with_counter, run_views.without_meter, run_views.with_lengths])
def test_every_summary_has_them(view):
    summary = summarize(view())
    document = summary.to_json()
    assert set(SCALARS) <= set(summary.figures)
    assert set(LATENCIES) == set(summary.latency)
    for name in (*SCALARS, *WORDS):
        assert (document[name] is None) == (name in document["reasons"]), name


def test_what_is_no_scalar_is_named():
    assert {d.name for d in definitions()} >= NOT_FIGURES


def written_definitions():
    """The modules whose source makes definitions, found without importing any of it."""
    package = Path(joulemark.metrics.__file__).parent
    for path in sorted(package.rglob("*.py")):
        tree = ast.parse(path.read_text())
        if any(isinstance(n, ast.Call) and ast.unparse(n.func) == "MetricDefinition" for n in ast.walk(tree)):
            yield ".".join(path.relative_to(package).with_suffix("").parts)


@pytest.mark.parametrize("module", list(written_definitions()))
def test_no_definition_is_left_out(module):
    held = vars(__import__(f"joulemark.metrics.{module}", fromlist=["x"]))
    here = [one for one in held.values() if isinstance(one, MetricDefinition)]
    assert here or "DEFINITIONS" in held
    assert set(here) <= set(all_definitions())
    assert set(held.get("DEFINITIONS", ())) <= set(all_definitions())


def test_each_name_is_defined_once():
    names = [one.name for one in all_definitions()]
    assert len(names) == len(set(names))
    elsewhere = (
        *comparison_definitions(),
        *recommendation_definitions(),
        *picking_definitions(),
        *code_definitions(),
    )
    apart = {one.name for one in elsewhere}
    assert set(names) == {one.name for one in definitions()} | apart
    assert not {one.name for one in definitions()} & apart


def numbers(document):
    """The keys of a document whose value is a number."""
    return {key for key, value in document.items() if type(value) in (int, float)}


def limited(view):
    return dataclasses.replace(
        view, manifest=view.manifest.model_copy(update={"limits_s": {"e2el": 1.0, "ttft": 0.5}})
    )


SUMMARIES = (
    run_views.with_counter,
    run_views.without_meter,
    varied_runs.fitted,
    varied_runs.priced,
    loaded_views.closed,
    loaded_views.poisson,
    loaded_views.refused,
)


@pytest.mark.parametrize("make", SUMMARIES)
def test_every_number_of_a_summary_is_defined(make):
    document = summarize(limited(make())).to_json()
    told = {*numbers(document), *document["units"]}
    assert told - {one.name for one in definitions()} == set()
    at_limits = numbers(document["slo"]) | set(document["slo"]["reasons"])
    # how many requests the share is of is a count beside it, as `counts` are beside the others
    assert {f"slo_{name}" for name in at_limits - {"n"}} <= {one.name for one in definitions()}
    assert "slo_share" in {f"slo_{name}" for name in at_limits}


@pytest.mark.parametrize("wish", [Wish(), Wish((Limit("tpot_mean", 0.001),))])
def test_every_number_of_a_recommendation_is_defined_and_in_its_unit(wish):
    known = {"throughput": Value(2.0, "1/s"), "tokens_per_second": Value(400.0, "tokens/s")}
    known |= {"mean_power_w": Value(300.0, "W"), "tdp_energy_j": Value(90.0, "J")}
    known |= {"usd": Value(0.1, "USD"), "gco2e": Value(3.0, "gCO2e")}
    some = [point(60, 0.05, accuracy=0.8, **known), point(50, 0.07, accuracy=0.8, **known)]
    document = recommendation_json(recommend(some, wish))
    defined = {one.name: one for one in all_definitions()}
    told = {*numbers(document), *document["units"]}
    assert told - set(defined) == set()
    assert {"tdp_ratio", "saving_fraction", "throughput_per_watt", "n_met"} <= told
    for name, unit in {**document["units"], **UNITS}.items():
        assert defined[name].unit == unit, name


def test_an_unknown_name_is_refused():
    with pytest.raises(KeyError, match="joules_per_mile"):
        definition("joules_per_mile")


def test_the_split_of_the_energy_of_a_request_shows_verbosity():
    f = summarize(run_views.with_counter()).figures
    product = f["joules_per_token"].value * f["mean_completion_tokens"].value
    assert product == pytest.approx(f["joules_per_request"].value)

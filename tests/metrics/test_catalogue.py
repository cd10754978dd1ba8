"""The names of the record's contract: each derived one is defined, and is in every summary."""

import pytest

from doubles import run_views
from joulemark.metrics import definition, definitions, summarize
from joulemark.metrics.catalogue import NOT_FIGURES

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


def test_an_unknown_name_is_refused():
    with pytest.raises(KeyError, match="joules_per_mile"):
        definition("joules_per_mile")


def test_the_split_of_the_energy_of_a_request_shows_verbosity():
    f = summarize(run_views.with_counter()).figures
    product = f["joules_per_token"].value * f["mean_completion_tokens"].value
    assert product == pytest.approx(f["joules_per_request"].value)

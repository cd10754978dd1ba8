"""Warnings that come from the terms a run was made on, and from what became of its requests."""

import dataclasses

import pytest

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.record.item import Verdict
from joulemark.record.manifest import Sampling


def _caveat(view, code):
    return next((c for c in summarize(view).caveats if c.code == code), None)


def _changed(view, **fields):
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update=fields))


def _task(view, **fields):
    return _changed(view, task=view.manifest.task.model_copy(update=fields))


def test_a_plain_run_has_none_of_them():
    codes = {c.code for c in summarize(run_views.with_lengths()).caveats}
    assert not codes & {
        "canary_task", "preset", "real_valued_score", "declared_rates", "repeats_alike", "repeats_unseeded",
        "repeats_left_out", "truncated", "engine_time",
    }  # fmt: skip


def test_a_canary_is_carried_and_not_ranked():
    assert "never ranked" in _caveat(_task(run_views.with_lengths(), is_canary=True), "canary_task").text


def test_another_preset_is_named():
    assert "frugal-paper" in _caveat(_task(run_views.with_lengths(), preset="frugal-paper"), "preset").text


def test_a_real_valued_score_has_no_cost_per_correct_answer():
    view = run_views.with_lengths()
    items = tuple(dataclasses.replace(i, verdict=None, correct=None, score=0.5) for i in view.items)
    scored = _task(dataclasses.replace(view, items=items), score_range=(0.0, 1.0))
    caveat = _caveat(scored, "real_valued_score")
    assert "from 0 to 1" in caveat.text
    f = summarize(scored).figures
    assert f["joules_per_correct_answer"].value is None
    assert f["mean_score"].interval == "ci95"


def test_repeats_at_temperature_0_and_without_a_seed():
    cold = run_views.with_lengths(12, repeats=2)
    assert "the machine's" in _caveat(cold, "repeats_alike").text
    assert _caveat(cold, "single_run") is None
    unseeded = _changed(cold, sampling=Sampling(temperature=0.7, max_tokens=128))
    assert "`--seed`" in _caveat(unseeded, "repeats_unseeded").text
    assert _caveat(unseeded, "repeats_alike") is None
    seeded = _changed(cold, sampling=Sampling(temperature=0.7, seed=1, max_tokens=128))
    assert _caveat(seeded, "repeats_unseeded") is None
    assert _caveat(run_views.with_lengths(12), "single_run") is not None


@pytest.mark.parametrize(
    ("rates", "words", "absent"),
    [
        ({"usd_per_kwh": 0.4, "electricity_source": "my bill"}, "0.4 USD/kWh (my bill)", "CO2e"),
        (
            {"gco2e_per_kwh": 56.0, "grid_zone": "FRA", "grid_source": "OWID"},
            "56 g/kWh (FRA, OWID)",
            "dollars",
        ),
        ({"gco2e_per_kwh": 56.0, "pue": 1.2}, "the building adds a factor of 1.2", "dollars"),
        (
            {"usd_per_million_prompt_tokens": 1.0, "usd_per_million_completion_tokens": 2.0},
            "tokens times declared prices",
            "metered energy times",
        ),
    ],
)
def test_declared_rates_are_said_to_be_declared(rates, words, absent):
    text = _caveat(run_views.priced(run_views.with_lengths(), **rates), "declared_rates").text
    assert words in text
    assert absent not in text
    assert "not measured" in text


def test_rates_that_gave_no_figure_are_not_spoken_of():
    assert _caveat(run_views.priced(run_views.without_meter(), usd_per_kwh=0.4), "declared_rates") is None


@pytest.mark.parametrize(("n", "loud"), [(1, False), (4, False), (5, True)])
def test_many_truncated_answers_are_loud(n, loud):
    view = run_views.with_lengths(20)
    items = tuple(
        dataclasses.replace(i, verdict=Verdict.TRUNCATED, correct=False) if k < n else i
        for k, i in enumerate(view.items)
    )
    caveat = _caveat(dataclasses.replace(view, items=items), "truncated")
    assert caveat.loud == loud
    assert f"{n} of 20" in caveat.text

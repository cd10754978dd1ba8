import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.metrics.cost_model import cost_figures, cost_model, fit
from joulemark.metrics.cost_points import CostPoint, cost_points
from joulemark.record.attribution import Attribution
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt, Verdict
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason

NAMES = (
    "cost_fixed_joules",
    "cost_joules_per_prompt_token",
    "cost_joules_per_completion_token",
    "cost_model_r2",
)


def points(lengths, cost, noise=None):
    extra = np.zeros(len(lengths)) if noise is None else noise
    return [
        CostPoint(f"q{k}", 0, int(p), int(c), float(cost(p, c) + extra[k]))
        for k, (p, c) in enumerate(lengths)
    ]


def lengths(rng, n=40, prompt=(40, 300), output=(5, 120)):
    return list(zip(rng.integers(*prompt, n).tolist(), rng.integers(*output, n).tolist(), strict=True))


def test_the_coefficients_by_hand():
    # twelve requests of 10 J + 0.5 J a prompt token + 2 J an output token, without noise
    table = [(10 * (k % 4 + 1), 5 * (k // 4 + 1)) for k in range(12)]
    model = fit(points(table, lambda p, c: 10 + 0.5 * p + 2 * c))
    assert model.coefficients == pytest.approx((10.0, 0.5, 2.0))
    assert (model.n, model.n_items, model.reason) == (12, 12, None)
    assert (model.prompt_range, model.completion_range) == ((10, 40), (5, 15))
    assert model.r2 == pytest.approx(1.0)
    assert model.residual_sd_j == pytest.approx(0.0, abs=1e-9)
    assert np.array(model.covariance).shape == (3, 3)


def test_errors_of_a_balanced_design_by_hand():
    # 8 corners of prompt 10|30 and output 10|30, doubled to 16 items, residuals ±1 that no column explains
    table, signs = [], []
    for p in (10, 30):
        for c in (10, 30):
            for sign in (1, -1, 1, -1):
                table.append((p, c))
                signs.append(sign)
    model = fit(points(table, lambda p, c: 5 + p + 2 * c, np.array(signs, float)))
    # leverage 3/16 everywhere; HC3 = (X'X)^-1 (16/13)², and Var(alpha) = 1 / Σ (p - 20)² = 1/1600
    assert model.alpha_j_per_token == pytest.approx(1.0)
    assert model.se_alpha_j_per_token == pytest.approx(16 / 13 / 40)
    assert model.residual_sd_j == pytest.approx(math.sqrt(16 / 13))


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32 - 1), st.floats(0, 500), st.floats(0, 5), st.floats(0.1, 50), st.floats(0.01, 1000)
)
def test_true_coefficients_come_back_in_any_unit(seed, fixed, alpha, beta, unit):
    rng = np.random.default_rng(seed)
    table = lengths(rng)
    model = fit(points(table, lambda p, c: (fixed + alpha * p + beta * c) * unit))
    assert model.reason is None
    slack = 1e-7 * unit * (fixed + alpha * 300 + beta * 120 + 1)
    assert model.coefficients == pytest.approx((fixed * unit, alpha * unit, beta * unit), rel=1e-6, abs=slack)


def test_fewer_than_ten_items_have_no_model_however_often_they_are_repeated():
    rng = np.random.default_rng(1)
    once = points(lengths(rng, 9), lambda p, c: 10 + 0.5 * p + 2 * c)
    again = [dataclasses.replace(p, repeat=r) for r in range(5) for p in once]
    for few in (once, again):
        model = fit(few)
        assert model.reason is Reason.TOO_FEW_ITEMS
        assert "needs 10 items; 9" in model.detail
        assert model.coefficients is None
    assert fit([]).reason is Reason.TOO_FEW_ITEMS


@pytest.mark.parametrize(
    "table",
    [
        [(40, 5 + k) for k in range(20)],
        [(40 + k, 7) for k in range(20)],
        [(40 + k, 10 + 2 * k) for k in range(20)],
        [(40 + k, 0) for k in range(20)],
        [((10, 20, 30)[k % 3], (5, 20, 9)[k % 3]) for k in range(20)],
        [(2000 + k % 3, 5 + k) for k in range(20)],
        [(40, 5 + k) for k in range(19)] + [(90, 7)],
    ],
    ids=[
        "same prompts",
        "same answers",
        "in step",
        "no answers",
        "three designs",
        "nearly the same",
        "one item",
    ],
)
def test_lengths_that_cannot_tell_the_coefficients_apart(table):
    model = fit(points(table, lambda p, c: 10 + 0.5 * p + 2 * c))
    assert model.reason is Reason.NOT_IDENTIFIED
    assert model.coefficients is None
    assert str(min(c for _, c in table)) in model.detail
    assert {v.reason for v in cost_figures(model).values()} == {Reason.NOT_IDENTIFIED}


def test_a_coefficient_negative_beyond_its_error_is_no_cost():
    rng = np.random.default_rng(2)
    table, noise = lengths(rng), rng.normal(0, 1, 40)
    model = fit(points(table, lambda p, c: 200 - 0.5 * p + 2 * c, noise))
    assert model.reason is Reason.NEGATIVE_COST
    assert "joules per prompt token: -0.5" in model.detail
    assert model.condition > 1
    # a true 0 that comes out a little below 0 is within its error
    negatives = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        found = fit(points(lengths(rng), lambda p, c: 20 + 2 * c, rng.normal(0, 3, 40)))
        negatives += found.coefficients is not None and found.alpha_j_per_token < 0
    assert negatives > 5


@pytest.mark.parametrize("joules", [0.0, 5.0, 50.0])
def test_requests_that_all_cost_the_same_have_no_model(joules):
    model = fit(points(lengths(np.random.default_rng(3)), lambda p, c: joules))
    assert (model.reason, model.coefficients, model.r2) == (Reason.NOT_IDENTIFIED, None, None)
    assert "All requests cost the same" in model.detail
    assert {v.reason for v in cost_figures(model).values()} == {Reason.NOT_IDENTIFIED}


@pytest.mark.parametrize("n", [12, 30, 60])
def test_energies_that_have_nothing_to_do_with_the_lengths_have_no_model(n):
    shown = 0
    for seed in range(100):
        rng = np.random.default_rng(400 + seed)
        model = fit(points(lengths(rng, n), lambda p, c: 0.0, np.abs(rng.normal(100, 60, n))))
        shown += model.reason is None
        if model.reason is Reason.NOT_IDENTIFIED and "R²" in model.detail:
            assert model.detail.startswith("The lengths do not explain the energy: R² = 0.")
    assert shown <= {12: 10, 30: 2, 60: 0}[n]


def test_one_outlier_and_a_law_that_is_not_linear_have_no_model():
    rng = np.random.default_rng(5)
    table = lengths(rng, 30)
    spike = np.where(np.arange(30) == 0, 1e6, 0.0)
    model = fit(points(table, lambda p, c: 10 + 0.1 * p + 2 * c, spike))
    assert (model.reason, "R² = 0.0" in model.detail) == (Reason.NOT_IDENTIFIED, True)
    bent = fit(points([(50 + 7 * k % 100, 10 * k) for k in range(30)], lambda p, c: c * c))
    assert bent.coefficients is None
    assert "fixed joules: -8.89e+03" in bent.detail


def test_no_energy_per_token_above_its_error_is_no_model():
    # one long answer that cost much explains the variance, and alone
    table = [(40 + 10 * (k % 5), 5 + k % 3) for k in range(19)] + [(60, 400)]
    noise = np.array([8.0 * (-1) ** k for k in range(19)] + [60.0])
    model = fit(points(table, lambda p, c: 100.0, noise))
    assert (model.reason, "above its error" in model.detail) == (Reason.NOT_IDENTIFIED, True)


@pytest.mark.parametrize("joules", [float("nan"), float("inf"), -float("inf")])
def test_an_energy_that_is_no_finite_number_is_refused(joules):
    good = points(lengths(np.random.default_rng(6)), lambda p, c: 10 + 0.1 * p + 2 * c)
    model = fit([dataclasses.replace(good[0], joules=joules), *good[1:]])
    assert (model.reason, model.coefficients) == (Reason.NOT_IDENTIFIED, None)
    assert "1 of 40 requests is not a finite number" in model.detail


def test_which_requests_can_be_used():
    one = run_views.item(0)
    row = Attribution("q0", 0, 0, "sequential", "gpu:0", 12.0, 11.0, 13.0)
    assert cost_points([one], {one.key: row}) == (CostPoint("q0", 0, 40, 11, 12.0),)
    assert cost_points([dataclasses.replace(one, cached_tokens=15)], {one.key: row})[0].prompt_tokens == 25
    tries = (Attempt(one.t_sent - 9, one.t_sent - 5, "reset"), Attempt(one.t_sent, one.t_end))
    for changed in (
        {"verdict": Verdict.FAILED},
        {"prompt_tokens": None},
        {"completion_tokens": None},
        {"attempts": tries},
        {"cached_tokens": 41},
    ):
        assert cost_points([dataclasses.replace(one, **changed)], {one.key: row}) == (), changed
    assert cost_points([one], {}) == ()
    lost = dataclasses.replace(row, joules=None, lo=None, hi=None, reason=Reason.COUNTER_RESET)
    assert cost_points([one], {one.key: lost}) == ()


def test_a_run_gives_its_coefficients_with_intervals():
    figures = summarize(run_views.with_lengths(60)).figures
    for name, truth in zip(NAMES, (30.0, 0.05, 1.5), strict=False):
        value = figures[name]
        assert (value.interval, value.n) == ("ci95", 60)
        assert value.lo < value.value < value.hi
        assert value.value == pytest.approx(truth, abs=2 * (value.hi - value.lo))
    assert figures["cost_model_r2"].value > 0.98


def test_the_interval_of_a_coefficient_holds_the_truth_with_unequal_noise():
    held = 0
    for seed in range(400):
        rng = np.random.default_rng(9_000 + seed)
        table = lengths(rng, 40)
        noise = rng.normal(0, 1, 40) * [0.02 + 0.0008 * c * c for _, c in table]
        value = cost_figures(fit(points(table, lambda p, c: 30 + 0.05 * p + 1.5 * c, noise)))[NAMES[2]]
        held += value.lo <= 1.5 <= value.hi
    assert held >= 0.93 * 400


def test_a_loaded_run_has_no_cost_model():
    view = run_views.with_lengths()
    loaded = dataclasses.replace(
        view, manifest=view.manifest.model_copy(update={"load": Load(mode="closed", concurrency=4)})
    )
    model = cost_model(loaded)
    assert (model.reason, model.concurrency) == (Reason.OVERLAPPED, 4)
    assert "would carry its load" in model.detail
    late = dataclasses.replace(view.items[0], t_end=view.items[1].t_end)
    assert cost_model(dataclasses.replace(view, items=(late, *view.items[1:]))).reason is Reason.OVERLAPPED


def test_a_request_cut_off_after_the_others_leaves_the_model():
    # its run's energies are shares by rule in name; where nothing overlapped they are the items' own
    view = run_views.with_lengths()
    shared = tuple(
        dataclasses.replace(row, method="equal_share", lo=None, hi=None, reason=Reason.ALLOCATED)
        for row in view.attributions
    )
    cut = run_views.item(99, phase="abandoned", verdict=None, correct=None, start_s=5_000.0, tokens=None)
    resumed = dataclasses.replace(
        view, attributions=shared, headline_method="equal_share", items=(*view.items, cut)
    )
    assert cost_model(resumed) == cost_model(view)


def test_without_joules_the_meters_reason_stands():
    bare = dataclasses.replace(run_views.with_lengths(), headline_energy=Withheld(Reason.NO_METER, "why"))
    assert (cost_model(bare).reason, cost_model(bare).detail) == (Reason.NO_METER, "why")
    view = run_views.with_lengths()
    lost = tuple(
        dataclasses.replace(row, joules=None, lo=None, hi=None, reason=Reason.COUNTER_RESET)
        for row in view.attributions
    )
    assert cost_model(dataclasses.replace(view, attributions=lost)).reason is Reason.COUNTER_RESET
    few = dataclasses.replace(view, attributions=(*view.attributions[:12], *lost[12:]))
    assert cost_model(few).n == 12


def test_contradicted_counts_give_no_model():
    view = run_views.with_lengths()
    doubted = tuple(
        dataclasses.replace(i, suspect=("9 events with output, but only 3 completion tokens",))
        for i in view.items
    )
    assert cost_model(dataclasses.replace(view, items=doubted)).reason is Reason.NOT_REPORTED


def test_the_json_of_a_model_is_whole():
    document = summarize(run_views.with_lengths()).to_json()
    model = document["cost_model"]
    assert model["reason"] is None
    assert model["alpha_j_per_token"] == document["cost_joules_per_prompt_token"]
    assert [len(row) for row in model["covariance"]] == [3, 3, 3]
    assert len(model["prompt_range"]) == 2
    bare = summarize(run_views.with_counter()).to_json()["cost_model"]
    assert bare["reason"]["code"] == "not_identified"
    assert bare["covariance"] is None

"""Prices never fall with a length, whatever a run's noise made of its fit."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.points import point
from joulemark.metrics.cost_model import CostModel, fit
from joulemark.metrics.cost_points import CostPoint
from joulemark.metrics.non_negative import non_negative_least_squares
from joulemark.metrics.picking import Candidate, Spread, Wanted, columns, declared, pick, price, shortlist
from joulemark.metrics.picking.bounded_model import bounded_model, bounded_note
from joulemark.metrics.picking.times import Times
from joulemark.record.manifest import Rates
from joulemark.report.pick_words import leads

NOISY = CostModel(
    30, 30, 1, -2.0, -0.08, 2.678, 4.0, 0.06, 0.05,
    covariance=((16.0, -0.12, 0.0), (-0.12, 0.0036, -0.0003), (0.0, -0.0003, 0.0025)),
    r2=0.9, condition=5.0, residual_sd_j=3.0, prompt_range=(20, 90), completion_range=(50, 400),
)  # fmt: skip


def of(model, **fields):
    return Candidate(point(), model, Rates(), in_flight=1.0, **fields)


def joules(model, prompt, output):
    return price(of(model), declared(Spread(prompt), Spread(output))).figures["workload_joules"]


def test_longer_prompts_are_not_cheaper_and_it_is_told():
    found = [joules(NOISY, prompt, 300).value for prompt in (10, 5_000, 12_000)]
    assert found == sorted(found)
    assert found[0] > 700
    far, near = joules(NOISY, 12_000, 300), joules(NOISY, 50, 300)
    assert far.hi - far.lo > 10 * (near.hi - near.lo), (
        "what a prompt token costs is as unsure as the fit says"
    )
    asked = declared(Spread(12_000), Spread(300))
    found = pick([of(NOISY)], asked, Wanted("joules"))
    assert any("-0.08 ± 0.06 J per prompt token, below zero" in line for line in leads(found))
    assert any("below zero" in line for line in found.tables[0].rows[0].priced.extrapolated)
    short = shortlist(columns([of(NOISY)]), asked, Wanted("joules"), Rates())
    ours, theirs = (one.tables[0].rows[0].priced.figures["workload_joules"] for one in (found, short.found))
    assert ours == theirs


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_refit_that_non_negative_least_squares_find(seed):
    """By the covariance of plain least squares, which is what stands for the points."""
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones(40), rng.uniform(10, 50, 40), rng.uniform(5, 90, 40)])
    joules = design @ np.array([0.1, 0.0, 1.0]) + rng.normal(0, 8, 40)
    free = np.linalg.lstsq(design, joules, rcond=None)[0]
    inner = np.linalg.inv(design.T @ design)
    model = dataclasses.replace(
        NOISY,
        e_fixed_j=free[0],
        alpha_j_per_token=free[1],
        beta_j_per_token=free[2],
        covariance=tuple(map(tuple, inner.tolist())),
    )
    assert bounded_model(model).coefficients == pytest.approx(
        non_negative_least_squares(design, joules).tolist(), abs=1e-7
    )


runs = st.tuples(st.integers(0, 10_000), st.floats(-0.02, 0.05), st.floats(0.0, 3.0), st.floats(-5.0, 20.0))
length = st.floats(0, 1e6)


@given(runs, length, length, length, length)
def test_no_price_falls_with_a_length(run, prompt, more_prompt, output, more_output):
    seed, alpha, beta, fixed = run
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 200, (30, 2)).tolist()
    points = [
        CostPoint(f"q{k}", 0, p, c, fixed + alpha * p + beta * c + float(rng.normal(0, 5)))
        for k, (p, c) in enumerate(lengths)
    ]
    model = fit(points)
    shorter = joules(model, prompt, output).value
    longer = joules(model, prompt + more_prompt, output + more_output).value
    if shorter is not None:
        assert longer >= shorter * (1 - 1e-12)
    seconds = Times(model, 1.0).bounded.coefficients
    assert seconds is None or min(seconds) >= 0


@pytest.mark.parametrize(("prompt", "output"), [(300, 80), (3_000, 300), (0, 10)])
def test_the_interval_still_holds_the_truth_where_a_prompt_token_costs_nothing(prompt, output):
    held, n_below = [], 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        lengths = zip(rng.lognormal(5.7, 0.5, 40).round(), rng.lognormal(4.4, 0.6, 40).round(), strict=True)
        points = [
            CostPoint(f"q{k}", 0, int(p), int(c), float(1.8 * c + rng.normal(0, 12)))
            for k, (p, c) in enumerate(lengths)
        ]
        model = fit(points)
        if model.reason is not None:
            continue
        n_below += min(model.coefficients) < 0
        value = joules(model, prompt, output)
        held.append(value.lo <= 1.8 * output <= value.hi)
    assert n_below > 100
    assert sum(held) >= 0.94 * len(held)


def test_a_fit_without_a_negative_coefficient_stays_as_it_is():
    fine = dataclasses.replace(NOISY, e_fixed_j=2.0, alpha_j_per_token=0.1)
    assert bounded_model(fine) is fine
    assert bounded_note(fine) == ""
    withheld = CostModel()
    assert bounded_model(withheld) is withheld

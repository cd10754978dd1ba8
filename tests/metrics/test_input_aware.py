"""Energies by what requests asked for: the fit on made-up blocks, and shares that always add up."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.stats import t as student

from doubles.made_up_loads import at, closed_loop, load_of, request, without_stream
from doubles.run_views import measured
from joulemark.metrics.input_aware import INPUT_AWARE, attribute_input_aware
from joulemark.metrics.input_aware_figures import input_aware_figures
from joulemark.metrics.input_aware_fit import InputAwareFit, fit_blocks, idle_power
from joulemark.metrics.non_negative import non_negative_least_squares
from joulemark.metrics.request_work import work_of
from joulemark.metrics.work_slices import (
    CONTEXT,
    OUTPUT,
    PROMPT,
    STEPS,
    TIME,
    sliced_work,
    summed,
    work_slices,
)
from joulemark.record.energy import Withheld
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason
from joulemark.record.span import Span

IDLE_W, STEP_J, PROMPT_J, OUTPUT_J = 90.0, 1.4, 0.05, 0.3
WEIGHTS = np.array([IDLE_W, STEP_J, PROMPT_J, OUTPUT_J, 0.0])


def varied(n: int = 120, concurrency: int = 4, seed: int = 1):
    """Return a closed loop of requests with prompts and answers of all lengths."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(20, 120, n)
    items = closed_loop(concurrency, n, lambda k: 0.2 + 0.02 * float(lengths[k]))
    return [
        dataclasses.replace(
            one, prompt_tokens=int(rng.integers(50, 3_000)), completion_tokens=int(lengths[k])
        )
        for k, one in enumerate(items)
    ]


def cut(items):
    """Return load, slices over all of it, and what was done in them."""
    load = load_of(items)
    whole = Span(0, min(i.t_begin for i in items), max(i.t_end for i in items))
    slices = work_slices(load, [whole])
    return slices, sliced_work(work_of(load), slices)


def energies_of(slices, done, noise=0.0, seed=2):
    work = summed(done, len(slices.parts))
    joules = work @ WEIGHTS + np.random.default_rng(seed).normal(0, noise, len(work))
    return [measured(float(max(0.0, j))) for j in joules]


@given(st.integers(0, 2**31), st.integers(1, 5), st.integers(6, 30))
@settings(deadline=None, max_examples=60)
def test_no_coefficient_is_negative_and_none_is_better(seed, k, n):
    rng = np.random.default_rng(seed)
    design, observed = rng.normal(size=(n, k)), rng.normal(size=n)
    found = non_negative_least_squares(design, observed)
    reference, residual = nnls(design, observed)
    assert (found >= 0).all()
    assert np.linalg.norm(observed - design @ found) == pytest.approx(residual, abs=1e-9)
    assert found == pytest.approx(reference, abs=1e-6)


def test_prompts_are_taken_up_in_turn():
    items = [
        request(0, 0.0, 9.0, first_s=2.0),
        request(1, 0.5, 9.0, first_s=3.0),  # waited for the one before
        request(2, 7.0, 9.0, first_s=7.4),  # found nobody before it
        request(3, 7.2, 9.0, first_s=7.4004),  # the same step: they went together
    ]
    began = [r.begin_ns for r in work_of(load_of(items)).requests]
    assert began == [at(0.0), at(2.0), at(7.0), at(7.2)]


def test_what_was_done_in_slices_is_all_that_was_done():
    items = varied(40)
    slices, done = cut(items)
    totals = summed(done, len(slices.parts)).sum(axis=0)
    assert totals[PROMPT] == pytest.approx(sum(i.prompt_tokens for i in items))
    assert totals[OUTPUT] == pytest.approx(sum(i.completion_tokens - 1 for i in items))
    read = sum((i.completion_tokens - 1) * (i.prompt_tokens + (i.completion_tokens - 1) / 2) for i in items)
    assert totals[CONTEXT] == pytest.approx(read, rel=0.01)
    assert totals[TIME] <= (max(i.t_end for i in items) - min(i.t_begin for i in items)) * 1e-9
    assert totals[OUTPUT] / 4 <= totals[STEPS] <= totals[OUTPUT]


def test_the_fit_finds_what_the_energy_was_made_of():
    slices, done = cut(varied())
    energies = energies_of(slices, done, noise=2.0)
    fit = fit_blocks(slices, summed(done, len(slices.parts)), energies, (IDLE_W, "baseline"))
    assert fit.reason is None
    assert fit.joules_per_prompt_token == pytest.approx(PROMPT_J, rel=0.05)
    assert abs(fit.joules_per_prompt_token - PROMPT_J) < 3 * fit.se_prompt_j
    totals = summed(done, len(slices.parts)).sum(axis=0)
    per_output = STEP_J * totals[STEPS] / totals[OUTPUT] + OUTPUT_J  # those in the batch share a step
    assert fit.joules_per_output_token == pytest.approx(per_output, rel=0.05)
    assert fit.idle_share + fit.prompt_share + fit.output_share == pytest.approx(1)
    figures = input_aware_figures(fit)
    assert figures["loaded_joules_per_prompt_token"].interval == "ci95"
    assert figures["loaded_prompt_share"].value == pytest.approx(fit.prompt_share)


def test_an_interval_rests_on_the_degrees_of_freedom_that_the_fit_had():
    slices, done = cut(varied(40))
    fit = fit_blocks(
        slices, summed(done, len(slices.parts)), energies_of(slices, done, noise=0.5), (IDLE_W, None)
    )
    assert fit.n - fit.degrees in (3, 4)
    assert (fit.degrees == fit.n - 4) == (fit.weights[CONTEXT] > 0)
    for degrees in (fit.degrees, 8):
        price = input_aware_figures(dataclasses.replace(fit, degrees=degrees))[
            "loaded_joules_per_prompt_token"
        ]
        half = student.ppf(0.975, degrees) * fit.se_prompt_j
        assert price.value - price.lo == pytest.approx(half, rel=2e-3)
        assert price.hi - price.value == pytest.approx(half, rel=2e-3)


def test_where_steps_and_output_say_the_same_only_two_coefficients_are_fitted():
    slices, done = cut(varied())
    work = summed(done, len(slices.parts))
    work[:, STEPS], work[:, CONTEXT] = work[:, OUTPUT], work[:, OUTPUT]
    noise = np.random.default_rng(2).normal(0, 0.1, len(work))
    energies = [measured(float(j)) for j in work @ WEIGHTS + noise]
    fit = fit_blocks(slices, work, energies, (IDLE_W, "baseline"))
    assert fit.reason is None
    assert fit.degrees == fit.n - 2


def test_what_prompts_take_is_as_open_as_what_a_prompt_token_costs():
    fit = InputAwareFit(
        40, 37, (IDLE_W, STEP_J, 0.2, OUTPUT_J, 0.0), se_prompt_j=0.03, prompt_share=0.4, output_share=0.5,
        idle_share=0.1, joules_per_output_token=1.0, reason=None,
    )  # fmt: skip
    share = input_aware_figures(fit)["loaded_prompt_share"]
    half = 0.4 * student.ppf(0.975, 37) * 0.03 / 0.2
    assert (share.value, share.interval) == (0.4, "ci95")
    assert 0.4 - share.lo == pytest.approx(half, rel=1e-3)
    assert share.hi - 0.4 == pytest.approx(half, rel=1e-3)
    wide = input_aware_figures(dataclasses.replace(fit, se_prompt_j=1.0))["loaded_prompt_share"]
    assert (wide.lo, wide.hi) == (0.0, 1.0)


def test_where_prompts_and_output_come_in_one_mix_nothing_is_told_apart():
    slices, done = cut(varied())
    work = summed(done, len(slices.parts))
    work[:, PROMPT] = 4 * work[:, OUTPUT]
    energies = [measured(float(j)) for j in work @ WEIGHTS]
    fit = fit_blocks(slices, work, energies, (IDLE_W, "baseline"))
    assert (fit.reason, fit.weights) == (Reason.NOT_IDENTIFIED, None)
    assert "same mix" in fit.detail
    with pytest.raises(ValueError, match="not_identified"):
        attribute_input_aware(done, energies, fit, measured(1000.0), "gpu:0")
    assert input_aware_figures(fit)["loaded_joules_per_prompt_token"].reason is Reason.NOT_IDENTIFIED


def test_noise_that_hides_prompts_withholds_them():
    slices, done = cut(varied(40))
    energies = energies_of(slices, done, noise=300.0)
    fit = fit_blocks(slices, summed(done, len(slices.parts)), energies, (IDLE_W, None))
    assert fit.reason is Reason.NOT_IDENTIFIED
    assert "±" in fit.detail
    few = fit_blocks(slices, summed(done, len(slices.parts)), energies[:8] + [Withheld(Reason.NO_SAMPLES)] * (
        len(energies) - 8), (0.0, None))  # fmt: skip
    assert few.reason is Reason.TOO_FEW_ITEMS


def test_prompts_that_seem_to_give_energy_are_refused():
    slices, done = cut(varied())
    work = summed(done, len(slices.parts))
    joules = work @ np.array([IDLE_W, 20.0, -0.02, 5.0, 0.0])
    fit = fit_blocks(slices, work, [measured(float(j)) for j in joules], (IDLE_W, "baseline"))
    assert fit.reason is Reason.NEGATIVE_COST


def test_idle_power_is_that_of_the_gaps_else_the_baseline_else_unknown():
    early = varied(20)
    shift = round(40e9)
    late = [
        dataclasses.replace(
            one,
            item_id=f"late{k}",
            t_sent=one.t_sent + shift,
            t_first=one.t_first + shift,
            t_end=one.t_end + shift,
        )
        for k, one in enumerate(early)
    ]
    slices, _ = cut([*early, *late])
    energies = [measured(55.0 * (p.t1 - p.t0) * 1e-9 if idle else 500.0) for p, idle in
                zip(slices.parts, slices.idle.tolist(), strict=True)]  # fmt: skip
    assert idle_power(slices, energies, 70.0) == (pytest.approx(55.0), "gaps")
    busy, _ = cut(early)
    assert idle_power(busy, [measured(1.0)] * len(busy.parts), 70.0) == (70.0, "baseline")
    assert idle_power(busy, [measured(1.0)] * len(busy.parts), None) == (0.0, None)


FIT = InputAwareFit(20, 17, (IDLE_W, STEP_J, PROMPT_J, OUTPUT_J, 0.0), reason=None)


@given(
    st.integers(0, 1000),
    st.integers(2, 25),
    st.integers(1, 6),
    st.lists(st.floats(0, 1e4), min_size=8, max_size=8),
)
@settings(deadline=None, max_examples=40)
def test_shares_and_idle_add_up_whatever_the_meter_said(seed, n, concurrency, joules):
    slices, done = cut(varied(n, concurrency, seed))
    energies = [measured(joules[k % 8]) for k in range(len(slices.parts))]
    total = measured(sum(e.joules for e in energies))
    rows, check = attribute_input_aware(done, energies, FIT, total, "gpu:0")
    assert len(rows) == n
    assert all(row.joules >= 0 and row.lo is None and row.reason is Reason.ALLOCATED for row in rows)
    assert {row.method for row in rows} == {INPUT_AWARE}
    assert check.items_j + check.idle_j == pytest.approx(total.joules, abs=1e-6)
    assert check.residual_j == pytest.approx(0, abs=1e-6)


def test_a_longer_prompt_and_a_longer_answer_cost_more_at_the_same_time():
    items = [
        dataclasses.replace(request(k, 0.0, 8.0, first_s=0.5 + 0.1 * k, tokens=t), prompt_tokens=p)
        for k, (p, t) in enumerate([(100, 40), (2_000, 40), (100, 200)])
    ]
    slices, done = cut(items)
    energies = [measured(200.0)] * len(slices.parts)
    rows, _ = attribute_input_aware(done, energies, FIT, measured(200.0 * len(energies)), "gpu:0")
    short, long_prompt, long_answer = (row.joules for row in rows)
    assert long_prompt > 1.05 * short
    assert long_answer > 1.3 * short


def test_unknown_energy_touches_those_at_work_and_no_other():
    slices, done = cut(varied(30))
    energies = energies_of(slices, done)
    energies[2] = Withheld(Reason.GAP_TOO_LONG)
    rows, check = attribute_input_aware(done, energies, FIT, measured(9_000.0), "gpu:0")
    lost = [row for row in rows if row.reason is Reason.GAP_TOO_LONG]
    assert 0 < len(lost) < len(rows)
    assert all(row.joules is None for row in lost)
    assert check.reason is Reason.GAP_TOO_LONG
    whole = attribute_input_aware(done, energies, FIT, Withheld(Reason.SAMPLER_LOST), "gpu:0")[1]
    assert (whole.total_j, whole.residual_j, whole.reason) == (None, None, Reason.SAMPLER_LOST)


def test_what_was_not_seen_is_a_reason():
    items = varied(12)
    assert work_of(load_of([*items[:-1], without_stream(items[-1])])).reason is Reason.NOT_STREAMED
    unknown = dataclasses.replace(items[0], prompt_tokens=None)
    assert work_of(load_of([unknown, *items[1:]])).reason is Reason.NOT_REPORTED
    failed = dataclasses.replace(without_stream(items[3]), verdict=Verdict.FAILED, completion_tokens=None)
    work = work_of(load_of([*items[:3], failed, *items[4:]]))
    alone = next(r for r in work.requests if r.item.verdict is Verdict.FAILED)
    assert (alone.prompt, alone.begin_ns, alone.end_ns) == (0, failed.t_begin, failed.t_end)

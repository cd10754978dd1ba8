"""Runs whose only meter is slower than their answers: blocks of them, and what is made of these."""

from __future__ import annotations

import dataclasses
import json
from itertools import pairwise

import numpy as np
import pytest

from doubles.slow_meter_runs import (
    FIXED_S,
    GAP_S,
    IDLE_W,
    PER_PROMPT_TOKEN_S,
    PER_TOKEN_S,
    Answers,
    answers,
    recorded,
    view,
)
from joulemark.metrics import summarize
from joulemark.metrics.answer_blocks import MIN_BLOCKS, RENEWALS
from joulemark.metrics.cost_interval import block_interval
from joulemark.metrics.figures import figures
from joulemark.record.attribution import Attribution
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason
from joulemark.runs.answer_blocks import answer_blocks
from joulemark.runs.recorded import RecordedRun
from joulemark.runs.run_energy import RunEnergy
from joulemark.runs.view import view_of

S = 1_000_000_000
N = 300
_LACKING = Attribution("q0", 0, 0, "sequential", "wall", None, None, None, Reason.SHORTER_THAN_STEP)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261130)


def test_the_headline_has_an_interval_over_blocks_and_says_so(rng: np.random.Generator) -> None:
    run = view(answers(N, rng), rng)
    found = summarize(run).to_json()
    assert all(row.joules is None for row in run.attributions)
    told = found["intervals"]["joules_per_correct_answer"]
    assert told["kind"] == "ci95"
    assert told["lo"] < found["joules_per_correct_answer"] < told["hi"]
    n = len(run.blocks.blocks)
    assert told["method"] == f"bootstrap of {n} blocks of answers, since the meter renews about every 1 s"
    assert found["counts"]["joules_per_correct_answer"] == N
    # the meter's bound is not touched by it
    assert "method" not in found["intervals"]["joules_per_correct_answer_bound"]


def test_money_and_carbon_carry_the_interval_and_its_method(rng: np.random.Generator) -> None:
    run = view(answers(N, rng), rng)
    rates = run.rates.model_copy(update={"usd_per_kwh": 0.3, "gco2e_per_kwh": 400.0})
    run = dataclasses.replace(run, effective_rates=rates)
    found = figures(run, summarize(run).cost_model)
    joules = found["joules_per_correct_answer"]
    for name in ("usd_per_correct_answer", "gco2e_per_correct_answer"):
        assert found[name].interval == "ci95"
        assert found[name].interval_method == joules.interval_method
        assert found[name].lo / found[name].value == pytest.approx(joules.lo / joules.value)


def test_blocks_are_disjoint_cover_the_run_and_hold_their_true_energy(rng: np.random.Generator) -> None:
    given = answers(N, rng)
    run = view(given, rng)
    place = {item.key: k for k, item in enumerate(run.measured_items)}
    keys = [key for block in run.blocks.blocks for key in block.keys]
    assert sorted(map(place.__getitem__, keys)) == list(range(N))
    parts = sorted(part for block in run.blocks.blocks for part in block.stretches)
    (window,) = [w for w in run.manifest.windows if w.name == "measure"]
    assert (parts[0].t0, parts[-1].t1) == (window.t0, window.t1)
    assert all(a.t1 == b.t0 for a, b in pairwise(parts))
    assert all(part.t1 - part.t0 >= RENEWALS * S for part in parts)
    for block, joules in zip(run.blocks.blocks, run.blocks.joules, strict=True):
        true_j = sum(given.joules[place[key]] for key in block.keys)
        assert joules == pytest.approx(true_j, rel=0.05)
    assert sum(run.blocks.joules) == pytest.approx(run.headline_energy.joules, rel=1e-3)


def test_a_run_too_short_for_ten_blocks_keeps_its_figure_and_says_what_it_lacks(
    rng: np.random.Generator,
) -> None:
    run = view(answers(60, rng), rng)
    found = summarize(run).to_json()
    assert found["joules_per_correct_answer"] > 0
    assert "joules_per_correct_answer" not in found["intervals"]
    reason = found["reasons"]["intervals.joules_per_correct_answer"]
    assert reason["code"] == "too_few_blocks"
    assert f"there are {len(run.blocks.blocks)}, and {MIN_BLOCKS} are needed" in reason["detail"]
    assert "for about 100 s in all" in reason["detail"]
    assert found["cost_model"]["reason"]["code"] == "too_few_blocks"
    assert found["cost_model"]["reason"]["detail"] == reason["detail"]


def test_the_cost_model_is_fitted_over_blocks_and_finds_the_coefficients(rng: np.random.Generator) -> None:
    n, power_w = 1500, 250.0
    given = answers(n, rng, power_w)
    # prompts and answers that come in waves tell blocks apart
    prompt = np.rint(160 + 140 * np.sin(np.arange(n) / 37.0))
    tokens = np.rint(60 + 50 * np.sin(np.arange(n) / 61.0))
    seconds = FIXED_S + PER_PROMPT_TOKEN_S * prompt + PER_TOKEN_S * tokens
    given = Answers(given.correct, prompt, tokens, seconds, given.watts)
    model = summarize(view(given, rng)).cost_model
    assert model.reason is None
    assert model.n_blocks is not None
    assert 120 < model.n_blocks < 150
    assert (model.n, model.n_items, model.degrees) == (n, n, model.n_blocks - 3)
    truth = (
        FIXED_S * power_w + GAP_S * IDLE_W,
        PER_PROMPT_TOKEN_S * power_w,
        PER_TOKEN_S * power_w,
    )
    errors = (model.se_fixed_j, model.se_alpha_j_per_token, model.se_beta_j_per_token)
    for found, true, error in zip(model.coefficients, truth, errors, strict=True):
        assert abs(found - true) < 4 * error
        assert found == pytest.approx(true, rel=0.1)
    assert model.completion_range == (10, 110)


def test_a_block_with_a_failed_request_is_no_sample_of_the_cost_model(rng: np.random.Generator) -> None:
    failed = dict.fromkeys(range(0, N, 12), Verdict.FAILED)
    run = view(answers(N, rng), rng, verdicts=failed)
    found = summarize(run)
    assert found.cost_model.reason is Reason.TOO_FEW_BLOCKS
    assert "blocks hold a request that failed" in found.cost_model.detail
    # the headline charges it all the same
    assert found.figures["joules_per_correct_answer"].interval == "ci95"


def test_the_bill_by_verdict_stays_withheld_and_says_what_would_tell_it(rng: np.random.Generator) -> None:
    costs = summarize(view(answers(N, rng), rng)).by_verdict
    for row in costs.rows[:2]:
        assert row.cost.reason is Reason.SHORTER_THAN_STEP
        assert "A meter of the device, or one that renews faster" in row.cost.detail
        assert "more questions do not" in row.mean_cost.detail
    assert costs.unattributed.value == costs.total.value


def test_repeats_of_a_question_are_in_one_block(rng: np.random.Generator) -> None:
    repeats = 3
    run = view(answers(3 * N, rng), rng, repeats=repeats)
    for block in run.blocks.blocks:
        names = [name for name, _ in block.keys]
        assert all(names.count(name) == repeats for name in set(names))
        assert len(block.stretches) in (repeats, repeats - 1)  # the end of one repeat touches the next
    found = summarize(run).figures["joules_per_correct_answer"]
    assert found.interval == "ci95"
    assert found.n == N


def test_a_resumed_run_is_cut_within_its_segments(rng: np.random.Generator) -> None:
    # a last segment of a few answers is too short for a block of its own
    run = view(answers(N, rng), rng, breaks=(140, N - 16))
    assert isinstance(run.headline_energy, MeasuredEnergy)
    assert {part.segment for part in run.blocks.blocks[-1].stretches} == {1, 2}
    assert sum(run.blocks.joules) == pytest.approx(run.headline_energy.joules, rel=1e-3)
    keys = [key for block in run.blocks.blocks for key in block.keys]
    assert len(set(keys)) == len(keys) == N
    assert summarize(run).figures["joules_per_correct_answer"].interval == "ci95"


@pytest.mark.parametrize("n", [60, N])
def test_requests_that_overlap_have_no_blocks_of_their_own(rng: np.random.Generator, n: int) -> None:
    """A long run has stretches of time in their place; of a short one a reason says why there is nothing."""
    run = recorded(answers(n, rng), rng)
    rows = [
        dataclasses.replace(row, item=dataclasses.replace(row.item, t_end=row.item.t_end + 3 * S // 100))
        for row in run.rows[:-1]
    ]
    found = view_of(dataclasses.replace(run, rows=(*rows, run.rows[-1])))
    assert found.blocks.reason is Reason.OVERLAPPED
    told = summarize(found).to_json()
    if n == N:
        assert "stretches of time" in told["intervals"]["joules_per_correct_answer"]["method"]
        return
    reason = told["reasons"]["intervals.joules_per_correct_answer"]
    assert reason["code"] == "overlapped"
    assert "`--concurrency 1`" in reason["detail"]


def test_a_register_that_is_faster_than_the_answers_gives_them_energies_of_their_own(
    rng: np.random.Generator,
) -> None:
    given = answers(40, rng)
    slow = Answers(given.correct, given.prompt, given.tokens, given.seconds + 20, given.watts)
    run = view(slow, rng)
    assert run.blocks is None
    assert all(row.joules is not None for row in run.attributions)
    found = summarize(run).to_json()
    assert "method" not in found["intervals"]["joules_per_correct_answer"]
    assert "n_blocks" not in found["cost_model"]


def on_a_page(run: RecordedRun, *, declared_s: float) -> RecordedRun:
    """The same run, metered by a device's counter behind a page instead of by a register."""
    meters = [
        one.model_copy(
            update={
                "source": dataclasses.replace(
                    one.source, is_register=False, kind="dcgm", value_age_s=declared_s, counter_quantum_j=1e-3
                )
            }
        )
        for one in run.manifest.meters
    ]
    manifest = run.manifest.model_copy(update={"meters": meters})
    return dataclasses.replace(run, manifest=manifest)


@pytest.mark.parametrize("declared_s", [3.0, 0.0])
def test_answers_that_are_shorter_than_a_page_is_renewed_are_told_in_blocks(
    rng: np.random.Generator, declared_s: float
) -> None:
    """Known or only seen in the readings: a counter renewed every 3 s tells no answer of half a second."""
    given = answers(2 * N, rng)
    run = recorded(given, rng, renewal_s=3.0, quantum_j=1e-3, read_s=0.5)
    view = view_of(on_a_page(run, declared_s=declared_s))
    assert all(row.reason is Reason.SHORTER_THAN_STEP for row in view.attributions)
    assert isinstance(view.headline_energy, MeasuredEnergy)
    assert len(view.blocks.blocks) >= MIN_BLOCKS
    found = summarize(view).figures["joules_per_correct_answer"]
    assert found.interval == "ci95"
    assert "blocks of answers" in found.interval_method


def test_a_run_of_a_few_renewals_has_no_joules_at_all(rng: np.random.Generator) -> None:
    """Not 0 J with an interval of 0 … 0, as a page that was not renewed within the run would have it."""
    run = recorded(answers(20, rng), rng, renewal_s=30.0, quantum_j=1e-3, read_s=2.0)
    view = view_of(on_a_page(run, declared_s=30.0))
    assert view.headline_energy.reason is Reason.SHORTER_THAN_STEP
    told = summarize(view).to_json()
    assert told["joules_per_correct_answer"] is None
    assert told["reasons"]["joules_per_correct_answer"]["code"] == "shorter_than_step"
    assert "90 s or more" in told["reasons"]["joules_per_correct_answer"]["detail"]


def test_what_decides_is_the_renewal_and_not_whether_joules_were_given(rng: np.random.Generator) -> None:
    """A counter that moves each second gives half a second an estimate, which is mostly its neighbours'."""
    run = on_a_page(recorded(answers(N, rng), rng, quantum_j=1e-3, read_s=0.25), declared_s=0.0)
    energy = RunEnergy(run.timeline, run.manifest)
    given = Attribution("q0", 0, 0, "sequential", "wall", 1.0, 0.5, 1.5, None)
    assert answer_blocks(run.timeline, energy, run.items, [given]) is not None


def test_the_summary_is_plain_json(rng: np.random.Generator) -> None:
    assert json.loads(json.dumps(summarize(view(answers(N, rng), rng)).to_json()))


def covered(replications: int, seed: int, n: int, renewal_s: float) -> tuple[float, float]:
    """Return how often the interval held the true joules a correct answer, and the mean number of blocks."""
    held, n_blocks = 0, 0
    big = answers(2_000_000, np.random.default_rng(7))
    truth = big.joules.mean() / big.correct.mean()
    for replication in range(replications):
        rng = np.random.default_rng([seed, replication])
        run = recorded(answers(n, rng), rng, renewal_s=renewal_s, read_s=renewal_s)
        energy = RunEnergy(run.timeline, run.manifest)
        blocks = answer_blocks(run.timeline, energy, run.items, [_LACKING])
        total = energy.total()
        assert isinstance(total, MeasuredEnergy)
        interval = block_interval(total.joules, run.items, blocks)
        held += interval.lo <= truth <= interval.hi
        n_blocks += len(blocks.blocks)
    return held / replications, n_blocks / replications


def test_the_interval_over_blocks_covers_the_truth() -> None:
    held, n_blocks = covered(300, 2026, n=120, renewal_s=0.5)
    print(f"held {held:.1%}, {n_blocks:.1f} blocks")
    assert 0.915 <= held <= 0.985  # three standard errors of 300 about 95 %


@pytest.mark.slow
@pytest.mark.parametrize(("n", "renewal_s"), [(120, 0.5), (250, 0.5), (250, 1.0)])
def test_the_interval_over_blocks_covers_the_truth_in_two_thousand_runs(n: int, renewal_s: float) -> None:
    held, n_blocks = covered(2000, 2027, n=n, renewal_s=renewal_s)
    print(f"held {held:.1%}, {n_blocks:.1f} blocks")
    assert 0.93 <= held <= 0.97

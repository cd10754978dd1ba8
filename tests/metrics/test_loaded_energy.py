"""Figures of a steady state: how they follow from window, requests and answers, and when there are none."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from doubles import run_views, steady_runs
from joulemark.metrics import definitions, summarize
from joulemark.metrics.loaded_definitions import DEFINITIONS, STEADY
from joulemark.metrics.loaded_energy import loaded_figures
from joulemark.metrics.loaded_requests import ended_by_block, sent_in_window
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.metrics.slo import Slo
from joulemark.metrics.slo_energy import joules_per_correct_answer_at, share_correct_at
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt, Verdict
from joulemark.record.reason import Reason
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B

RIGHT = np.random.default_rng(8).random(332) < 0.7


@cache
def loaded():
    config = ServerConfig(H100, LLAMA_8B, max_batch=16)
    return steady_runs.closed(config, draw_requests(332, 300, 80, 5), 16, lead=32, right=RIGHT)


def replaced(**fields):
    return dataclasses.replace(loaded().view, **fields)


def test_the_published_equation():
    view = loaded().view
    figures = {name: value.value for name, value in loaded_figures(view).items()}
    state = view.steady
    per_token = state.energy.joules / state.window.tokens
    counted = view.measured_items
    mean = np.mean([item.completion_tokens for item in counted])
    assert figures["steady_joules_per_token"] == pytest.approx(per_token)
    assert figures["steady_joules_per_request"] == pytest.approx(per_token * mean)
    accuracy = np.mean([item.correct for item in counted])
    assert figures["steady_joules_per_correct_answer"] == pytest.approx(per_token * mean / accuracy)
    assert figures["steady_power_w"] == pytest.approx(state.energy.joules / state.window.duration_s)
    assert figures["steady_tokens_per_second"] * figures["steady_duration_s"] == pytest.approx(
        state.window.tokens
    )
    assert figures["steady_requests"] == len(loaded().ended_inside())
    # power over throughput is energy per token
    assert figures["steady_power_w"] / figures["steady_tokens_per_second"] == pytest.approx(per_token)


def test_every_figure_is_defined_and_none_is_missing():
    assert set(loaded_figures(loaded().view)) == {d.name for d in STEADY}
    assert {d.name for d in DEFINITIONS} <= {d.name for d in definitions()}
    assert {d.name for d in DEFINITIONS} <= set(summarize(loaded().view).figures)


def test_intervals_are_statistics_and_the_bound_stands_beside_them():
    state = loaded().view.steady
    wide = dataclasses.replace(state.energy, lo=0.9 * state.energy.joules, hi=1.2 * state.energy.joules)
    figures = loaded_figures(replaced(steady=dataclasses.replace(state, energy=wide)))
    exact = loaded_figures(loaded().view)
    name = "steady_joules_per_request"
    assert (figures[name].lo, figures[name].hi) == pytest.approx((exact[name].lo, exact[name].hi))
    bound = figures[f"{name}_bound"]
    assert (bound.lo, bound.hi) == pytest.approx((0.9 * bound.value, 1.2 * bound.value))


def test_a_sequential_run_has_none_of_it_and_says_so():
    summary = summarize(run_views.with_counter())
    document = summary.to_json()
    for d in DEFINITIONS:
        assert document[d.name] is None
        assert document["reasons"][d.name]["code"] == "not_loaded"
    assert document["steady"]["window"] is None
    assert document["steady"]["reason"]["code"] == "not_loaded"
    assert document["steady"]["rules"] == {}


def test_the_summary_tells_window_latencies_and_rules():
    summary = summarize(loaded().view)
    told = summary.to_json()["steady"]
    _, t0, t1 = loaded().part
    assert (told["window"]["t0"], told["window"]["t1"]) == (t0, t1)
    assert told["window"]["token_basis"] == "exact"
    sent = sent_in_window(loaded().view)
    assert 0 < len(sent) < len(loaded().view.measured_items)
    assert all(t0 <= item.t_sent <= t1 for item in sent)
    assert told["latency"]["ttft"]["n"] == len(sent)
    ours = told["rules"]["joulemark"]
    assert ours["joules_per_request"] == summary.figures["steady_joules_per_request"].value
    assert told["rules"]["events"]["share_of_run"] > 0.5


def test_without_joules_there_are_still_rates():
    state = loaded().view.steady
    gone = Withheld(Reason.METER_LOST)
    blind = dataclasses.replace(state, energy=gone, block_energies=(gone,) * len(state.blocks))
    figures = loaded_figures(replaced(steady=blind))
    for name in ("steady_joules_per_token", "steady_joules_per_correct_answer", "steady_power_w"):
        assert figures[name].reason is Reason.METER_LOST
    rates = figures["steady_requests_per_second"]
    assert rates.lo < rates.value < rates.hi
    assert figures["steady_mean_batch"].value == pytest.approx(16, rel=0.05)


def test_one_lost_block_costs_the_interval_and_not_the_figure():
    state = loaded().view.steady
    lost = (*state.block_energies[:-1], Withheld(Reason.GAP_TOO_LONG))
    figure = loaded_figures(replaced(steady=dataclasses.replace(state, block_energies=lost)))
    value = figure["steady_joules_per_request"]
    assert value.value is not None
    assert (value.interval, value.interval_reason) == (None, Reason.GAP_TOO_LONG)


def test_too_few_blocks_cost_the_interval():
    state = dataclasses.replace(loaded().view.steady, blocks=(), block_energies=(), block_tokens=())
    figures = loaded_figures(replaced(steady=state))
    assert figures["steady_joules_per_request"].interval_reason is Reason.TOO_FEW_ITEMS
    assert figures["steady_power_w"].interval_reason is Reason.TOO_FEW_ITEMS
    assert figures["steady_power_change_pct"].reason is Reason.TOO_FEW_ITEMS


def test_power_that_runs_away_is_not_steady():
    state = loaded().view.steady
    k = len(state.blocks)
    drifting = tuple(
        dataclasses.replace(one, joules=j, lo=j, hi=j)
        for one, j in zip(state.block_energies, 400 * np.linspace(0.9, 1.1, k), strict=True)
    )
    figures = loaded_figures(replaced(steady=dataclasses.replace(state, block_energies=drifting)))
    assert figures["steady_power_change_pct"].value == pytest.approx(20, abs=3)
    assert figures["steady_joules_per_request"].reason is Reason.NOT_STEADY
    assert "%" in figures["steady_joules_per_request"].detail
    assert figures["steady_power_w"].value is not None


def test_failed_requests_are_paid_and_are_no_answers():
    view = loaded().view
    items = list(view.items)
    for place in range(100, 160):
        items[place] = dataclasses.replace(
            items[place], verdict=Verdict.FAILED, correct=False, completion_tokens=None, score=None
        )
    chunks = {key: value for key, value in view.chunks.items() if key not in {i.key for i in items[100:160]}}
    figures = loaded_figures(replaced(items=tuple(items), chunks=chunks))
    counted = [i for i in items if i.phase == "measure"]
    tokens = sum(i.completion_tokens or 0 for i in counted)
    answered = len(counted) - 60
    assert figures["steady_completion_tokens"].value == pytest.approx(tokens / answered)
    right = sum(i.correct for i in counted)
    per_token = figures["steady_joules_per_token"].value
    per_request = figures["steady_joules_per_request"]
    assert per_request.value == pytest.approx(per_token * tokens / answered)
    assert per_request.n == answered
    assert per_request.lo < per_request.value < per_request.hi
    assert figures["steady_joules_per_correct_answer"].value == pytest.approx(per_token * tokens / right)
    none_came = [dataclasses.replace(i, verdict=Verdict.FAILED) for i in view.items]
    refused = loaded_figures(replaced(items=tuple(none_came)))
    assert refused["steady_joules_per_request"].reason is Reason.REQUEST_FAILED
    unknown = [dataclasses.replace(i, completion_tokens=None) for i in view.items]
    refused = loaded_figures(replaced(items=tuple(unknown), chunks={}))
    assert refused["steady_joules_per_request"].reason is Reason.NOT_REPORTED


def refused_by_turns(view):
    """Return items of which every other one that counts was answered 503 at once, and their streams."""
    items = tuple(
        item
        if item.phase == "warmup" or item.index % 2
        else dataclasses.replace(
            item,
            t_end=item.t_sent + 1_000_000,
            t_first=None,
            t_first_answer=None,
            verdict=Verdict.FAILED,
            correct=False,
            score=None,
            completion_tokens=None,
            attempts=(Attempt(item.t_sent, item.t_sent + 1_000_000, "http_503"),),
        )
        for item in view.items
    )
    return items, {item.key: view.chunks[item.key] for item in items if not item.failed}


def test_requests_that_are_refused_make_the_others_no_cheaper():
    view = loaded().view
    items, chunks = refused_by_turns(view)
    figures = loaded_figures(replaced(items=items, chunks=chunks))
    mean = np.mean([i.completion_tokens for i in items if i.phase == "measure" and not i.failed])
    per_token = figures["steady_joules_per_token"].value
    assert figures["steady_joules_per_request"].value == pytest.approx(per_token * mean)
    segment = SegmentLoad.of(0, items, chunks)
    _, t0, t1 = loaded().part
    assert segment.answered_between(t0, t1) == sum(t0 < i.t_end <= t1 and not i.failed for i in items)
    blocks = ended_by_block(replaced(items=items, chunks=chunks))
    assert blocks.sum() == pytest.approx(segment.answered_between(t0, t1), abs=1)


@pytest.mark.parametrize(("failed", "loud"), [(2, False), (3, True)])
def test_what_fails_under_load_is_said_loudly_from_one_in_a_hundred_on(failed, loud):
    view = loaded().view
    items = [
        dataclasses.replace(i, verdict=Verdict.FAILED, correct=False) if 100 <= i.index < 100 + failed else i
        for i in view.items
    ]
    (told,) = (c for c in summarize(replaced(items=tuple(items))).caveats if c.code == "failed_requests")
    assert told.loud is loud
    assert f"({failed / 3:.1f} %)" in told.text


def test_without_a_correct_answer_or_grades_it_is_a_reason():
    view = loaded().view
    wrong = [dataclasses.replace(i, correct=False, verdict=Verdict.WRONG) for i in view.items]
    name = "steady_joules_per_correct_answer"
    assert loaded_figures(replaced(items=tuple(wrong)))[name].reason is Reason.NOTHING_CORRECT
    ungraded = [dataclasses.replace(i, correct=None, verdict=None, score=None) for i in view.items]
    assert loaded_figures(replaced(items=tuple(ungraded)))[name].reason is Reason.NOTHING_SCORED


def test_an_answer_that_came_too_late_is_worth_nothing():
    view = loaded().view
    all_of_them = loaded_figures(view)["steady_joules_per_correct_answer"]
    assert joules_per_correct_answer_at(view, Slo(e2el_s=1e6)).value == pytest.approx(all_of_them.value)
    times = sorted((item.t_end - item.t_sent) * 1e-9 for item in view.measured_items if item.correct)
    slo = Slo(e2el_s=times[len(times) // 2])
    kept = len(times) // 2 + 1
    found = joules_per_correct_answer_at(view, slo)
    assert found.value == pytest.approx(all_of_them.value * len(times) / kept)
    assert found.lo < found.value < found.hi
    share = share_correct_at(view, slo)
    assert share.value == pytest.approx(kept / len(view.measured_items))
    assert joules_per_correct_answer_at(view, Slo(e2el_s=1e-6)).reason is Reason.NOTHING_CORRECT
    assert joules_per_correct_answer_at(run_views.with_counter(), slo).reason is Reason.NOT_LOADED
    unseen = tuple(dataclasses.replace(i, t_first=None) for i in view.items)
    blind = replaced(items=unseen)
    assert joules_per_correct_answer_at(blind, Slo(ttft_s=1.0)).reason is Reason.NOT_REPORTED

import dataclasses
import json
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from doubles.run_views import item
from joulemark.metrics import summarize
from joulemark.metrics.repeats import (
    POOLED_FIGURES,
    complete_repeats,
    repeat_figures,
    repeat_policy,
    spread_of,
)
from joulemark.record.energy import Withheld
from joulemark.record.item import Verdict
from joulemark.record.manifest import Sampling
from joulemark.record.reason import Reason


def test_mean_and_sample_sigma_by_hand():
    # 2, 4, 9: mean 5, squares 9 + 1 + 16 = 26, over n - 1 = 2
    spread = spread_of([2.0, 4.0, 9.0], "J", ["a", "b", "c"])
    assert (spread.mean, spread.n, spread.unit, spread.values) == (5.0, 3, "J", (2.0, 4.0, 9.0))
    assert spread.sigma == pytest.approx(13**0.5)
    assert spread.reason is None


def test_one_value_has_a_mean_and_no_sigma():
    spread = spread_of([7.0], "J", ["a"])
    assert (spread.mean, spread.sigma, spread.n, spread.reason) == (7.0, None, 1, Reason.SINGLE_RUN)


def test_a_value_that_is_not_known_withholds_the_spread():
    spread = spread_of([7.0, Reason.NOTHING_CORRECT], "J", ["repeat 1", "repeat 2"])
    assert (spread.mean, spread.sigma, spread.reason) == (None, None, Reason.NOTHING_CORRECT)
    assert "repeat 2" in spread.detail
    assert spread_of([Reason.NO_METER] * 2, "J", ["a", "b"]).detail == ""
    assert spread_of([], "J", []).reason is Reason.NOTHING_SCORED


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9))
def test_the_spread_holds_its_mean_and_is_0_only_for_equal_values(values):
    spread = spread_of(values, "1", list(map(str, values)))
    assert min(values) <= spread.mean <= max(values)
    assert spread.sigma == pytest.approx(statistics.stdev(values))
    assert (spread.sigma == 0) == (len(set(values)) == 1) or max(values) - min(values) < 1e-150


def test_a_repeated_run_gives_a_spread_of_every_figure():
    view = run_views.with_lengths(20, repeats=3)
    summary = summarize(view)
    assert set(summary.repeats) == set(POOLED_FIGURES)
    assert summary.repeats_left_out == ()
    for name, spread in summary.repeats.items():
        if name == "mean_score":
            assert (spread.reason, spread.detail) == (
                Reason.NOT_APPLICABLE,
                "Answers were graded correct or not; see accuracy.",
            )
            continue
        assert (spread.n, spread.reason, len(spread.values)) == (3, None, 3), name
        assert spread.unit == POOLED_FIGURES[name]
    f = summary.figures
    # equal repeats: the mean over them is the figure of the run
    for name in ("accuracy", "joules_per_correct_answer", "joules_per_request", "mean_completion_tokens"):
        assert summary.repeats[name].mean == pytest.approx(f[name].value), name
    assert summary.repeats["total_joules"].mean == pytest.approx(f["total_joules"].value / 3)
    assert summary.repeats["tokens_per_second"].mean == pytest.approx(f["tokens_per_second"].value, rel=1e-3)
    assert summary.repeats["cpu_seconds_per_correct_answer"].mean == pytest.approx(
        f["cpu_seconds_per_correct_answer"].value
    )
    assert summary.repeats["joules_per_request"].sigma > 0
    assert summary.repeats["accuracy"].sigma == 0.0
    json.dumps(summary.to_json()["repeats"], allow_nan=False)


def test_one_repeat_is_one_run():
    spreads = repeat_figures(run_views.with_lengths(20))
    assert {s.sigma for s in spreads.values()} == {None}
    assert spreads["joules_per_request"].reason is Reason.SINGLE_RUN
    assert spreads["joules_per_request"].mean is not None


def test_an_incomplete_repeat_is_left_out_and_named():
    view = run_views.with_lengths(20, repeats=3)
    cut = dataclasses.replace(view, items=view.items[:-1])
    summary = summarize(cut)
    assert summary.repeats_left_out == (2,)
    assert summary.repeats["joules_per_request"].n == 2
    caveat = next(c for c in summary.caveats if c.code == "repeats_left_out")
    assert "repeat 3" in caveat.text
    complete, left = complete_repeats([item(0), item(0, repeat=1), item(1, repeat=1)])
    assert (list(complete), left) == ([1], (0,))
    assert complete_repeats([]) == ({}, ())


def test_a_repeat_without_a_correct_answer_has_no_cost_of_one():
    view = run_views.with_lengths(12, repeats=2)
    items = tuple(
        dataclasses.replace(i, verdict=Verdict.WRONG, correct=False) if i.repeat else i for i in view.items
    )
    spread = repeat_figures(dataclasses.replace(view, items=items))["joules_per_correct_answer"]
    assert (spread.mean, spread.reason) == (None, Reason.NOTHING_CORRECT)
    assert "repeat 2" in spread.detail


def test_what_is_not_known_of_one_item_is_not_spread_over_the_others():
    view = run_views.with_lengths(12, repeats=2)
    lost = dataclasses.replace(view.attributions[0], joules=None, reason=Reason.COUNTER_RESET)
    spreads = repeat_figures(dataclasses.replace(view, attributions=(lost, *view.attributions[1:])))
    assert spreads["total_joules"].reason is Reason.COUNTER_RESET
    assert spreads["accuracy"].sigma is not None


def test_without_a_meter_and_with_overlap_the_reasons_stand():
    view = run_views.with_lengths(12, repeats=2)
    bare = dataclasses.replace(
        view, headline_energy=Withheld(Reason.NO_METER), cpu_seconds=None, duration_s=None
    )
    spreads = repeat_figures(dataclasses.replace(bare, cpu_reason=Reason.ENGINE_UNKNOWN))
    assert spreads["joules_per_request"].reason is Reason.NO_METER
    assert spreads["cpu_seconds_per_correct_answer"].reason is Reason.ENGINE_UNKNOWN
    assert spreads["tokens_per_second"].reason is Reason.OUTSIDE_TIMELINE
    late = dataclasses.replace(view.items[0], t_end=view.items[1].t_end)
    overlapping = dataclasses.replace(view, items=(late, *view.items[1:]), item_cpu_seconds={})
    spreads = repeat_figures(overlapping)
    assert spreads["tokens_per_second"].reason is Reason.OVERLAPPED
    assert spreads["cpu_seconds_per_correct_answer"].reason is Reason.OVERLAPPED


def test_a_request_that_was_cut_off_overlaps_too():
    view = run_views.with_lengths(12, repeats=2)
    first = view.items[0]
    cut = dataclasses.replace(first, item_id="cut", phase="abandoned", verdict=None, correct=None, score=None)
    spreads = repeat_figures(dataclasses.replace(view, items=(*view.items, cut), item_cpu_seconds={}))
    assert spreads["tokens_per_second"].reason is Reason.OVERLAPPED
    assert spreads["cpu_seconds_per_correct_answer"].reason is Reason.OVERLAPPED
    apart = dataclasses.replace(cut, t_sent=first.t_sent - 2, t_end=first.t_sent - 1)
    spreads = repeat_figures(dataclasses.replace(view, items=(*view.items, apart)))
    assert spreads["tokens_per_second"].mean is not None


def test_real_valued_scores_have_a_spread_of_their_mean():
    view = run_views.with_lengths(12, repeats=2)
    items = tuple(
        dataclasses.replace(i, verdict=None, correct=None, score=0.25 + 0.5 * i.repeat) for i in view.items
    )
    spreads = repeat_figures(dataclasses.replace(view, items=items))
    assert spreads["mean_score"].values == (0.25, 0.75)
    # an older record gave a failed request the score 0, which is no score
    failed = dataclasses.replace(items[0], verdict=Verdict.FAILED, correct=False, score=0.0)
    spreads = repeat_figures(dataclasses.replace(view, items=(failed, *items[1:])))
    assert spreads["mean_score"].values == (0.25, 0.75)
    assert spreads["accuracy"].reason is Reason.REAL_VALUED_SCORE


@pytest.mark.parametrize(
    ("sampling", "words"),
    [
        ({"temperature": 0.0, "seed": 7}, "the machine's alone"),
        ({"temperature": 0.7, "seed": 7}, "seed 7 + r"),
        ({"temperature": 0.7, "seed": None}, "cannot be drawn again"),
    ],
)
def test_the_policy_in_words(sampling, words):
    described = run_views.manifest(sampling=Sampling(max_tokens=8, **sampling))
    assert words in repeat_policy(described)

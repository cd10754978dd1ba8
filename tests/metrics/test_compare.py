"""One run against another: hand-worked cases, properties, coverage."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.compared_runs import run, simulated_pair, with_part, without_joules
from doubles.run_views import measured
from joulemark.metrics import summarize
from joulemark.metrics.compare import compare
from joulemark.metrics.compare_definitions import DEFINITIONS
from joulemark.metrics.compare_figures import ratio
from joulemark.metrics.compare_runs import compare_runs, comparison_json
from joulemark.metrics.paired_sides import CORRECT, ENERGY, Column, Resamples, Side, side
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason

JPC = "joules_per_correct_answer_ratio"
HALF = [k % 2 == 0 for k in range(12)]
JOULES = [10.0, 20.0, 5.0, 40.0, 15.0, 30.0, 25.0, 12.0, 8.0, 16.0, 9.0, 22.0]


def test_a_case_worked_by_hand():
    # A: 212 J in items + 28 idle = 240 J, 6 right: 40 J each. B: every item twice the joules, 9 right
    a = run(JOULES, HALF, tokens=[10] * 12, idle_j=28.0)
    b = run([2 * j for j in JOULES], [k % 4 != 3 for k in range(12)], tokens=[15] * 12, idle_j=56.0)
    c = compare(a, b)
    assert c.paired
    assert c.figures[JPC].value == pytest.approx((480 / 9) / (240 / 6))
    assert c.figures["joules_per_request_ratio"].value == pytest.approx(2)
    assert c.figures["completion_tokens_ratio"].value == pytest.approx(1.5)
    assert c.figures["joules_per_token_ratio"].value == pytest.approx(2 / 1.5)
    assert c.figures["accuracy_difference_pp"].value == pytest.approx(100 * (9 - 6) / 12)
    # every request took exactly twice as much, whichever are drawn
    assert c.figures["joules_per_request_ratio"].lo == pytest.approx(2)
    assert c.figures["joules_per_request_ratio"].hi == pytest.approx(2)
    assert (c.outcomes.both, c.outcomes.only_a, c.outcomes.only_b, c.outcomes.neither) == (6, 0, 3, 3)
    # exact McNemar: 2 x (1/2)^3
    assert c.outcomes.p_value == pytest.approx(0.25)
    assert c.split.share_per_token == pytest.approx(math.log(2 / 1.5) / math.log(2))
    assert c.split.share_tokens + c.split.share_per_token == pytest.approx(1)


def test_figures_of_whole_runs_are_those_of_their_summaries():
    a, b = simulated_pair(40, 3)
    of_a, of_b, c = summarize(a), summarize(b), compare(a, b)
    for name, value in c.figures.items():
        alone = name.removesuffix("_ratio")
        if alone in of_a.figures and alone != name:
            assert value.value == pytest.approx(of_b.figures[alone].value / of_a.figures[alone].value), name
    accuracy = of_b.figures["accuracy"].value - of_a.figures["accuracy"].value
    assert c.figures["accuracy_difference_pp"].value == pytest.approx(100 * accuracy)
    ttft = [s.latency["ttft"].answered[50].value for s in (of_a, of_b)]
    assert c.figures["ttft_p50_ratio"].value == pytest.approx(ttft[1] / ttft[0])


def test_a_run_against_itself_is_exactly_one_and_a_tie():
    view, _ = simulated_pair(50, 1)
    c = compare(view, view)
    for name, value in c.figures.items():
        if name.endswith("_ratio"):
            assert (value.value, value.lo, value.hi) == (1.0, 1.0, 1.0), name
            assert c.told_apart(name) is False
            assert c.items_needed(name) is None  # no number of items tells nothing from nothing
    assert c.figures["accuracy_difference_pp"].value == 0.0
    assert c.outcomes.only_a == c.outcomes.only_b == 0
    assert c.differences == ()
    assert {note.code for note in c.notes} == {"same_run"}


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10_000), st.floats(0.3, 3.0))
def test_swapping_gives_the_inverse(seed, times):
    a, b = simulated_pair(24, seed, ratio=times)
    there, back = compare(a, b), compare(b, a)
    for name, value in there.figures.items():
        other = back.figures[name]
        if value.value is None:
            assert other.value is None
        elif name.endswith("_pp"):
            assert (value.value, value.lo, value.hi) == pytest.approx(
                (-other.value, -other.hi, -other.lo), abs=1e-9
            )
        elif value.interval is not None:
            assert value.value * other.value == pytest.approx(1)
            assert value.lo * other.hi == pytest.approx(1)
            assert value.hi * other.lo == pytest.approx(1)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10_000))
def test_the_split_of_a_request_is_exact(seed):
    c = compare(*simulated_pair(20, seed))
    product = c.figures["joules_per_token_ratio"].value * c.figures["completion_tokens_ratio"].value
    assert product == pytest.approx(c.figures["joules_per_request_ratio"].value, rel=1e-12)
    assert c.split.per_token + c.split.tokens == pytest.approx(c.split.per_request, abs=1e-12)


def test_every_figure_is_defined_in_its_unit_and_none_is_undefined():
    c = compare(*simulated_pair(20, 1))
    assert [d.name for d in DEFINITIONS] == list(c.figures)
    for d in DEFINITIONS:
        assert c.figures[d.name].unit == d.unit
        assert not set("\\{}") & set(d.formula), d.formula


def test_items_that_only_one_run_has_are_left_out_and_counted():
    a = run(JOULES, HALF, ids=[f"q{k}" for k in range(12)])
    # B lacks q0 and q1 and has two more, which cost a fortune
    ids = [f"q{k}" for k in range(2, 14)]
    b = run([*JOULES[2:], 1e4, 1e4], [*HALF[2:], True, True], ids=ids, run_id="b")
    c = compare(a, b)
    assert c.n_items == (10, 10)
    assert c.left_out == (2, 2)
    assert c.figures[JPC].value == pytest.approx(1.0)
    assert c.outcomes.both == 5


def test_repeats_of_an_item_are_one_cluster():
    ids = [f"q{k}" for k in range(12)]
    once_a, once_b = run(JOULES, HALF, ids=ids), run(JOULES[::-1], HALF, ids=ids)
    again = [0] * 12 + [1] * 12 + [2] * 12
    a, b = (run(j * 3, HALF * 3, ids=ids * 3, repeats=again) for j in (JOULES, JOULES[::-1]))
    once, thrice = compare(once_a, once_b), compare(a, b)
    assert thrice.n_items == (12, 12)
    assert thrice.figures[JPC].n == 12
    assert thrice.figures[JPC].lo == pytest.approx(once.figures[JPC].lo)
    assert thrice.figures[JPC].hi == pytest.approx(once.figures[JPC].hi)
    accuracy = "accuracy_difference_pp"
    assert thrice.figures[accuracy].hi == pytest.approx(once.figures[accuracy].hi)
    # counted by request, for which there is no test of independent pairs
    assert thrice.outcomes.both == 3 * once.outcomes.both
    assert thrice.outcomes.p_value is None
    assert once.outcomes.p_value is not None
    assert thrice.figures["ttft_p50_ratio"].interval_reason is Reason.NOT_APPLICABLE


def test_a_different_number_of_repeats_still_compares_costs_per_answer():
    ids = [f"q{k}" for k in range(12)]
    once = run(JOULES, HALF, ids=ids)
    twice = run(JOULES * 2, HALF * 2, ids=ids * 2, repeats=[0] * 12 + [1] * 12)
    assert compare(once, twice).figures[JPC].value == pytest.approx(1.0)


def test_unpaired_runs_are_said_to_be_unpaired_and_have_wider_intervals():
    a, b = simulated_pair(300, 5)
    paired = compare(a, b)
    unpaired = compare(a, with_part(b, "task", subset_key="another"))
    assert not unpaired.paired
    assert unpaired.questions == ("task.subset_key",)
    assert unpaired.outcomes is None
    for name in (JPC, "joules_per_request_ratio", "cpu_seconds_per_correct_answer_ratio"):
        near, far = paired.figures[name], unpaired.figures[name]
        assert near.value == pytest.approx(far.value)
        # correlated items: pairing takes their common spread out
        assert math.log(near.hi / near.lo) < 0.9 * math.log(far.hi / far.lo), name


def test_runs_without_an_item_in_common_are_not_paired():
    a = run(JOULES, HALF, ids=[f"a{k}" for k in range(12)])
    b = run(JOULES, HALF, ids=[f"b{k}" for k in range(12)])
    c = compare(a, b)
    assert not c.paired
    assert c.questions == ()
    assert c.n_items == (12, 12)
    assert c.figures[JPC].value == pytest.approx(1.0)


def test_coverage_of_the_truth():
    """In 400 simulated pairs, the paired 95 % interval holds the true ratio in 93 to 97 % of cases."""
    truth = 1.3 * 0.6 / 0.5
    rng = np.random.default_rng(20_261_202)
    n, held = 200, 0
    for _ in range(400):
        hard = rng.normal(0, 1, n)
        sides = []
        for base_j, right in ((40.0, 0.6), (52.0, 0.5)):
            joules = base_j * np.exp(0.6 * hard + 0.25 * rng.normal(0, 1, n))
            correct = (rng.random(n) < right - 0.2 * np.tanh(hard)).astype(float)
            columns = {ENERGY: Column(joules.sum(), joules), CORRECT: Column(correct.sum(), correct)}
            sides.append(Side("AB"[len(sides)], tuple(map(str, range(n))), (), columns))
        value = ratio(*sides, Resamples(*sides, paired=True, resamples=1500), ENERGY, CORRECT)
        held += value.lo <= truth <= value.hi
    assert 0.93 <= held / 400 <= 0.97


def test_what_is_not_attributed_is_spread_evenly():
    a = run(JOULES, HALF, idle_j=24.0)
    column = side("A", a, sorted({i.item_id for i in a.items})).columns[ENERGY]
    assert column.rows.tolist() == pytest.approx([j + 2.0 for j in JOULES])
    part = side("A", a, ["q0003", "q0000"]).columns[ENERGY]
    assert part.rows.tolist() == pytest.approx([JOULES[3] + 2, JOULES[0] + 2])
    assert part.total == pytest.approx(JOULES[3] + JOULES[0] + 4)


def test_without_item_energies_the_ratio_has_no_interval():
    a, b = simulated_pair(20, 2)
    bare = dataclasses.replace(b, attributions=())
    c = compare(a, bare)
    assert c.figures[JPC].value == pytest.approx(compare(a, b).figures[JPC].value)
    assert c.figures[JPC].interval_reason is Reason.NO_SAMPLES
    assert c.told_apart(JPC) is None
    assert c.split.share_tokens is None
    # and where not all items are shared, there is not even the ratio
    fewer = dataclasses.replace(a, items=a.items[:15])
    withheld = compare(fewer, bare).figures[JPC]
    assert withheld.reason is Reason.NO_SAMPLES
    assert "B: " in withheld.detail
    assert "single items" in withheld.detail


def test_without_joules_processor_time_leads():
    a, b = (without_joules(view) for view in simulated_pair(30, 4))
    c = compare(a, b)
    assert c.headline == "cpu_seconds_per_correct_answer_ratio"
    assert c.figures[c.headline].value is not None
    assert c.figures[JPC].reason is Reason.NO_METER
    assert c.figures[JPC].detail.startswith("A, B: ")
    one_sided = compare(simulated_pair(30, 4)[0], b)
    assert one_sided.figures[JPC].detail.startswith("B: ")


def test_figures_that_a_run_lacks_are_withheld_with_its_letter():
    a, b = simulated_pair(20, 6)
    wrong = dataclasses.replace(
        b, items=tuple(dataclasses.replace(i, verdict=Verdict.WRONG, correct=False) for i in b.items)
    )
    uncounted = dataclasses.replace(
        b, items=(dataclasses.replace(b.items[0], completion_tokens=None), *b.items[1:])
    )
    unstreamed = dataclasses.replace(b, items=tuple(dataclasses.replace(i, streamed=False) for i in b.items))
    assert compare(a, wrong).figures[JPC].reason is Reason.NOTHING_CORRECT
    assert compare(a, wrong).figures[JPC].detail == "B: No answer was correct."
    tokens = compare(uncounted, a)
    assert tokens.figures["joules_per_token_ratio"].reason is Reason.NOT_REPORTED
    assert tokens.figures["joules_per_token_ratio"].detail == "A: 1 of 20 requests have no token count."
    assert tokens.figures["joules_per_request_ratio"].value is not None
    assert tokens.split.per_request is None
    assert compare(a, unstreamed).figures["ttft_p50_ratio"].reason is Reason.NOT_STREAMED


def test_real_valued_scores_are_compared_by_their_means():
    def scored(view, add):
        items = tuple(
            dataclasses.replace(i, verdict=None, correct=None, score=add + k / 100)
            for k, i in enumerate(view.items)
        )
        return dataclasses.replace(view, items=items)

    a, b = simulated_pair(20, 6)
    c = compare(scored(a, 0.2), scored(b, 0.25))
    assert c.figures["accuracy_difference_pp"].reason is Reason.REAL_VALUED_SCORE
    assert c.headline == "joules_per_request_ratio"
    value = c.figures["mean_score_difference"]
    assert (value.value, value.lo, value.hi) == pytest.approx((0.05, 0.05, 0.05))
    assert c.told_apart("mean_score_difference") is True
    # a failed request has no score, whatever an older record says
    lost = scored(b, 0.25)
    failed = dataclasses.replace(lost.items[0], verdict=Verdict.FAILED, correct=False, score=0.0)
    lost = dataclasses.replace(lost, items=(failed, *lost.items[1:]))
    value = compare(scored(a, 0.2), lost).figures["mean_score_difference"]
    assert (value.value, value.n) == (pytest.approx(0.05), 19)


def test_few_items_have_no_interval():
    c = compare(run([10.0] * 9, [True] * 9), run([20.0] * 9, [True] * 9))
    assert c.figures[JPC].value == pytest.approx(2)
    assert c.figures[JPC].interval_reason is Reason.TOO_FEW_ITEMS
    assert c.told_apart(JPC) is None


def test_a_tie_says_how_many_items_would_tell():
    a, b = simulated_pair(40, 11, ratio=1.02)
    c = compare(a, b)
    assert c.told_apart(JPC) is False
    needed = c.items_needed(JPC)
    value = c.figures[JPC]
    half = math.log(value.hi / value.lo) / 2
    assert needed == pytest.approx(40 * (half / math.log(value.value)) ** 2, rel=0.1)
    assert needed > 40
    assert compare(*simulated_pair(400, 11, ratio=3.0)).items_needed(JPC) is None


def test_so_many_items_would_indeed_tell():
    """Asked as many times as the estimate says, the interval comes out clear of 1 about half the time."""
    a, b = simulated_pair(60, 21, ratio=1.05)
    c = compare(a, b)
    distance = abs(math.log(c.figures[JPC].value))
    needed = c.items_needed(JPC)
    assert needed is not None
    more = compare(*simulated_pair(needed, 5, ratio=1.05)).figures[JPC]
    assert math.log(more.hi / more.lo) / 2 == pytest.approx(distance, rel=0.35)


def test_a_difference_within_the_meters_bounds_is_a_tie():
    a = run([100.0] * 20, [True] * 20, slack_j=0.0)
    b = run([102.0] * 20, [True] * 20, slack_j=0.0)
    assert compare(a, b).told_apart(JPC) is True
    loose = dataclasses.replace(b, headline_energy=measured(2040.0, 60.0))
    c = compare(a, loose)
    assert c.figures[JPC].lo > 1
    assert c.within_bound
    assert c.told_apart(JPC) is False
    bound = c.figures["joules_per_correct_answer_ratio_bound"]
    assert (bound.lo, bound.hi, bound.interval) == (pytest.approx(0.99), pytest.approx(1.05), "bound")


BOUND = "joules_per_correct_answer_ratio_bound"


def _with_edges(view, slack_j):
    """Return the run with every item metered to ± ``slack_j``, and the whole to the same."""
    rows = tuple(
        dataclasses.replace(row, lo=max(0.0, row.joules - slack_j), hi=row.joules + slack_j)
        for row in view.attributions
    )
    total = view.headline_energy.joules
    return dataclasses.replace(view, headline_energy=measured(total, slack_j), attributions=rows)


def test_the_bound_of_a_part_is_that_of_its_own_edges():
    # 40 items of 10 J in A, the first 10 of them of 11 J in B; every window is known to 2 J
    a = _with_edges(run([10.0] * 40, [True] * 40), 2.0)
    b = _with_edges(run([11.0] * 10, [True] * 10), 2.0)
    c = compare(a, b)
    assert (c.left_out, c.figures[BOUND].value) == ((30, 0), pytest.approx(1.1))
    # a quarter: 3/4 of ten items' 2 J, 1/4 of the thirty others' and of the total's
    slack = 0.75 * 10 * 2 + 0.25 * 30 * 2 + 0.25 * 2
    assert c.figures[BOUND].lo == pytest.approx(108 / (100 + slack))
    assert c.figures[BOUND].hi == pytest.approx(112 / (100 - slack))
    # all items say 1.1, and 30 J of 100 J may have been missed
    assert c.figures[JPC].lo == pytest.approx(1.1)
    assert c.within_bound
    assert c.told_apart(JPC) is False


@settings(deadline=None, max_examples=20)
@given(st.integers(11, 40), st.floats(0.0, 5.0), st.floats(0.0, 50.0))
def test_the_bound_of_a_part_holds_what_the_items_can_have_used(n, slack_j, idle_j):
    whole = _with_edges(run([20.0] * 40, [True] * 40, idle_j=idle_j), slack_j)
    column = side("A", whole, [f"q{k:04d}" for k in range(n)]).columns[ENERGY]
    every = side("A", whole, [f"q{k:04d}" for k in range(40)]).columns[ENERGY]
    lo, hi = column.bound
    assert lo <= column.total <= hi
    # the edges of the part's own items, and of what the rest of the total is the remainder of
    assert hi - lo == pytest.approx(2 * slack_j * (n * (1 - n / 40) + (40 - n) * n / 40 + n / 40))
    assert hi - lo >= (every.bound[1] - every.bound[0]) * n / 40 - 1e-9


def test_without_bounds_of_the_items_a_part_has_none_and_nothing_is_told_apart():
    a, b = run([10.0] * 40, [True] * 40), run([20.0] * 20, [True] * 20)
    shared = tuple(dataclasses.replace(r, lo=None, hi=None, reason=Reason.ALLOCATED) for r in a.attributions)
    c = compare(dataclasses.replace(a, attributions=shared), b)
    assert c.figures[BOUND].value == pytest.approx(2)
    assert c.figures[BOUND].interval is None
    assert c.figures[BOUND].interval_reason is Reason.ALLOCATED
    assert c.within_bound is None
    assert c.figures[JPC].lo == pytest.approx(2)
    assert c.told_apart(JPC) is None
    assert c.told_apart("joules_per_request_ratio") is True
    # the whole of the same run has the bound of its total
    assert (
        compare(dataclasses.replace(a, attributions=shared), run([20.0] * 40, [True] * 40)).within_bound
        is False
    )


def test_two_orders_of_the_same_items():
    """By token B is cheaper on the shared items only; the order and its certainty are of these."""
    ids = [f"q{k}" for k in range(12)]
    a = run([10.0] * 12, [True] * 12, tokens=[10] * 12, ids=ids)
    # on q0..q11 B spends 20 J on 40 tokens: cheaper a token, dearer an answer; its other items cost a fortune
    more = [f"z{k}" for k in range(12)]
    b = run([20.0] * 12 + [500.0] * 12, [True] * 24, tokens=[40] * 12 + [10] * 12, ids=ids + more)
    (reversal,) = compare_runs([("a", a, summarize(a)), ("b", b, summarize(b))]).reversals
    assert (reversal.by_token, reversal.by_correct) == ("B", "A")
    assert reversal.token_told_apart is True
    assert reversal.correct_told_apart is True
    assert reversal.same_task


def test_tasks_that_order_otherwise_are_told_by_their_whole_runs():
    a = run([10.0] * 12, [True] * 12, tokens=[10] * 12)
    b = with_part(run([20.0] * 12, [True] * 12, tokens=[40] * 12), "task", name="other")
    (reversal,) = compare_runs([("a", a, summarize(a)), ("b", b, summarize(b))]).reversals
    assert (reversal.by_token, reversal.by_correct, reversal.same_task) == ("B", "A", False)
    assert reversal.token_told_apart is None


def test_graded_answers_have_no_second_accuracy():
    c = compare(*simulated_pair(20, 6))
    value = c.figures["mean_score_difference"]
    assert value.reason is Reason.NOT_APPLICABLE
    assert "see accuracy" in value.detail


def test_the_json_is_plain_and_every_null_has_its_reason():
    views = simulated_pair(20, 8)
    for c in (compare(*views), compare(views[0], without_joules(views[1])), compare(views[0], views[0])):
        document = json.loads(json.dumps(comparison_json(c), allow_nan=False))
        for name, value in c.figures.items():
            assert document[name] == value.value
            assert (document[name] is None) == (name in document["reasons"]), name
            assert (name in document["intervals"]) == (value.interval is not None)
        if document["split"]["per_request"] is None:
            assert "split" in document["reasons"]

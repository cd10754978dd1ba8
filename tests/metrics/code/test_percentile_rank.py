"""A program beside itself is neither faster nor of a rank of its own, whatever chance makes of its ratio."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.made_up_code_runs import MS, RAISED, TIMED_OUT, abba, evaluation, nothing, program
from joulemark.metrics.code.corrected import corrected
from joulemark.metrics.code.efficient_at_k import efficient_at_k, faster_at_k
from joulemark.metrics.code.percentile_rank import against, percentile_rank
from joulemark.metrics.code.sample import samples_of
from joulemark.metrics.code.shares import NO_BAND
from joulemark.metrics.code.summary import summarize_code
from joulemark.record.code_run import Purpose
from joulemark.report.code_chart import ratio_words


def with_controls(runs, n=10, noise=0.01):
    """Add programs measured against themselves on a machine of that noise."""
    same = [r for r in evaluation([1.0] * 4, seed=7, noise=noise, n_pairs=n) if r.purpose is Purpose.PAIRED]
    same = [dataclasses.replace(run, problem=f"c-{run.problem}", purpose=Purpose.SAME) for run in same]
    return [*runs, *same]


def noisy(*ratios, seed=1, noise=0.01):
    return with_controls(evaluation(ratios, seed=seed, noise=noise, n_pairs=10), noise=noise)


def told(runs):
    return corrected(runs).told


def one(ratio, **fields):
    """One program without noise, beside controls with little."""
    runs = [*nothing(cpu_ns=0, n=1), program("p", 0)]
    runs += abba("p", 0, [20 * MS] * 8, [20 * MS * ratio] * 8, **fields)
    return told(with_controls(runs, noise=0.001))


def test_the_reference_beside_itself_is_not_faster_than_it():
    """Chance puts near one half of the ratios below 1; none of them is told apart."""
    runs = noisy(*[1.0] * 30)
    samples, found = samples_of(runs), corrected(runs)
    assert 0.2 < efficient_at_k(samples, found.samples).value < 0.8
    assert faster_at_k(samples, found.told).value <= 1 / 30
    assert found.figures["tied_share"].value >= 29 / 30


def test_answers_that_are_faster_count():
    runs = noisy(0.5, 0.5, 1.0, 2.0)
    samples, found = samples_of(runs), corrected(runs)
    assert faster_at_k(samples, found.told).value == pytest.approx(1 / 2)
    assert faster_at_k(samples, found.told).n == 4
    without = corrected(evaluation([0.5, 1.0]))
    assert faster_at_k(samples, without.told).detail == NO_BAND
    assert faster_at_k(samples, ()).value is None


def test_the_page_counts_what_noise_does_not_explain():
    said = ratio_words(summarize_code(noisy(0.5, 1.0, 1.0, 1.0, 3.0)).ratios)
    assert "beyond noise 1 take less than it and 1 more; 3 are not told apart" in said
    assert "is not known" in ratio_words(summarize_code(evaluation([0.5, 1.0])).ratios)


@pytest.mark.parametrize("seed", range(4))
def test_a_program_among_copies_of_itself_is_in_the_middle(seed):
    mine = told(noisy(*[2.0] * 12, seed=seed))
    known = {name.sample.problem: [name] for name in told(noisy(*[2.0] * 12, seed=seed + 50))}
    assert percentile_rank(mine, known).value == pytest.approx(50, abs=50 / 12 + 1e-9)


def test_known_programs_in_a_chain_are_counted_one_by_one():
    """Each is 8 % slower than the one before: of all 40, those slower than the answer count."""
    known = [k for ratio in np.geomspace(1, 20, 40) for k in one(float(ratio))]
    for ratio, least, most in ((15.0, 8, 12), (1.0, 97, 100), (30.0, 0, 0)):
        rank = percentile_rank(one(ratio), {"p": known}).value
        assert least <= rank <= most, ratio


def test_what_did_not_end_is_faster_than_none():
    slow = one(9.0, outcome=TIMED_OUT, correct=None)
    failed = one(9.0, outcome=RAISED, correct=None)
    for mine in (slow, failed):
        assert percentile_rank(mine, {"p": one(5.0)}).value == 0.0
        assert percentile_rank(mine, {"p": slow}).value == 50.0
        assert percentile_rank(one(5.0), {"p": mine}).value == 100.0


def test_no_rank_without_known_programs_or_without_a_band():
    assert percentile_rank(one(1.0), {}).value is None
    bare = told(evaluation([1.0]))
    assert percentile_rank(bare, {"p00": bare}).detail == NO_BAND


@settings(deadline=None, max_examples=25)
@given(st.floats(0.05, 20), st.floats(0.05, 20))
def test_two_programs_are_compared_alike_from_both_sides(a, b):
    first, second = one(a)[0], one(b)[0]
    turned = {"faster": "slower", "slower": "faster", "tie": "tie"}
    assert against(first, second) == turned[against(second, first)]
    if abs(math.log(a / b)) > 0.1:
        assert against(first, second) == ("slower" if a > b else "faster")

"""eff@k, by the definition and by hand; and that its estimator is the mean over all choices."""

from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.made_up_code_runs import MS, RAISED, TIMED_OUT, program
from joulemark.metrics.code.eff_at_k import (
    answer_scores,
    eff_at_k,
    expected_best,
    level_pass_at_k,
    level_scores,
    longest_times,
)
from joulemark.record.code_run import Outcome, Purpose


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(0, 2), min_size=1, max_size=7), st.data())
def test_the_estimator_is_the_mean_of_the_best_of_all_choices(scores, data):
    k = data.draw(st.integers(1, len(scores)))
    assert expected_best(scores, k) == pytest.approx(fmean(map(max, combinations(scores, k))))


def test_many_answers_are_no_trouble():
    scores = [k / 1000 for k in range(1000)]
    assert expected_best(scores, 1) == pytest.approx(fmean(scores))
    assert expected_best(scores, 1000) == max(scores)


def test_more_than_there_are_is_refused():
    with pytest.raises(ValueError, match="best of 3"):
        expected_best([1.0, 0.5], 3)


def test_level_scores_by_hand():
    # T = 2 * 4 = 8; (8 - 2) / (8 - 1), (8 - 4) / (8 - 2), over T
    scores = level_scores({0: 100.0, 1: 1.0, 2: 2.0, 3: 4.0}, {0: 0.1, 1: 2.0, 2: 4.0, 3: 9.0})
    assert scores == {1: pytest.approx(6 / 7), 2: pytest.approx(4 / 6), 3: 0.0}


def test_the_reference_scores_one_and_faster_code_more():
    reference = {1: 1.0, 2: 2.0, 3: 4.0}
    assert set(level_scores(reference, reference).values()) == {1.0}
    assert min(level_scores(reference, dict.fromkeys(reference, 0.5)).values()) > 1


def test_from_a_limit_on_every_score_is_zero():
    assert level_scores({1: 1.0, 2: 2.0, 3: 4.0}, {1: 1.0, 2: None, 3: 1.0}) == {1: 1.0, 2: 0.0, 3: 0.0}
    # not reached is not run
    assert level_scores({1: 1.0, 2: 2.0, 3: 4.0}, {1: 1.0}) == {1: 1.0, 2: 0.0, 3: 0.0}


def level(sample, level, ms, *, problem="p", case=0, **fields):
    return program(problem, sample, Purpose.LEVEL, level=level, case=case, cpu_ns=round(ms * MS), **fields)


def answered(times_ms, problem="p", sample=0, reference_ms=(1, 2, 4)):
    runs = [level(None, k, ms, problem=problem) for k, ms in enumerate(reference_ms, 1)]
    runs += [level(sample, 0, 0.1, problem=problem)]
    return runs + [level(sample, k, ms, problem=problem) for k, ms in enumerate(times_ms, 1)]


def test_weights_are_three_three_four():
    # scores 6/7, 1, 0.5
    value = eff_at_k(answered((2, 2, 6)))
    assert value.value == pytest.approx((3 * 6 / 7 + 3 * 1 + 4 * 0.5) / 10)
    assert value.n == 1


def test_wrong_code_scores_zero_and_fails():
    runs = [*answered((2, 2, 6)), level(0, 2, 2, case=1, correct=False)]
    assert answer_scores(runs) == {"p": {0: (False, 0.0)}}
    assert eff_at_k(runs).value == 0.0
    assert level_pass_at_k(runs).value == 0.0


@pytest.mark.parametrize(
    ("outcome", "detail"),
    [(TIMED_OUT, ""), (Outcome.OVER_CPU, ""), (Outcome.OVER_MEMORY, ""), (RAISED, "OverflowError: too big")],
)
def test_a_limit_on_a_later_level_passes_and_scores_what_came_before(outcome, detail):
    runs = [*answered((1, 2)), level(0, 3, 999, outcome=outcome, detail=detail, correct=None)]
    assert level_pass_at_k(runs).value == 1.0
    assert eff_at_k(runs).value == pytest.approx(6 / 10)
    first = [run for run in runs if run.sample is None] + [level(0, 0, 9, outcome=outcome, detail=detail)]
    assert level_pass_at_k(first).value == 0.0


def test_who_is_wrong_before_the_levels_fails_and_counts():
    runs = [*answered((1, 2, 4)), program("p", 1, correct=False)]
    assert answer_scores(runs) == {"p": {0: (True, pytest.approx(1.0)), 1: (False, 0.0)}}
    assert eff_at_k(runs).value == pytest.approx(0.5)
    assert level_pass_at_k(runs).value == pytest.approx(0.5)
    only_wrong = [run for run in answered(()) if run.sample is None] + [program("p", 0, correct=False)]
    assert eff_at_k(only_wrong).value == 0.0
    # one that was not run on the levels, and is not known to be wrong, says nothing
    assert eff_at_k([*answered((1, 2, 4)), program("p", 1)]).value == pytest.approx(1.0)


def test_who_is_far_over_the_limit_is_ended_whether_or_not_somebody_looked():
    # T = 8 ms: 9 ms score nothing, 19 ms end the answer
    assert eff_at_k(answered((9, 2, 4))).value == pytest.approx(0.7)
    assert eff_at_k(answered((19, 2, 4))).value == 0.0
    assert level_pass_at_k(answered((19, 2, 4))).value == 1.0
    slow_start = [*answered((1, 2, 4)), level(0, 0, 19, case=1)]
    assert level_pass_at_k(slow_start).value == 0.0


def test_the_longest_test_of_each_round_counts_and_of_rounds_the_least():
    """A round has inputs of its own: the easiest input of each test would be none of the level's."""
    runs = [level(0, 1, ms, case=case) for case, ms in ((0, 5), (0, 3), (1, 4), (1, 9))]
    assert longest_times(runs, lambda run: run.cpu_ns / MS) == {1: 5.0}
    assert longest_times([*runs, level(0, 1, 1, case=2, outcome=TIMED_OUT)], lambda r: r.cpu_ns) == {1: None}


def test_a_level_that_was_ended_in_the_middle_scores_nothing():
    """A quick first call would else stand for the tests behind the one that took too long."""
    reference = [level(None, k, ms, pair=pair) for k, ms in enumerate((1, 2, 4), 1) for pair in range(6)]
    whole = [level(0, k, ms, pair=pair) for k, ms in enumerate((1, 2, 4), 1) for pair in range(6)]
    assert eff_at_k([*reference, *whole]).value == pytest.approx(1.0)
    looked = [run for run in whole if run.level < 3] + [level(0, 3, 0.1, pair=0), level(0, 3, 19, pair=1)]
    assert eff_at_k([*reference, *looked]).value == pytest.approx(0.6)


def test_each_answer_is_held_against_the_reference_on_its_own_inputs():
    """Those of the second are ten times as hard; the first level is the same for both."""
    runs = [level(who, 0, 0.1, pair=0) for who in (None, 0, 1)]
    for draw, hard in ((0, 1), (1, 10)):
        for k, ms in enumerate((1, 2, 4), 1):
            for pair in range(6 * draw, 6 * draw + 6):
                runs += [level(None, k, hard * ms, pair=pair), level(draw, k, hard * ms, pair=pair)]
    assert answer_scores(runs) == {"p": {0: (True, pytest.approx(1.0)), 1: (True, pytest.approx(1.0))}}


def test_problems_are_averaged_and_answers_chosen():
    runs = answered((1, 2, 4), "a") + answered((8, 8, 8), "a", 1, ())
    runs += answered((1, 2, 4), "b") + answered((1, 2, 4), "b", 1, ())
    assert eff_at_k(runs, 1).value == pytest.approx((0.5 + 1) / 2)
    assert eff_at_k(runs, 2).value == pytest.approx(1.0)
    assert eff_at_k(runs, 3).value is None


def test_without_levels_there_is_no_score():
    assert eff_at_k([program("p", 0)]).value is None
    assert level_pass_at_k([program("p", 0)]).value is None


def test_any_clock_will_do():
    runs = answered((2, 4, 8))
    assert eff_at_k(runs, clock=lambda run: 1.0).value == pytest.approx(1.0)


def test_a_problem_is_scored_by_its_own_weights():
    runs = [level(None, k, 100) for k in (1, 2)] + [level(0, 1, 150), level(0, 2, 100)]
    runs.append(program("p", 0))
    assert eff_at_k(runs).value == pytest.approx((3 * 0.5 + 3 * 1.0) / 6)
    assert eff_at_k(runs, weights={"p": {1: 1.0, 2: 3.0}}).value == pytest.approx((0.5 + 3 * 1.0) / 4)
    assert eff_at_k(runs, weights={"p": {2: 1.0}}).value == pytest.approx(1.0)

import math
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.made_up_code_runs import program
from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.code.pass_at_k import chance_of_pass, pass_at_k
from joulemark.metrics.code.sample import samples_of
from joulemark.record.reason import Reason


@settings(deadline=None)
@given(st.integers(1, 9), st.data())
def test_it_is_the_share_of_all_choices_that_hold_a_right_answer(n, data):
    right = data.draw(st.integers(0, n))
    k = data.draw(st.integers(1, n))
    answers = [True] * right + [False] * (n - right)
    choices = list(combinations(answers, k))
    assert chance_of_pass(n, right, k) == pytest.approx(sum(map(any, choices)) / len(choices))


def test_a_thousand_answers_are_no_trouble():
    assert chance_of_pass(1000, 1, 500) == pytest.approx(0.5)


@pytest.mark.parametrize(("n", "right", "k"), [(3, 1, 4), (3, 4, 1), (3, -1, 1), (3, 1, 0)])
def test_what_is_no_choice_is_refused(n, right, k):
    with pytest.raises(ValueError, match="k ="):
        chance_of_pass(n, right, k)


def judged(*verdicts):
    """One problem for each list of verdicts of its answers."""
    return samples_of(
        [
            program(f"p{p}", number, correct=right)
            for p, mine in enumerate(verdicts)
            for number, right in enumerate(mine)
        ]
    )


def test_pass_at_1_is_the_share_with_its_interval():
    value = pass_at_k(judged([True], [False], [True], [True]), 1)
    assert value.value == 0.75
    assert (value.lo, value.hi) == wilson_interval(3, 4)
    assert value.n == 4


def test_several_answers():
    value = pass_at_k(judged([True, False, False], [False, False, False]), 2)
    assert value.value == pytest.approx((2 / 3 + 0) / 2)


def test_too_few_answers_withhold_it():
    value = pass_at_k(judged([True, False], [False]), 2)
    assert value.value is None
    assert value.reason is Reason.NOT_APPLICABLE
    assert "1 of 2" in value.detail


def test_nothing_judged_is_no_zero():
    assert pass_at_k([], 1).reason is Reason.NOTHING_SCORED
    assert pass_at_k(judged([None]), 1).reason is Reason.NOTHING_SCORED


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=5), min_size=1, max_size=6))
def test_more_tries_never_pass_less(verdicts):
    values = [pass_at_k(judged(*verdicts), k).value for k in (1, 2, 3)]
    assert all(a <= b + 1e-12 for a, b in pairwise(values))
    assert all(0 <= v <= 1 and math.isfinite(v) for v in values)

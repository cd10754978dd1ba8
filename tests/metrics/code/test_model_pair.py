"""Two models on the same problems: what they differ by has an interval, and slow ones are not left out."""

import numpy as np
import pytest

from doubles.made_up_code_runs import MS, RAISED, TIMED_OUT, abba, evaluation, program
from joulemark.metrics.code.model_pair import model_pair


def pair(first, second):
    return model_pair("a", "b", {"a": first, "b": second}).figures


def test_problems_that_differ_much_hide_no_difference_of_models():
    """Each task is slower by a quarter in the second; tasks themselves differ thirtyfold."""
    ratios = np.geomspace(0.5, 15, 12)
    found = pair(evaluation(ratios, seed=1), evaluation(ratios * 1.25, seed=2))
    quotient = found["net_corrected_quotient"]
    assert quotient.value == pytest.approx(1.25, rel=0.02)
    assert 1 < quotient.lo < quotient.value < quotient.hi < 1.4
    assert quotient.n == 12


def test_the_same_programs_are_not_told_apart():
    ratios = np.geomspace(0.5, 15, 12)
    found = pair(evaluation(ratios, seed=1), evaluation(ratios, seed=2))
    for name, alike in (("net_corrected_quotient", 1.0), ("pass_at_1_difference", 0.0)):
        assert found[name].lo <= alike <= found[name].hi, name


def test_pass_at_1_is_compared_problem_by_problem():
    found = pair(evaluation([1.0] * 20, wrong=range(12)), evaluation([1.0] * 20, wrong=range(2)))
    difference = found["pass_at_1_difference"]
    assert difference.value == pytest.approx(0.5)
    assert 0 < difference.lo < 0.5 < difference.hi
    # the 8 that both solved
    assert found["net_corrected_quotient"].n == 8


@pytest.mark.parametrize("outcome", [TIMED_OUT, RAISED])
def test_a_program_that_did_not_end_withholds_the_quotient(outcome):
    slow = abba("p02", 0, [20 * MS] * 3, [900 * MS] * 3, outcome=outcome, correct=None)
    ended = [*evaluation([1.0, 1.0]), program("p02", 0), *slow]
    found = pair(evaluation([1.0] * 3), ended)["net_corrected_quotient"]
    assert found.value is None
    assert "1 of 3" in found.detail


def test_nothing_to_compare():
    for value in pair([], []).values():
        assert value.value is None
        assert value.detail

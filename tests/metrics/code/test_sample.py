import pytest

from doubles.made_up_code_runs import RAISED, TIMED_OUT, program
from joulemark.metrics.code.sample import is_right, passes_tests, references, samples_of
from joulemark.record.code_run import Outcome, Purpose


def test_runs_are_gathered_by_sample_and_controls_are_no_sample():
    runs = [program("a", 0), program("a", 1), program("a", 0), program("a", None), program("b", 0)]
    runs.append(program("a", 7, Purpose.SAME))
    samples = samples_of(runs)
    assert [(s.problem, s.number, len(s.runs)) for s in samples] == [("a", 0, 2), ("a", 1, 1), ("b", 0, 1)]
    assert {p: len(mine) for p, mine in references(runs, Purpose.TEST).items()} == {"a": 1}


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.RETURNED])
def test_nothing_but_a_returned_result_passes_a_test(outcome):
    """Time-outs, `sys.exit(0)` and crashes are passes elsewhere."""
    for claimed in (None, True):
        assert is_right([program("p", 0), program("p", 0, outcome=outcome, correct=claimed)]) is False


def test_right_needs_every_test():
    assert is_right([program("p", 0), program("p", 0)]) is True
    assert is_right([program("p", 0), program("p", 0, correct=False)]) is False
    assert is_right([program("p", 0), program("p", 0, correct=None)]) is None
    assert is_right([]) is None


@pytest.mark.parametrize("purpose", [Purpose.PAIRED, Purpose.GROWTH, Purpose.WHOLE, Purpose.LEVEL])
def test_what_is_measured_beside_the_tests_changes_no_verdict(purpose):
    """pass@1 with `--figures paper` and with `--figures corrected` is the same number."""
    wrong = program("p", 0, purpose, correct=False)
    assert passes_tests([program("p", 0), wrong]) is True
    # but the time of a program that is somewhere wrong counts nowhere
    assert is_right([program("p", 0), wrong]) is False


@pytest.mark.parametrize("outcome", [TIMED_OUT, Outcome.OVER_MEMORY, RAISED])
def test_a_scaled_input_that_is_too_much_leaves_right_code_right(outcome):
    assert is_right([program("p", 0), program("p", 0, Purpose.PAIRED, outcome)]) is True
    # but makes nothing right alone
    assert is_right([program("p", 0, Purpose.PAIRED, outcome)]) is None


def test_without_tests_the_whole_run_decides():
    assert is_right([program("p", 0, Purpose.WHOLE)]) is True
    assert is_right([program("p", 0, Purpose.WHOLE, TIMED_OUT)]) is False


def test_levels_decide_by_their_own_rule():
    first, last = (program("p", 0, Purpose.LEVEL, level=level) for level in (0, 3))
    limited = program("p", 0, Purpose.LEVEL, TIMED_OUT, level=3)
    overflow = program("p", 0, Purpose.LEVEL, RAISED, level=2, detail="OverflowError: too large")
    assert is_right([first, last]) is True
    assert is_right([first, limited]) is True
    assert is_right([first, overflow]) is True
    assert is_right([program("p", 0, Purpose.LEVEL, TIMED_OUT, level=0)]) is False
    assert is_right([first, program("p", 0, Purpose.LEVEL, RAISED, level=2, detail="KeyError: 1")]) is False


@pytest.mark.parametrize("purpose", [Purpose.PAIRED, Purpose.GROWTH, Purpose.WHOLE, Purpose.LEVEL])
def test_a_program_that_is_wrong_somewhere_passes_and_does_not_count_for_cost(purpose):
    runs = [
        program("p", 0),
        program("p", 0, purpose, correct=False),
        program("q", 0),
        program("q", 0, purpose),
    ]
    wrong, right = samples_of([*runs, program("r", 0, correct=None)])[:2]
    assert (wrong.passed, wrong.counts_for_cost, wrong.is_wrong_beyond_tests) == (True, False, True)
    assert (right.passed, right.counts_for_cost, right.is_wrong_beyond_tests) == (True, True, False)
    assert [one for one in Purpose if wrong.is_wrong_on(one)] == [purpose]
    assert not any(right.is_wrong_on(one) for one in Purpose)


def test_what_fails_its_tests_is_not_wrong_beyond_them():
    (wrong,) = samples_of([program("p", 0, correct=False), program("p", 0, Purpose.WHOLE, correct=False)])
    assert not wrong.counts_for_cost
    assert not wrong.is_wrong_beyond_tests
    assert not wrong.is_wrong_on(Purpose.WHOLE)
    (unjudged,) = samples_of([program("p", 0, correct=None)])
    assert not unjudged.counts_for_cost

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.run_views import item
from joulemark.metrics.accuracy import accuracy, wilson_interval
from joulemark.metrics.truncation import accuracy_excluding_truncated
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason


def _items(**counts):
    verdicts = [Verdict(name) for name, n in counts.items() for _ in range(n)]
    return [item(k, verdict=verdict) for k, verdict in enumerate(verdicts)]


def test_truncated_answers_leave_the_denominator_by_hand():
    # 6 correct, 3 wrong, 1 failed, 5 truncated: 6 of 15, and 6 of 10
    items = _items(correct=6, wrong=3, failed=1, truncated=5)
    value = accuracy_excluding_truncated(items)
    assert (value.value, value.n, value.interval) == (0.6, 10, "ci95")
    assert (value.lo, value.hi) == pytest.approx(wilson_interval(6, 10))
    assert accuracy(items).value == 0.4


def test_it_is_the_accuracy_where_nothing_was_truncated():
    items = _items(correct=6, wrong=3, refused=1)
    assert accuracy_excluding_truncated(items) == accuracy(items)


def test_nothing_but_truncated_answers():
    value = accuracy_excluding_truncated(_items(truncated=4))
    assert (value.reason, value.detail) == (Reason.NOTHING_SCORED, "Every scored answer was truncated.")
    assert accuracy(_items(truncated=4)).value == 0.0
    real = [item(0, verdict=None, score=0.4)]
    assert accuracy_excluding_truncated(real).reason is Reason.REAL_VALUED_SCORE


def test_an_item_enters_once_with_the_repeats_that_were_not_cut_off():
    # q0: correct and cut off, q1: wrong twice; the repeats of q0 that stand are all correct
    items = [
        item(0, verdict=Verdict.CORRECT),
        item(0, verdict=Verdict.TRUNCATED, repeat=1),
        item(1, verdict=Verdict.WRONG),
        item(1, verdict=Verdict.WRONG, repeat=1),
    ]
    value = accuracy_excluding_truncated(items)
    assert (value.value, value.n) == (0.5, 2)


@settings(deadline=None)
@given(st.lists(st.sampled_from(list(Verdict)), min_size=1, max_size=40))
def test_it_is_never_below_the_accuracy(verdicts):
    items = [item(k, verdict=verdict) for k, verdict in enumerate(verdicts)]
    value = accuracy_excluding_truncated(items)
    if value.value is not None:
        assert value.value >= accuracy(items).value

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from doubles.run_views import item
from joulemark.metrics.accuracy import accuracy, verdict_counts, wilson_interval
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason


def _items(correct, wrong=0, failed=0):
    verdicts = [Verdict.CORRECT] * correct + [Verdict.WRONG] * wrong + [Verdict.FAILED] * failed
    return [
        item(k, verdict=v, correct=None if v is Verdict.FAILED else v is Verdict.CORRECT)
        for k, v in enumerate(verdicts)
    ]


def test_wilson_by_hand():
    # 8 of 10, z = 1.96: centre (8 + 1.9207) / 13.8415 = 0.71674, half width 0.22659
    lo, hi = wilson_interval(8, 10)
    assert (round(lo, 4), round(hi, 4)) == (0.4902, 0.9433)


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_scipy_and_holds_the_point(kn):
    k, n = kn
    lo, hi = wilson_interval(k, n)
    reference = binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert lo == pytest.approx(reference.low, abs=1e-12)
    assert hi == pytest.approx(reference.high, abs=1e-12)
    assert 0 <= lo <= k / n <= hi <= 1


def test_no_proportion_is_refused():
    for k, n in ((1, 0), (3, 2), (-1, 5)):
        with pytest.raises(ValueError, match="proportion"):
            wilson_interval(k, n)


def test_failed_requests_count_as_not_correct_unless_left_out():
    items = _items(6, 2, 2)
    assert accuracy(items).value == 0.6
    assert accuracy(items).n == 10
    without = accuracy(items, include_failed=False)
    assert (without.value, without.n) == (0.75, 8)


def test_a_failed_request_marked_correct_is_still_not_correct():
    assert accuracy([item(0), item(1, verdict=Verdict.FAILED, correct=True)]).value == 0.5


def test_repeats_of_an_item_are_one_trial():
    # four items, asked five times each, always the same answer: no more evidence than asked once
    once = [item(k, verdict=Verdict.CORRECT if k < 3 else Verdict.WRONG) for k in range(4)]
    often = [
        item(k, verdict=Verdict.CORRECT if k < 3 else Verdict.WRONG, repeat=r)
        for k in range(4)
        for r in range(5)
    ]
    assert accuracy(often) == accuracy(once)


def test_withheld_when_nothing_is_scored_or_scores_are_real_valued():
    unscored = [item(0, verdict=None)]
    assert accuracy(unscored).reason is Reason.NOTHING_SCORED
    assert accuracy([]).reason is Reason.NOTHING_SCORED
    real = [item(0, verdict=None, score=0.7), item(1, verdict=Verdict.FAILED, correct=None)]
    assert accuracy(real).reason is Reason.REAL_VALUED_SCORE
    all_failed = _items(0, 0, 3)
    assert accuracy(all_failed).value == 0.0
    assert accuracy(all_failed, include_failed=False).reason is Reason.NOTHING_SCORED


def test_every_verdict_is_counted():
    counts = verdict_counts([*_items(2, 1, 1), item(9, verdict=None), item(10, verdict=None, score=0.0)])
    assert counts == {
        "correct": 2, "wrong": 1, "unparsed": 0, "truncated": 0, "refused": 0, "failed": 1, "scored": 1,
        "unscored": 1,
    }  # fmt: skip
    assert list(counts)[-2:] == ["scored", "unscored"]

import pytest

from doubles.run_views import item
from joulemark.metrics.score import mean_score
from joulemark.metrics.speed import (
    decode_tokens_per_second,
    mean_completion_tokens,
    mean_prompt_tokens,
    tokens_per_second,
)
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason


def test_throughput_holds_all_time_and_decode_speed_only_decoding():
    # 11 tokens in 0.2 to 1.2 s, and 21 tokens in 0.2 to 2.2 s
    items = [item(0, tokens=11), item(1, tokens=21, end_s=2.2)]
    assert tokens_per_second(items, 8.0).value == 4.0
    assert decode_tokens_per_second(items).value == pytest.approx(30 / 3.0)
    assert mean_completion_tokens(items).value == 16.0
    assert mean_prompt_tokens(items).value == 40.0


def test_missing_counts_are_told():
    items = [item(0, tokens=None), item(1)]
    assert tokens_per_second(items, 8.0).reason is Reason.NOT_REPORTED
    assert mean_completion_tokens(items).detail.startswith("1 of 2")
    assert decode_tokens_per_second(items).n == 1
    assert tokens_per_second([item(0)], None).reason is Reason.OUTSIDE_TIMELINE
    assert mean_completion_tokens([]).reason is Reason.NOTHING_SCORED


def test_decode_speed_needs_a_stream_and_two_tokens():
    assert decode_tokens_per_second([item(0, streamed=False)]).reason is Reason.NOT_STREAMED
    assert decode_tokens_per_second([item(0, tokens=1)]).reason is Reason.NO_TOKEN_SEEN
    failed = item(1, verdict=Verdict.FAILED, streamed=None, tokens=None, first_s=None)
    assert decode_tokens_per_second([item(0), failed]).value == pytest.approx(10.0)


def test_a_real_valued_score_has_a_mean_with_an_interval():
    items = [item(k, verdict=None, score=k / 20) for k in range(21)]
    value = mean_score(items)
    assert value.value == pytest.approx(0.5)
    # the standard error is 0.303 / sqrt(21) = 0.066
    assert value.lo == pytest.approx(0.5 - 1.96 * 0.066, abs=0.02)
    assert value.hi == pytest.approx(0.5 + 1.96 * 0.066, abs=0.02)
    few = mean_score(items[:5])
    assert (few.value, few.interval_reason) == (0.1, Reason.TOO_FEW_ITEMS)
    assert mean_score([item(0, verdict=None)]).reason is Reason.NOTHING_SCORED
    # failed requests have no score, whatever an older record says
    failed = [item(k, verdict=Verdict.FAILED, score=0.0) for k in range(30, 40)]
    assert mean_score([*items, *failed]) == value


def test_graded_answers_have_no_mean_score_beside_their_accuracy():
    items = [item(k, verdict=Verdict.WRONG if k % 2 else Verdict.CORRECT) for k in range(12)]
    assert {one.score for one in items} == {0.0, 1.0}
    value = mean_score(items)
    assert (value.reason, value.detail) == (
        Reason.NOT_APPLICABLE,
        "Answers were graded correct or not; see accuracy.",
    )
    # the task says that scores are real-valued, and no answer could be scored
    lost = [item(k, verdict=Verdict.UNPARSED, correct=None) for k in range(12)]
    assert mean_score(lost, real_valued=True).reason is Reason.NOTHING_SCORED


def test_negative_scores_are_scores_and_all_zero_is_zero():
    assert mean_score([item(k, verdict=None, score=-1.0) for k in range(12)]).hi == -1.0
    zero = mean_score([item(k, verdict=None, score=0.0) for k in range(12)])
    assert (zero.value, zero.lo, zero.hi) == (0.0, 0.0, 0.0)

import pytest

from doubles.run_views import T0, S, item
from joulemark.metrics.latency import (
    DEFINITIONS,
    chunk_gaps_s,
    e2el_s,
    latencies,
    streaming_used,
    tpot_s,
    ttfa_s,
    ttft_s,
)
from joulemark.record.item import Attempt, Chunk, Verdict
from joulemark.record.reason import Reason


def _chunks(*offsets_s, tokens=1, coalesced=()):
    return tuple(Chunk(T0 + round(t * S), tokens, k in coalesced) for k, t in enumerate(offsets_s))


def test_definitions_by_hand():
    one = item(first_s=0.25, end_s=1.25, tokens=11, t_first_answer=T0 + S // 2)
    assert ttft_s(one) == 0.25
    assert ttfa_s(one) == 0.5
    assert tpot_s(one) == 0.1
    assert e2el_s(one) == 1.25


def test_a_retried_request_is_timed_from_its_first_try():
    tries = (Attempt(T0, T0 + S, "reset"), Attempt(T0 + 2 * S, T0 + 3 * S))
    one = item(start_s=2.0, first_s=0.25, end_s=1.0, attempts=tries)
    assert ttft_s(one) == ttfa_s(one) == 2.25  # the user waited through the reset and the pause
    assert e2el_s(one) == 3.0
    assert tpot_s(one) == pytest.approx(0.075)


def test_percentiles_hold_the_waits_of_those_that_were_tried_again():
    tries = (Attempt(T0, T0 + S, "http_503"), Attempt(T0 + 2 * S, T0 + 3 * S))
    items = [item(k) for k in range(15)]
    items += [item(k, start_s=2.0, end_s=1.0, attempts=tries) for k in range(15, 20)]
    found = latencies(items, {})
    assert found["ttft"].answered[50].value == 0.2
    assert found["ttft"].answered[90].value == found["ttfa"].answered[90].value == 2.2
    assert found["e2el"].answered[95].value == 3.0


def test_the_definitions_say_what_sent_means():
    for one in DEFINITIONS:
        assert ("the first sending" in one.source) == ("items.t_sent" in one.inputs), one.name


@pytest.mark.parametrize("tokens", [None, 0, 1])
def test_tpot_of_fewer_than_two_tokens_is_null(tokens):
    assert tpot_s(item(tokens=tokens)) is None


def test_failures_count_as_infinitely_late_in_one_form_only():
    items = [item(k, first_s=0.1 * (k + 1), end_s=9.0) for k in range(18)]
    items += [item(k, verdict=Verdict.FAILED, first_s=None, streamed=None, tokens=None) for k in (18, 19)]
    ttft = latencies(items, {})["ttft"]
    assert ttft.answered[90].value == pytest.approx(1.7)
    assert ttft.answered[90].n == 18
    assert ttft.answered[95].reason is Reason.TOO_FEW_ITEMS
    assert ttft.with_failures[90].value == pytest.approx(1.8)
    assert ttft.with_failures[95].value is None
    assert ttft.with_failures[95].reason is Reason.REQUEST_FAILED
    assert ttft.with_failures[95].n == 20


@pytest.mark.parametrize(("percent", "needed"), [(50, 1), (90, 10), (95, 20), (99, 100)])
def test_a_percentile_needs_enough_values(percent, needed):
    items = [item(k) for k in range(needed)]
    enough, less = latencies(items, {})["e2el"], latencies(items[1:], {})["e2el"]
    assert enough.answered[percent].value == enough.with_failures[percent].value == 1.2
    if needed > 1:
        for form in (less.answered, less.with_failures):
            assert form[percent].reason is Reason.TOO_FEW_ITEMS
            assert form[percent].n == needed - 1


@pytest.mark.parametrize(
    ("one", "chunks"),
    [
        (item(first_s=1.2, end_s=1.2), ()),
        (item(), _chunks(0.2, 0.2, 0.2, coalesced={1, 2})),
        (item(), _chunks(0.2)),
    ],
)
def test_an_answer_in_one_piece_has_no_time_per_token(one, chunks):
    assert tpot_s(one, chunks) is None
    found = latencies([one], {one.key: chunks})["tpot"]
    assert found.answered[50].reason is Reason.COALESCED
    assert found.samples_s == ()


def test_a_stream_that_came_in_several_reads_has_a_time_per_token():
    assert tpot_s(item(), _chunks(0.2, 0.2, 0.7, coalesced={1})) == 0.1


def test_one_answer_in_one_piece_withholds_every_latency():
    items = [item(0), item(1, streamed=False, first_s=None)]
    for latency in latencies(items, {items[0].key: _chunks(0.1, 0.2)}).values():
        assert {value.reason for value in latency.answered.values()} == {Reason.NOT_STREAMED}
        assert {value.reason for value in latency.with_failures.values()} == {Reason.NOT_STREAMED}
        assert latency.samples_s == ()
    assert streaming_used(items) is False


def test_a_run_of_failures_has_no_latency():
    failed = [item(0, verdict=Verdict.FAILED, streamed=None)]
    assert streaming_used(failed) is None
    assert latencies(failed, {})["e2el"].answered[50].reason is Reason.NOTHING_SCORED
    assert latencies([], {})["e2el"].answered[50].reason is Reason.NOTHING_SCORED


def test_a_stream_without_a_token_is_left_out_and_never_zero():
    items = [item(0, first_s=None), item(1, first_s=0.4)]
    found = latencies(items, {})
    assert found["ttft"].samples_s == (0.4,)
    assert found["e2el"].answered[50].n == 2
    nothing = latencies([item(0, first_s=None)], {})
    assert nothing["ttft"].answered[50].reason is Reason.NO_TOKEN_SEEN
    assert nothing["ttfa"].answered[50].reason is Reason.NO_ANSWER_TOKEN_SEEN
    assert latencies([item(0, tokens=1)], {})["tpot"].answered[50].reason is Reason.ONE_TOKEN


def test_a_coalesced_chunk_has_no_gap():
    chunks = _chunks(0.1, 0.1, 0.4, 0.5, coalesced={1})
    assert chunk_gaps_s(chunks) == pytest.approx([0.3, 0.1])
    assert chunk_gaps_s(chunks[:1]) == []


@pytest.mark.parametrize(
    ("chunks", "reason"),
    [
        (_chunks(0.1, 0.2, 0.3), None),
        (_chunks(0.1, 0.2, 0.3, tokens=2), Reason.CHUNK_NOT_TOKEN),
        (_chunks(0.1, 0.2, 0.3, tokens=None), Reason.CHUNK_NOT_TOKEN),
        (_chunks(0.1, 0.1, 0.3, coalesced={1}), Reason.COALESCED),
        (_chunks(0.1), Reason.ONE_TOKEN),
    ],
)
def test_a_chunk_gap_is_called_inter_token_only_where_it_is_one(chunks, reason):
    one = item()
    found = latencies([one], {one.key: chunks})
    assert found["itl"].answered[50].reason is reason
    assert (found["icl"].answered[50].reason is None) == (len(chunks) > 1)

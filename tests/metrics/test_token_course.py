import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.made_up_loads import at, request, stream, without_stream
from joulemark.metrics.token_course import TokenCourse, token_course, tokens_made
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt, Chunk, Verdict
from joulemark.record.reason import Reason


def chunks_of(stamps_s, tokens):
    return tuple(Chunk(at(t), n, False) for t, n in zip(stamps_s, tokens, strict=True))


def test_a_chunks_tokens_are_made_since_the_chunk_before_and_the_first_at_its_arrival():
    one = request(0, 0, 4, first_s=1, tokens=8)
    course = token_course([one], {one.key: chunks_of([1, 2, 4], [1, 4, 3])})
    assert course.basis == "exact"
    found = course.until(np.array([at(t) for t in (0.5, 1, 1.5, 2, 3, 9)], np.int64))
    assert found == pytest.approx([0, 1, 3, 5, 6.5, 8])


@given(
    st.lists(st.lists(st.integers(1, 40), min_size=1, max_size=8), min_size=1, max_size=5),
    st.lists(st.floats(0, 60), min_size=1, max_size=6),
)
@settings(deadline=None, max_examples=60)
def test_blocks_hold_every_token_once(counts, cuts):
    items, chunks = [], {}
    for index, tokens in enumerate(counts):
        one = request(index, 0, 50, tokens=sum(tokens))
        items.append(one)
        chunks[one.key] = chunks_of(np.linspace(5, 50, len(tokens)), tokens)
    course = token_course(items, chunks)
    assert isinstance(course, TokenCourse)
    edges = np.array(sorted({at(-1), *map(at, cuts), at(70)}), np.int64)
    parts = course.between(edges)
    assert (parts >= -1e-6).all()
    assert parts.sum() == pytest.approx(sum(map(sum, counts)))


def test_unknown_counts_are_spread_and_it_is_said_how():
    one = request(0, 0, 4, first_s=1, tokens=6)
    unknown = token_course([one], {one.key: chunks_of([1, 2, 4], [None] * 3)})
    assert unknown.basis == "spread_over_chunks"
    assert unknown.until(np.array([at(2)], np.int64)) == pytest.approx([4])
    as_many = token_course([one], {one.key: chunks_of(range(1, 7), [None] * 6)})
    assert as_many.basis == "exact"
    whole = token_course([without_stream(one)], {})
    assert whole.basis == "spread_over_time"
    assert whole.until(np.array([at(1)], np.int64)) == pytest.approx([1.5])


def test_what_no_chunk_carried_is_spread_over_those_that_carried_the_rest():
    one = request(0, 0, 3, first_s=1, tokens=9)
    course = token_course([one], {one.key: chunks_of([1, 2, 3], [1, 3, 4])})
    assert course.basis == "spread_over_chunks"
    assert course.until(np.array([at(9)], np.int64)) == pytest.approx([9])


@pytest.mark.parametrize("phase", ["warmup", "measure"])
def test_a_lead_request_that_failed_has_no_verdict_and_needs_no_count(phase):
    good = request(0, 0, 2)
    gone = dataclasses.replace(
        request(1, 0, 2, phase=phase),
        verdict=None,
        completion_tokens=None,
        t_first=None,
        attempts=(Attempt(at(0), at(1), "http_503"), Attempt(at(1), at(2), "http_503")),
    )
    course = token_course([good, gone], {good.key: stream(good)})
    assert isinstance(course, TokenCourse)
    assert course.until(np.array([at(9)], np.int64)) == pytest.approx([20])
    # the last try counts
    late = dataclasses.replace(gone, attempts=(*gone.attempts, Attempt(at(2), at(3))))
    assert isinstance(token_course([good, late], {good.key: stream(good)}), Withheld)


def test_a_failed_request_counts_with_what_was_seen_and_an_answered_one_needs_its_count():
    good = request(0, 0, 2)
    failed = dataclasses.replace(request(1, 0, 2), verdict=Verdict.FAILED, completion_tokens=None)
    seen = {good.key: stream(good), failed.key: chunks_of([1, 1.5], [1, 2])}
    course = token_course([good, failed], seen)
    assert course.until(np.array([at(9)], np.int64)) == pytest.approx([23])
    assert tokens_made(failed, ()) is None
    unknown = dataclasses.replace(good, completion_tokens=None)
    refused = token_course([unknown], {})
    assert isinstance(refused, Withheld)
    assert refused.reason is Reason.NOT_REPORTED

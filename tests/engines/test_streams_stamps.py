"""The stamp of an event is that of the read that completed it."""

from __future__ import annotations

from doubles.sse_bodies import DONE, ROLE, chunk, sse, usage, words
from joulemark.engines.streams import Event, parse
from joulemark.record.item import Chunk

MS = 1_000_000


def test_the_read_that_completes_an_event_stamps_it() -> None:
    role, first, second, last, done = (
        sse(e) for e in (chunk(ROLE), *words("a", "b"), chunk({}, "stop"), DONE)
    )
    reads = [
        (10 * MS, role[:20]),
        (20 * MS, role[20:-1]),
        (30 * MS, role[-1:] + first[:-2]),
        (40 * MS, first[-2:] + second),
        (50 * MS, last + done),
        (60 * MS, sse(*words("late"))),
    ]
    reply = parse(reads, content_type=None, status=200, t_end=70 * MS)
    assert reply.events == (
        Event(30 * MS, False, None, False),
        Event(40 * MS, False, None, True),
        Event(40 * MS, True, None, True),
        Event(50 * MS, False, None, False),
    )
    assert (reply.t_first, reply.t_first_answer, reply.t_end) == (40 * MS, 40 * MS, 50 * MS)
    assert reply.chunks == (Chunk(40 * MS, None, False), Chunk(40 * MS, None, True))


def test_a_chunk_is_coalesced_with_the_chunk_before_not_with_an_empty_event() -> None:
    counted = [chunk({"content": "a"}, usage=usage(4, n, 4 + n)) for n in (1, 3, 4)]
    role = chunk(ROLE, usage=usage(4, 0, 4))
    reads = [(1, sse(role, counted[0])), (2, sse(counted[1], counted[2])), (3, sse(chunk({}, "stop"), DONE))]
    reply = parse(reads, content_type=None, status=200, t_end=3)
    assert [event.coalesced for event in reply.events] == [False, True, False, True, False]
    assert reply.chunks == (Chunk(1, 1, False), Chunk(2, 2, False), Chunk(2, 1, True))


def test_two_reads_of_one_stamp_are_not_coalesced() -> None:
    reads = [(5, sse(event)) for event in (*words("a", "b"), chunk({}, "stop"))]
    reply = parse(reads, content_type=None, status=200, t_end=5)
    assert [event.coalesced for event in reply.events] == [False, False, False]


def test_the_first_answer_comes_after_the_thinking() -> None:
    events = [*words("Half", key="reasoning"), *words("42"), chunk({}, "stop")]
    reply = parse(list(enumerate(map(sse, events))), content_type=None, status=200, t_end=9)
    assert (reply.t_first, reply.t_first_answer, reply.t_end) == (0, 1, 9)


def test_an_event_without_its_blank_line_has_the_stamp_of_its_last_bytes() -> None:
    last = sse(chunk({}, "stop")).rstrip()
    reads = [(1, sse(*words("a"))), (2, last[:30]), (3, last[30:]), (4, b"")]
    reply = parse(reads, content_type=None, status=200, t_end=5)
    assert [event.t_ns for event in reply.events] == [1, 3]


def test_the_stop_token_is_a_chunk_but_an_event_without_choices_is_none() -> None:
    events = [
        chunk({"content": "a"}, usage=usage(4, 1, 5)),
        chunk({"content": ""}, "stop", usage=usage(4, 2, 6)),
    ]
    closing = {"choices": [], "usage": usage(4, 3, 7)}
    reads = list(enumerate(sse(event) for event in (*events, closing)))
    reply = parse(reads, content_type=None, status=200, t_end=9)
    assert reply.tokens_per_event == (1, 1, 1)
    assert reply.chunks == (Chunk(0, 1, False), Chunk(1, 1, False))
    assert reply.completion_tokens == 3


def test_the_first_token_of_a_completion_may_have_no_text() -> None:
    events = [
        {"object": "text_completion", "choices": [{"index": 0, "text": text}], "usage": usage(4, n, 4 + n)}
        for n, text in ((1, ""), (2, "a"))
    ]
    last = {"choices": [{"index": 0, "text": "", "finish_reason": "stop"}], "usage": usage(4, 3, 7)}
    reply = parse(list(enumerate(map(sse, (*events, last)))), content_type=None, status=200, t_end=9)
    assert (reply.first_token_event, reply.first_output_event, reply.t_first) == (0, 1, 0)

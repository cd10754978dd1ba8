"""The logical end of a stream, seen in the hot path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doubles.sse_bodies import DONE, ROLE, chunk, cut, ndjson, sse, words
from joulemark.engines.streams import EndDetector


def _ends_at(pieces: list[bytes]) -> int | None:
    """The number of bytes after which the end was seen."""
    detector, fed = EndDetector(), 0
    for piece in pieces:
        fed += len(piece)
        if detector.feed(piece):
            assert detector.ended
            return fed
    return None


def _check(body: bytes, end: int | None) -> None:
    """The end is seen with the byte that completes it, and with the read that holds that byte."""
    assert _ends_at([bytes([byte]) for byte in body]) == end
    assert (_ends_at([body]) is None) == (end is None)
    for seed in range(20):
        pieces, fed, expected = cut(body, seed), 0, None
        for piece in pieces:
            fed += len(piece)
            if end is not None and fed >= end:
                expected = fed
                break
        assert _ends_at(pieces) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_marker_ends_a_chat(end: str) -> None:
    body = sse(chunk(ROLE), *words("a", "b"), b": ping\n\n", chunk({}, "stop"), DONE, end=end)
    # The CR of the blank line ends it already.
    complete = len(body) - (1 if end == "\r\n" else 0)
    _check(body + sse(*words("late"), end=end), complete)


def test_the_marker_with_other_fields_without_space_and_with_cr() -> None:
    for raw in (b"data:[DONE]\n\n", b"event: done\nid: 9\ndata: [DONE]\n\n", b": bye\ndata: [DONE] \n\n"):
        _check(sse(*words("a")) + raw, len(sse(*words("a")) + raw))
    body = sse(*words("a"), DONE, end="\r")
    _check(body, len(body))


@pytest.mark.parametrize(
    "event",
    [
        *words("[DONE]", "data: [DONE]\n\n", 'message_stop "type":"message_stop"', "response.completed"),
        {"type": "response.output_text.delta", "delta": "response.completed"},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": '{"type":"message_stop"}'}},
        b"data: [DONE]\ndata: more\n\n",
        b"data: x\ndata: [DONE]\n\n",
        b": data: [DONE]\n\n",
        b"event: message_stop\n\n",
        b"id: [DONE]\n\n",
    ],
)
def test_the_words_of_an_end_inside_an_event_are_none(event: Any) -> None:
    _check(sse(*words("a"), event, *words("b")), None)


@pytest.mark.parametrize(
    "kind", ["message_stop", "response.completed", "response.failed", "response.incomplete"]
)
@pytest.mark.parametrize("named", [True, False])
def test_typed_events_that_are_the_last(kind: str, named: bool) -> None:
    name = f"event: {kind}\n".encode() if named else b""
    body = sse({"type": "ping"}) + name + sse({"type": kind, "response": {"output": "x" * 300}})
    _check(body + sse({"type": "ping"}), len(body))


def test_one_event_a_read() -> None:
    typed = [sse({"type": "ping"}), sse({"type": "x", "delta": "y"}), sse({"type": "message_stop"})]
    assert _ends_at(typed) == sum(map(len, typed))
    chat = [sse(event) for event in (chunk(ROLE), *words("a", "b"), chunk({}, "stop"), DONE)]
    assert _ends_at(chat) == sum(map(len, chat))


@pytest.mark.parametrize("named", [True, False])
def test_a_last_event_of_megabytes_is_seen_without_keeping_it(named: bool) -> None:
    name = b"event: response.completed\n" if named else b""
    body = name + sse({"type": "response.completed", "response": {"output": "\\" * 3_000_000}})
    detector = EndDetector()
    for at in range(0, len(body) - 1, 1000):
        assert not detector.feed(body[at : min(at + 1000, len(body) - 1)])
        assert len(detector._held) < 32 * 1024
    assert detector.feed(body[-1:])


def test_after_an_event_of_megabytes_the_marker_is_seen() -> None:
    body = sse(chunk(ROLE), *words("x" * 100_000), DONE)
    pieces = [body[at : at + 999] for at in range(0, len(body), 999)]
    assert _ends_at(pieces) == len(body)
    assert _ends_at([bytes([byte]) for byte in body]) == len(body)


def test_the_last_line_of_ollama() -> None:
    call = {"function": {"name": "f", "arguments": {"done": True}}}
    lines: list[Any] = [
        {"message": {"content": '"done":true'}, "done": False},
        {"message": {"content": "", "tool_calls": [call]}, "done": False},
        {"message": {"content": ""}, "done": True, "done_reason": "stop"},
    ]
    body = ndjson(*lines)
    _check(body + ndjson(lines[0]), len(body) - 1)
    _check(ndjson(*lines[:2]), None)


def test_a_last_line_of_ollama_with_a_large_context() -> None:
    last = {"response": "", "done": True, "done_reason": "stop", "context": list(range(100_000))}
    body = json.dumps(last).encode() + b"\n"
    assert _ends_at([body[at : at + 4000] for at in range(0, len(body), 4000)]) == len(body)


def test_a_document_that_was_not_streamed_has_no_end_before_its_end() -> None:
    document = {"choices": [{"message": {"content": "[DONE]"}}], "done": "true"}
    _check(json.dumps(document, indent=1).encode(), None)


def test_what_comes_before_the_first_telling_byte_is_kept_as_it_came() -> None:
    _check(b'\r\xef\xbb\xbf{"done":true}\n', None)
    _check(b'\xef\xbb\xbf{"done":true}\n', len(b'\xef\xbb\xbf{"done":true}'))


def test_many_events_in_a_read_end_with_the_last() -> None:
    text = sse(*[chunk({"content": "message_stop [DONE]"})] * 50)
    assert _ends_at([text, text, text + sse(DONE)]) == len(text) * 3 + len(sse(DONE))
    assert _ends_at([text[:-1], text, text[-1:]]) is None


def test_nothing_is_no_end() -> None:
    detector = EndDetector()
    assert not detector.feed(b"")
    assert not detector.feed(b"\n")
    assert not detector.feed(b"\n")


def test_the_corpus_ends_where_its_replies_do(sse_corpus: list[Path]) -> None:
    for path in sse_corpus:
        body = path.read_bytes()
        ends = b"[DONE]\n" in body or b"[DONE]\r" in body or b'"done":true' in body or b"message_stop" in body
        assert (_ends_at([body]) is not None) == ends, path.name
        assert (_ends_at([bytes([byte]) for byte in body]) is not None) == ends, path.name

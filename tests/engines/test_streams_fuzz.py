"""No bytes make the parser raise, and no cut changes what it says."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doubles.sse_bodies import DONE, chunk, cut, ndjson, read, sse, words
from joulemark.engines.streams import EndDetector, Reply, chat, parse, reply_json

_KEYS = [
    "choices",
    "delta",
    "message",
    "content",
    "text",
    "index",
    "finish_reason",
    "usage",
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "completion_tokens_details",
    "prompt_tokens_details",
    "reasoning_tokens",
    "cached_tokens",
    "tool_calls",
    "function",
    "arguments",
    "name",
    "id",
    "token_ids",
    "logprobs",
    "tokens",
    "timings",
    "predicted_n",
    "prompt_n",
    "cache_n",
    "error",
    "code",
    "detail",
    "errors",
    "object",
    "type",
    "response",
    "output",
    "item",
    "delta",
    "thinking",
    "reasoning",
    "refusal",
    "done",
    "eval_count",
    "token",
    "special",
    "details",
    "generated_tokens",
    "generated_text",
    "content_block",
    "stop",
    "tokens_predicted",
    "stats",
    "x_groq",
    "cost",
    "queue_time",
    "loc",
    "msg",
    "status",
]
_WORDS = [
    *(
        "error",
        "message_start",
        "message_delta",
        "message",
        "content_block_delta",
        "text_delta",
        "thinking_delta",
    ),
    *("response.output_text.delta", "response.completed", "response.failed", "response", "stop", "length"),
    *("<think>", "</think>", "[DONE]", "\ud83d", "\ude42", "", "content_block_start", "tool_use"),
]
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 50),
    st.sampled_from([10**18, 10**40, -(10**40), 0.5, -1.5, float("nan"), float("inf")]),
    st.sampled_from(_WORDS),
    st.text(max_size=4),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5)
    ),
    max_leaves=25,
)
_OBJECTS = st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=6)
_TYPES = st.sampled_from([None, "text/event-stream", "application/json", "application/x-ndjson", "x"])
_PIECES = st.one_of(
    st.binary(max_size=12),
    st.sampled_from(
        [
            *(b"data: ", b"data:", b"\n", b"\r", b"\r\n", b"\n\n", b"[DONE]", b":", b"event: error\n"),
            *(b"\xef\xbb\xbf", b'{"choices":[', b'{"delta":{"content":"', b'"}}]}', b'{"error":'),
            *(b'"done":true', b"{", b"}", b'"', b"data: [DONE]\n\n", b'{"done":true}\n'),
        ]
    ),
)


def _sane(reply: Reply) -> dict[str, Any]:
    """What must hold of every reply; returns its JSON."""
    shown = reply_json(reply)
    orjson.dumps(shown)
    json.dumps(shown, allow_nan=False)
    assert reply.ok == (reply.error is None)
    counts = () if reply.usage is None else (reply.usage.prompt, reply.usage.completion, reply.usage.total)
    assert all(count is None or count >= 0 for count in (*counts, *(reply.tokens_per_event or ())))
    assert reply.completion_tokens is None or reply.completion_tokens >= 0
    for index in (reply.first_token_event, reply.first_output_event):
        assert index is None or 0 <= index < len(reply.events)
    if reply.first_output_event is not None:
        assert reply.first_token_event is not None
        assert reply.first_token_event <= reply.first_output_event
    return shown


@given(st.lists(_PIECES, max_size=30), _TYPES, st.integers(0, 1000))
@settings(max_examples=400, deadline=None)
def test_any_bytes_in_any_cut(pieces: list[bytes], content_type: str | None, seed: int) -> None:
    body = b"".join(pieces)
    whole = _sane(read(body, content_type))
    assert _sane(read(pieces, content_type)) == whole
    assert _sane(read(cut(body, seed), content_type)) == whole
    assert _sane(read([bytes([byte]) for byte in body], content_type)) == whole
    ended = EndDetector().feed(body)
    by_bytes = EndDetector()
    for byte in body:
        by_bytes.feed(bytes([byte]))
    assert by_bytes.ended == ended


@given(st.lists(_OBJECTS, max_size=5), _TYPES, st.booleans(), st.sampled_from([None, 200, 500]))
@settings(max_examples=100, deadline=None)
def test_any_json_under_any_known_key(
    events: list[dict[str, Any]], content_type: str | None, lines: bool, status: int | None
) -> None:
    def dump(event: dict[str, Any]) -> bytes:
        return json.dumps(event).encode()

    body = b"".join(dump(e) + b"\n" if lines else b"data: " + dump(e) + b"\n\n" for e in events)
    whole = _sane(read(body, content_type, status))
    assert _sane(read(cut(body, len(body)), content_type, status)) == whole


@given(_VALUES, st.sampled_from(["choices", "usage", "delta", "tool_calls", "logprobs", "timings", "error"]))
@settings(max_examples=150, deadline=None)
def test_any_value_in_the_place_of_another(value: Any, key: str) -> None:
    event = chunk({"content": "a"})
    place = {"choices": event, "usage": event, "timings": event, "error": event, "delta": event["choices"][0]}
    place["logprobs"], place["tool_calls"] = event["choices"][0], event["choices"][0]["delta"]
    place[key][key] = value
    body = b"data: " + json.dumps(event).encode() + b"\n\n" + sse(chunk({}, "stop"), DONE)
    reply = read(body)
    _sane(reply)
    if key not in ("choices", "delta", "error"):
        assert reply.text == "a"


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"error":', b'{"error":{"message":', b'{"choices":['])
@pytest.mark.parametrize("depth", [500, 990, 1020, 5_000, 200_000])
def test_nesting_of_any_depth(opening: bytes, depth: int) -> None:
    closing = b"]" if opening.endswith(b"[") else b"}"
    closing = b"]}" if opening == b'{"choices":[' else closing * opening.count(b"{") or closing
    deep = opening * depth + b"1" + closing * depth
    for body in (deep, b"data: " + deep + b"\n\n", deep + b"\n" + deep):
        for content_type in (None, "application/json"):
            _sane(read(body, content_type))


def test_numbers_of_any_size() -> None:
    number = b"9" * 10_000
    for raw in (
        b'{"usage":{"prompt_tokens":' + number + b"}}",
        b'{"error":{"code":' + number + b',"message":"m"}}',
    ):
        _sane(read(b"data: " + raw + b"\n\n" + sse(*words("a"), chunk({}, "stop"))))


def test_duplicate_keys_take_the_last() -> None:
    body = (
        b'data: {"choices":[],"choices":[{"delta":{"content":"a","content":"b"},"finish_reason":"stop"}]}\n\n'
    )
    assert read(body).text == "b"


def test_reads_without_bytes_and_no_reads() -> None:
    reply = parse([], content_type=None, status=None, t_end=7)
    assert (reply.ok, reply.t_end) == (False, 7)
    assert read([b"", *(sse(e) for e in words("a")), b"", sse(chunk({}, "stop"), DONE), b""]).text == "a"


def test_lines_of_json_that_end_in_the_marker() -> None:
    body = ndjson(*words("a"), chunk({}, "stop")) + b"[DONE]\n"
    assert read(body).done_marker
    assert read(body).text == "a"


def test_damaged_bodies_of_the_corpus(sse_corpus: list[Path]) -> None:
    source = random.Random(20)
    for path in sse_corpus:
        for _ in range(12):
            body = bytearray(path.read_bytes())
            for _ in range(source.randint(1, 4)):
                at, size = source.randrange(len(body)), source.randint(0, 40)
                junk = source.choice(
                    [b"", bytes([source.randrange(256)]), b"\r", b"\n\n", b"null", body[:size]]
                )
                body[at : at + size] = junk
                body = body or bytearray(b"x")
            whole = _sane(read(bytes(body)))
            assert _sane(read(cut(bytes(body), source.randrange(99)))) == whole, path.name


_TEXT = st.sampled_from(["", "a", " b", "<think>", None, 0, [], {"text": "x"}])
_DELTAS = st.fixed_dictionaries(
    {},
    optional={
        "content": _TEXT,
        "role": st.sampled_from(["assistant", None]),
        "reasoning_content": _TEXT,
        "refusal": _TEXT,
        "tool_calls": st.sampled_from([None, [], [{"index": 0, "function": {"name": "f"}}]]),
    },
)
_CHOICES = st.fixed_dictionaries(
    {"delta": st.one_of(_DELTAS, st.sampled_from([None, "x", []]))},
    optional={
        "index": st.sampled_from([0, 1, False, None, 0.0, "0", []]),
        "finish_reason": st.sampled_from([None, "", "stop", "error", 0]),
        "logprobs": st.sampled_from([None, {}, {"content": [{}]}, {"content": []}]),
        "token_ids": st.sampled_from([None, [], [7]]),
        "text": st.sampled_from([None, "", "t"]),
        "error": st.sampled_from([None, "", {}, {"message": "no"}]),
        "usage": st.sampled_from([None, {}, {"completion_tokens": 1}]),
        "message": st.sampled_from([None, {"content": "whole"}]),
    },
)


@example([[{"delta": {"content": "a"}, "token_ids": []}]])
@example([[{"delta": {"content": "a"}, "index": 1}]])
@example([[{"delta": {"content": "a", "reasoning_content": "b"}}]])
@given(st.lists(st.lists(_CHOICES, min_size=1, max_size=2), min_size=1, max_size=6))
@settings(max_examples=300, deadline=None)
def test_the_short_way_for_plain_choices_says_what_the_long_way_says(chunks: list[list[Any]]) -> None:
    first = {"index": 0, "delta": {"content": "first"}, "token_ids": [5]}
    body = sse(*({"choices": choices} for choices in [[first], *chunks]), DONE)
    short = read(body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chat, "_read_plain", lambda choice, draft: False)
        assert read(body) == short

"""The framer alone: events however they are cut, in time that grows with the bytes only."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from doubles.sse_bodies import DONE, ROLE, chunk, cut, read, sse, words
from joulemark.engines.streams import BodyKind, Frame, Framer, parse, parse_file
from joulemark.record.errors import InputError

STREAM = "text/event-stream"


def _frames(pieces: list[bytes], content_type: str | None = STREAM) -> list[Frame]:
    framer = Framer(content_type)
    frames = [frame for piece in pieces for frame in framer.feed(piece)]
    return frames + framer.finish()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_fields_of_an_event(end: str) -> None:
    text = (
        "\ufeffretry: 3|id: 1|event: message|data: a|data:  b|data|data:c||:|: note||event: empty||data: d||"
    )
    body = text.replace("|", end).encode()
    expected = [Frame(b"a\n b\n\nc", b"message"), Frame(b"d")]
    assert _frames([body]) == expected
    assert _frames([bytes([byte]) for byte in body]) == expected
    for seed in range(50):
        assert _frames(cut(body, seed)) == expected


def test_a_byte_order_mark_before_the_first_field() -> None:
    body = b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\ndata: c\n\n"
    for pieces in ([body], [bytes([byte]) for byte in body]):
        # Only the first one is a mark; another makes the name of its field an unknown one.
        assert _frames(pieces) == [Frame(b"a"), Frame(b"c")]


def test_mixed_line_ends() -> None:
    assert _frames([b"data: a\r", b"\n\r", b"\ndata: b\n\r\ndata: c\r\r"]) == [
        Frame(x) for x in (b"a", b"b", b"c")
    ]


def test_an_event_is_complete_at_its_blank_line_and_not_before() -> None:
    framer = Framer(STREAM)
    assert framer.feed(b"data: a\n") == []
    assert framer.feed(b"\n") == [Frame(b"a")]
    # With CR the line has ended; that an LF may follow cannot delay the event.
    assert framer.feed(b"data: b\r\r") == [Frame(b"b")]
    assert framer.feed(b"\ndata: c") == []
    assert framer.finish() == [Frame(b"c")]
    assert framer.finish() == []


def test_lines_of_json() -> None:
    body = b'{"a":1}\r\n\n{"b":2}\n{"c"'
    for pieces in ([body], [bytes([byte]) for byte in body]):
        frames = _frames(pieces, None)
        assert [frame.data.strip() for frame in frames] == [b'{"a":1}', b'{"b":2}', b'{"c"']


@pytest.mark.parametrize(
    ("content_type", "head", "kind"),
    [
        (None, b"data: x", BodyKind.SSE),
        ("application/json", b": comment", BodyKind.SSE),
        (None, b'\xef\xbb\xbf {"a"', BodyKind.NDJSON),
        ("application/json; charset=utf-8", b'{"a"', BodyKind.JSON),
        ("application/x-ndjson", b'{"a"', BodyKind.NDJSON),
        (None, b" \n", None),
    ],
)
def test_the_kind_of_a_body(content_type: str | None, head: bytes, kind: BodyKind | None) -> None:
    framer = Framer(content_type)
    for byte in head:
        framer.feed(bytes([byte]))
    assert framer.kind is kind


def test_a_line_of_200_kib() -> None:
    text = "x" * 200 * 1024
    body = sse(chunk(ROLE), *words(text), chunk({}, "stop"), DONE)
    for pieces in ([body], cut(body, 3), [bytes([byte]) for byte in body]):
        reply = read(pieces)
        assert reply.ok
        assert reply.text == text


def test_the_time_for_a_long_line_grows_with_its_length_only() -> None:
    def seconds(kib: int) -> float:
        line = b"data: " + b"x" * (kib << 10)
        pieces = [line[at : at + 64] for at in range(0, len(line), 64)]
        framer, start = Framer(STREAM), time.process_time()
        for piece in pieces:
            framer.feed(piece)
        assert len(framer.feed(b"\n\n")) == 1
        return time.process_time() - start

    small, large = min(seconds(512) for _ in range(3)), min(seconds(4096) for _ in range(3))
    # Eight times the bytes; a framer that searches from the start each time takes 64 times as long.
    assert large < 32 * small


def test_a_hundred_thousand_events() -> None:
    event = sse(chunk({"content": "a"}, usage=None))
    body = event * 100_000 + sse(chunk({}, "stop"), DONE)
    pieces = [(at, body[at : at + 65536]) for at in range(0, len(body), 65536)]
    reply = parse(pieces, content_type=STREAM, status=200, t_end=len(body))
    assert reply.ok
    assert reply.text == "a" * 100_000
    assert len(reply.chunks) == 100_000


@pytest.mark.slow
def test_a_million_events() -> None:
    event = sse(chunk({"content": "a"}))
    reads = [(n, event) for n in range(1_000_000)]
    reads.append((1_000_000, sse(chunk({}, "stop"), DONE)))
    start = time.process_time()
    reply = parse(reads, content_type=STREAM, status=200, t_end=1_000_000)
    assert reply.ok
    assert len(reply.events) == 1_000_001
    assert time.process_time() - start < 60


def test_a_captured_file(tmp_path: Path) -> None:
    folder = tmp_path
    path = folder / "body.sse"
    path.write_bytes(sse(*words("a"), chunk({}, "stop"), DONE))
    assert parse_file(path, read_size=7).text == "a"
    whole = folder / "body.bin"
    whole.write_text(
        json.dumps({"choices": [{"message": {"content": "b"}, "finish_reason": "stop"}]}, indent=1)
    )
    assert parse_file(str(whole)).text == "b"
    with pytest.raises(InputError, match="cannot read"):
        parse_file(folder / "missing.sse")
    with pytest.raises(InputError, match="cannot read"):
        parse_file(folder)
    with pytest.raises(InputError, match="read of -1 bytes"):
        parse_file(path, read_size=-1)

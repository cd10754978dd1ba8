"""Every body of the corpus, whole and cut anywhere, gives what its expectation says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doubles.sse_bodies import cut, read
from joulemark.engines.streams import parse_file, reply_json
from joulemark.engines.streams.conformance import check, load_corpus

_TYPES = {".sse": "text/event-stream; charset=utf-8", ".ndjson": "application/x-ndjson"}
_TYPES |= {".json": "application/json", ".txt": "text/html"}


def _expected(path: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads(path.with_name(path.name + ".expect.json").read_text())
    del expected["why"]
    return expected


def test_the_corpus_is_complete(sse_corpus: list[Path]) -> None:
    index = json.loads((sse_corpus[0].parent / "index.json").read_text())
    assert sorted(entry["file"] for entry in index) == [path.name for path in sse_corpus]


def test_files_read_whole_and_in_pieces(sse_corpus: list[Path]) -> None:
    for path in sse_corpus:
        for size in (None, 1, 5):
            assert reply_json(parse_file(path, size)) == _expected(path), (path.name, size)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_case_passes_in_every_way(seed: int, sse_corpus: list[Path]) -> None:
    results = [check(case, seed) for case in load_corpus(sse_corpus[0].parent)]
    assert [result.case.name for result in results] == [path.name for path in sse_corpus]
    assert [(result.case.name, result.differences) for result in results if not result.passed] == []


def test_bodies_cut_in_two_at_every_byte(sse_corpus: list[Path]) -> None:
    for path in sse_corpus:
        body, expected = path.read_bytes(), _expected(path)
        for at in range(1, len(body), 3):
            reply = read([body[:at], body[at:]], _TYPES[path.suffix])
            assert reply_json(reply) == expected, (path.name, at)


def test_events_and_chunks_of_every_body_hang_together(sse_corpus: list[Path]) -> None:
    for path in sse_corpus:
        reply = read(cut(path.read_bytes(), seed=1), _TYPES[path.suffix])
        stamps = [event.t_ns for event in reply.events]
        assert stamps == sorted(stamps), path.name
        outputs = [event for event in reply.events if event.output]
        assert [chunk.t_ns for chunk in reply.chunks] == [event.t_ns for event in outputs], path.name
        if reply.first_token_event is None:
            assert reply.t_first is None
        else:
            assert reply.t_first == reply.events[reply.first_token_event].t_ns == reply.chunks[0].t_ns
        if reply.tokens_per_event is not None:
            assert [event.tokens for event in reply.events] == list(reply.tokens_per_event)


def test_what_was_not_streamed_has_no_times(sse_corpus: list[Path]) -> None:
    path = next(path for path in sse_corpus if path.suffix == ".json")
    reply = parse_file(path)
    assert reply.ok
    assert not reply.streamed
    assert (reply.t_first, reply.t_first_answer, reply.chunks, reply.events) == (None, None, (), ())


def test_a_suffix_that_says_nothing_is_sniffed(sse_corpus: list[Path], tmp_path: Path) -> None:
    for path in sse_corpus:
        copy = tmp_path / f"{path.stem}.body"
        copy.write_bytes(path.read_bytes())
        assert reply_json(parse_file(copy)) == _expected(path), path.name

"""Holding the parser to a corpus: what counts as the same, how bodies are cut, which files are cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.sse_bodies import DONE, read, sse, usage_chunk, words
from joulemark.engines.streams import reply_json
from joulemark.engines.streams.conformance import (
    WAYS,
    Case,
    Difference,
    check,
    differences,
    load_corpus,
)
from joulemark.record.errors import InputError

BODY = sse(*words("Grüß", " dich"), usage_chunk(3, 2, 5), DONE)


def write(folder: Path, name: str, body: bytes, expected: Any) -> None:
    (folder / name).write_bytes(body)
    text = expected if isinstance(expected, str) else json.dumps(expected)
    (folder / f"{name}.expect.json").write_text(text)


@pytest.mark.parametrize("way", sorted(WAYS))
@settings(deadline=None, max_examples=50)
@given(body=st.binary(max_size=200), seed=st.integers(0, 2**32))
def test_every_way_of_cutting_keeps_every_byte(way: str, body: bytes, seed: int) -> None:
    for pieces in WAYS[way](body, seed):
        assert b"".join(pieces) == body
        assert b"" not in pieces


def test_cuts_at_random_are_those_of_their_seed() -> None:
    one, same, other = (list(WAYS["cut at random"](BODY, seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_events_are_cut_before_and_behind_their_ends() -> None:
    before, behind = WAYS["cut at event edges"](b"data: a\r\n\r\ndata: b", 0)
    assert before == [b"data: a", b"\r", b"\n", b"\r", b"\ndata: b"]
    assert behind == [b"data: a\r", b"\n", b"\r", b"\n", b"data: b"]


def test_a_right_expectation_passes_and_a_wrong_one_fails_in_every_way() -> None:
    expected = reply_json(read(BODY, "text/event-stream"))
    assert check(Case("a.sse", BODY, "", expected)).passed
    result = check(Case("a.sse", BODY, "", {**expected, "text": "no"}))
    assert not result.passed
    ((difference, ways),) = result.differences
    assert difference == Difference("text", '"no"', '"Grüß dich"')
    assert ways == tuple(WAYS)


@pytest.mark.parametrize(
    ("expected", "got", "fields"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, ["a"]),
        ({"a": None}, {}, ["a"]),
        ({}, {"a": None}, ["a"]),
        ({"a": 0}, {"a": None}, ["a"]),
        ({"a": [1, 2]}, {"a": [1]}, ["a"]),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": None}}, ["a"]),
        ({"a": 1, "b": 2}, {"b": 3, "c": 4}, ["a", "b", "c"]),
    ],
)
def test_what_counts_as_the_same(expected: dict[str, Any], got: dict[str, Any], fields: list[str]) -> None:
    assert [difference.field for difference in differences(expected, got)] == fields


def test_an_absent_field_is_told_from_a_null_one() -> None:
    (difference,) = differences({"a": None}, {})
    assert (difference.expected, difference.read) == ("null", "(not there)")


@pytest.mark.parametrize(("depth", "says"), [(200, None), (300, "too deeply"), (5000, "no JSON")])
def test_a_deep_expectation_is_a_failed_case_and_no_crash(
    depth: int, says: str | None, tmp_path: Path
) -> None:
    write(tmp_path, "a.sse", BODY, '{"text":' + "[" * depth + "]" * depth + "}")
    (case,) = load_corpus(tmp_path)
    assert not check(case).passed
    assert (case.fault is None) if says is None else (says in (case.fault or ""))


def test_a_corpus_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    write(tmp_path, "02_b.ndjson", b"{}", {"why": "second", "text": ""})
    write(tmp_path, "01_a.sse", b"", {"why": 5})
    (tmp_path / "README.md").write_text("no case")
    first, second = load_corpus(tmp_path)
    assert (first.name, first.why, first.content_type) == ("01_a.sse", "", "text/event-stream; charset=utf-8")
    assert (second.why, second.expected, second.content_type) == (
        "second",
        {"text": ""},
        "application/x-ndjson",
    )


@pytest.mark.parametrize(
    ("expected", "says"), [("{", "no JSON"), ("[1]", "no object"), ("", "no JSON"), ("\ud800", "no JSON")]
)
def test_a_case_that_cannot_be_read_fails_and_says_so(expected: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "a.sse").write_bytes(BODY)
    (tmp_path / "a.sse.expect.json").write_bytes(expected.encode("utf-8", "surrogatepass"))
    (case,) = load_corpus(tmp_path)
    assert says in (case.fault or "")
    assert not check(case).passed


def test_an_expectation_without_its_body_fails(tmp_path: Path) -> None:
    (tmp_path / "a.sse.expect.json").write_text("{}")
    (case,) = load_corpus(tmp_path)
    assert case.fault == "a.sse: No such file or directory"


def test_a_body_without_end_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "a.sse", b"x" * ((4 << 20) + 1), {})
    (case,) = load_corpus(tmp_path)
    assert "larger than 4 MiB" in (case.fault or "")


@pytest.mark.parametrize("name", ["nothing", "file", "empty"])
def test_a_folder_without_a_case_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as caught:
        load_corpus(tmp_path / name)
    assert caught.value.fix

"""What is kept of an uploaded file, and what is refused before anything is stored."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.small_problems import total_problem
from joulemark.board.code_service import samples_text, uploads
from joulemark.board.code_service.uploads import read_upload
from joulemark.board.refusal import Refused
from joulemark.code.answers.samples import Form, read_samples

KNOWN = ("total", "double", "Mbpp/7", "EffiBench/3")
ROW = {"task_id": "total", "solution": "def total(v):\n    return sum(v)\n"}


def read(data: bytes) -> uploads.Upload:
    return read_upload(io.BytesIO(data), KNOWN)


def as_lines(rows: list[Any]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def as_list(rows: list[Any]) -> bytes:
    return json.dumps(rows, indent=1).encode()


@pytest.mark.parametrize("written", [as_lines, as_list])
def test_a_row_keeps_its_id_and_its_program_alone(written: Callable[[list[Any]], bytes]) -> None:
    rows = [{**ROW, "prompt": "secret", "user": "me"}, {"task_id": 7, "completion": " pass"}]
    kept = read(b"\xef\xbb\xbf" + written(rows))
    assert [json.loads(line) for line in kept.data.splitlines()] == [
        ROW,
        {"task_id": "7", "completion": " pass"},
    ]
    assert (kept.n_samples, kept.n_problems, kept.n_foreign) == (2, 2, 0)


def test_effibench_rows_and_rows_of_other_problems() -> None:
    rows = [
        {"problem_idx": 3, "completion": "```python\npass\n```", "test_case": "x" * 9999},
        {"problem_idx": 4, "completion": ""},
    ]
    kept = read(as_list(rows))
    assert json.loads(kept.data) == {"problem_idx": "3", "completion": "```python\npass\n```"}
    assert (kept.n_samples, kept.n_foreign) == (1, 1)


texts = st.text(st.characters(codec="utf-8"), max_size=40)
rows = st.lists(
    st.builds(
        lambda name, form, text, more: {**more, "task_id": name, form: text},
        st.sampled_from(["total", "other", 7]),
        st.sampled_from(["solution", "completion", "answer"]),
        texts,
        st.dictionaries(st.sampled_from(["a", "b"]), st.recursive(texts, st.lists, max_leaves=4)),
    ),
    min_size=1,
    max_size=8,
)


@given(rows, st.sampled_from([as_lines, as_list]))
def test_what_is_kept_is_read_as_the_file_itself(
    tmp_path_factory: pytest.TempPathFactory, made: list[Any], written: Callable[[list[Any]], bytes]
) -> None:
    problems = [total_problem(), total_problem(problem_id="Mbpp/7")]
    folder = tmp_path_factory.mktemp("samples")
    if all(row["task_id"] == "other" for row in made):
        with pytest.raises(Refused):
            read(written(made))
        return
    suffix = "jsonl" if written is as_lines else "json"
    (folder / f"theirs.{suffix}").write_bytes(written(made))
    (folder / "ours.jsonl").write_bytes(read(written(made)).data)
    theirs = read_samples(folder / f"theirs.{suffix}", problems).samples
    ours = read_samples(folder / "ours.jsonl", problems).samples
    assert ours == theirs
    assert {one.form for one in ours} <= set(Form)


def _zip() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../etc/passwd", b"0" * 10**6)
    return held.getvalue()


DEEP = b"[" * 100_000 + b"]" * 100_000
HOSTILE: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 422, "empty"),
    "space": (b" \n\n \t" * 1000, 422, "empty"),
    "an empty list": (b"[]", 422, "empty"),
    "zip": (_zip(), 415, "packed"),
    "gzip": (gzip.compress(as_lines([ROW])), 415, "packed"),
    "UTF-16": (json.dumps(ROW).encode("utf-16"), 415, "UTF-8"),
    "UTF-16 without a mark": (json.dumps(ROW).encode("utf-16-le"), 415, "UTF-8"),
    "Latin-1": (b'{"task_id": "total", "solution": "\xe9"}', 422, "UTF-8"),
    "Latin-1 in a list": (b'[{"task_id": "total", "solution": "\xe9"}]', 422, "UTF-8"),
    "a cut sign": (b'[{"task_id": "total", "solution": "\xc3', 422, "UTF-8"),
    "HTML": (b"<html><script>alert(1)</script></html>", 422, "not JSON"),
    "a pickle": (b"\x80\x04\x95cos\nsystem\n", 422, "UTF-8"),
    "NaN": (b'{"task_id": "total", "solution": "x", "t": NaN}', 422, "number"),
    "NaN in a list": (b'[{"task_id": "total", "solution": "x", "t": -Infinity}]', 422, "number"),
    "a long number": (b'{"task_id": ' + b"9" * 5000 + b', "solution": "x"}', 422, "too long"),
    "a huge id": (b'{"task_id": 1e400, "solution": "x"}', 422, "names no problem"),
    "deep": (DEEP, 422, "no JSON object"),
    "deep in a row": (b'{"task_id": "total", "solution": "x", "a": ' + DEEP + b"}", 422, "deep"),
    "deep in an item": (b'[{"task_id": "total", "solution": "x", "a": ' + DEEP + b"}]", 422, "deep"),
    "a doubled key": (b'{"task_id": "total", "task_id": "double", "solution": "x"}', 422, "twice"),
    "a doubled key in a list": (b'[{"task_id": "total", "solution": "x", "solution": "y"}]', 422, "twice"),
    "a number": (b"7", 422, "no JSON object"),
    "a list of texts": (b'["total"]', 422, "no JSON object"),
    "cut": (b'[{"task_id": "total", "solution": "x"}', 422, "list"),
    "cut in a row": (b'[{"task_id": "total", "solu', 422, "not JSON"),
    "no comma": (b'[{"task_id": "total", "solution": "x"} {}]', 422, "comma"),
    "more after the end": (b'[{"task_id": "total", "solution": "x"}] {}', 422, "follows"),
    "no program": (as_lines([{"task_id": "total"}]), 422, "no program"),
    "no id": (as_lines([{"solution": "x"}]), 422, "names no problem"),
    "an id of two lines": (as_lines([{**ROW, "task_id": "total\nx"}]), 422, "short text"),
    "an id that is a truth": (as_lines([{**ROW, "task_id": True}]), 422, "names no problem"),
    "a program that is a list": (as_lines([{**ROW, "solution": ["x"]}]), 422, "no text"),
    "a null program": (as_lines([{**ROW, "solution": None}]), 422, "no text"),
    "half a character": (b'{"task_id": "total", "solution": "\\ud800"}', 422, "half"),
    "a long program": (as_lines([{**ROW, "solution": "x" * (1 << 19)}]), 422, "KiB"),
    "a long row": (as_lines([{**ROW, "a": "x" * (5 << 20)}]), 422, "too long"),
    "a long item": (as_list([{**ROW, "a": "x" * (5 << 20)}]), 422, "too long"),
    "other problems": (as_lines([{**ROW, "task_id": "../../etc/passwd"}]), 422, "no row answers"),
    "two layouts": (as_lines([ROW, {"problem_idx": 3, "completion": "x"}]), 422, "names no problem"),
    "100,000 rows": (
        as_lines([{**ROW, "task_id": "x"}]) + b"\n" + b'{"task_id":"x","solution":""}\n' * 100_000,
        422,
        "rows",
    ),
    "many samples": (as_lines([ROW] * 500), 422, "one too many"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_its_reason(name: str) -> None:
    data, status, word = HOSTILE[name]
    with pytest.raises(Refused) as found:
        read(data)
    said = f"{found.value.what} {found.value.why}"
    assert found.value.status == status, said
    assert word in said
    assert "alert" not in said
    assert "passwd" not in said


def test_a_large_row_is_no_reason_to_hold_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Items of the size of EffiBench's come one by one, across the borders of what is read at a time."""
    sizes = []
    real = samples_text._Text.element

    def element(self: Any, place: str) -> Any:
        sizes.append(len(self._text))
        return real(self, place)

    monkeypatch.setattr(samples_text._Text, "element", element)
    made = [{**ROW, "task_id": "total" if k % 2 else "é", "a": "é" * 90_000} for k in range(40)]
    assert read(json.dumps(made, ensure_ascii=False).encode()).n_samples == 20
    assert max(sizes) < 1 << 20


def test_empty_lines_are_counted_too() -> None:
    rows = json.dumps(ROW).encode() + b"\n" * samples_text.MAX_LINES
    assert sum(1 for _ in samples_text.rows_of(io.BytesIO(rows))) == 1
    with pytest.raises(Refused, match="lines"):
        list(samples_text.rows_of(io.BytesIO(rows + b"\n")))


def test_many_small_rows_behind_a_large_one_are_not_copied_again_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A row just too long for what was read makes much be read at once; small ones that follow stay put."""
    texts: list[str] = []
    real = samples_text._Text.element

    def element(self: Any, place: str) -> Any:
        found = real(self, place)
        texts.append(self._text)
        return found

    monkeypatch.setattr(samples_text._Text, "element", element)
    large = json.dumps({"task_id": "x", "solution": "a" * 300_000})
    rows = samples_text.rows_of(io.BytesIO(f"[{large}{',{}' * 500}]".encode()))
    assert sum(1 for _ in rows) == 501
    assert len({id(one) for one in texts}) <= 3


def test_effibench_corpus(data_dir: Path) -> None:
    path = data_dir / "code" / "effibench" / "EffiBench_Qwen2.5-0.5B.sample2.json"
    known = [f"EffiBench/{row['problem_idx']}" for row in json.loads(path.read_bytes())]
    with path.open("rb") as file:
        kept = read_upload(file, known)
    assert kept.n_samples == len(known)
    assert b"test_case_generator" not in kept.data

"""Files made to hang, to crash, or to be run: each gives an error that names the row, soon."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest

from joulemark.code.problems.registry import KINDS, load_problems
from joulemark.record.errors import InputError

_HUMANEVAL = {
    "task_id": "own/0",
    "prompt": 'def f(x):\n    """D."""\n',
    "entry_point": "f",
    "canonical_solution": "    return x\n",
    "test": "def check(candidate):\n    assert candidate(1) == 1\n",
}
_PLUS = {
    "task_id": "Mbpp/1",
    "prompt": "P",
    "entry_point": "f",
    "canonical_solution": "def f(x):\n    return x\n",
    "base_input": [[1]],
    "plus_input": [],
    "assertion": "assert f(1) == 1",
    "atol": 0,
    "contract": "",
}
_DEEP = "[" * 900 + "]" * 900
_HOSTILE_SOURCES = [
    "    return " + "-" * 50_000 + "x\n",
    "    return " + "(" * 5_000 + "x\n",
    "    return x" + "+x" * 50_000 + "\n",
    "    return x" + ".a" * 100_000 + "\n",
    "    return " + "9" * 100_000 + "\n",
    "    return 'unclosed\n",
    "    return '\x00'\n",
    "    return '\ud800'\n",
    "".join(" " * (4 + level) + "if x:\n" for level in range(200)) + " " * 300 + "return x\n",
]


def _load(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    load_problems(path)


def _refused(path: Path, data: bytes, match: str = "cannot be used") -> InputError:
    started = time.process_time()
    with pytest.raises(InputError, match=match) as caught:
        _load(path, data)
    assert time.process_time() - started < 30
    return caught.value


@pytest.mark.parametrize("number", range(len(_HOSTILE_SOURCES)))
def test_sources_that_no_parser_should_see(tmp_path: Path, number: int) -> None:
    row = {**_HUMANEVAL, "canonical_solution": _HOSTILE_SOURCES[number]}
    error = _refused(tmp_path / "rows.jsonl", json.dumps(row).encode())
    assert "line 1" in error.what


@pytest.mark.parametrize("test", ["    x" + "+x" * 900 + "\n", "    assert " + "not " * 900 + "x\n"])
def test_tests_that_are_nested_too_deep(tmp_path: Path, test: str) -> None:
    row = {**_HUMANEVAL, "test": "def check(candidate):\n" + test}
    error = _refused(tmp_path / "rows.jsonl", json.dumps(row).encode())
    assert "line 1" in error.what
    assert "nested too deep" in error.why


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"[]",
        b"{}",
        b"nonsense",
        b"[1, 2]",
        b"[[]]",
        b"null",
        b'{"task_id": "a", "task_id": "b"}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"task_id": ' + b"1" * 10_000 + b"}",
        b'[{"problem_idx": NaN, "canonical_solution": "x", "test_case": "y"}]',
        b'[{"problem_idx": 1e999, "canonical_solution": "x", "test_case": "y"}]',
        b'[{"joulemark_problem": 2}]',
    ],
)
@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
def test_files_that_hold_no_problems(tmp_path: Path, name: str, data: bytes) -> None:
    _refused(tmp_path / name, data, match="cannot be used|holds no problems|no known kind")


def test_a_file_of_no_gzip(tmp_path: Path) -> None:
    _refused(tmp_path / "rows.jsonl.gz", b"plain", match="cannot be read")
    _refused(tmp_path / "rows.jsonl.gz", gzip.compress(b"x" * 1000)[:-9], match="cannot be read")


def test_a_bomb_is_not_unpacked_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.code.problems.importers.rows.MAX_FILE_BYTES", 1 << 20)
    error = _refused(tmp_path / "rows.jsonl.gz", gzip.compress(b"0" * (64 << 20)), match="cannot be read")
    assert "larger than 1 MiB" in error.why


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("base_input", f"[[{_DEEP}]]"),
        ("plus_input", '[[1], "text"]'),
        ("plus_input", '{"a": 1}'),
        ("base_input", "[1, 2]"),
        ("atol", "NaN"),
    ],
)
def test_inputs_that_are_none(tmp_path: Path, field: str, text: str) -> None:
    row = json.dumps({**_PLUS, field: "HERE"}).replace('"HERE"', text)
    error = _refused(tmp_path / "rows.jsonl", row.encode())
    assert "line 1" in error.what


def test_nothing_in_a_file_is_run_when_it_is_read(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    act = f"open({str(mark)!r}, 'w')"
    rows: list[dict[str, Any]] = [
        {**_HUMANEVAL, "canonical_solution": f"    return {act}\n{act}\n"},
        {
            **_HUMANEVAL,
            "task_id": "own/1",
            "test": f"{act}\ndef check(candidate):\n    assert candidate({act})\n",
        },
    ]
    _load(tmp_path / "rows.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert not mark.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_forced_kind_does_not_make_a_file_fit(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n')
    with pytest.raises(InputError):
        load_problems(path, kind=kind)

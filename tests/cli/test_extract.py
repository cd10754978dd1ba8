"""``joulemark task extract`` on the shared corpora and on files that cannot be used."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from doubles.user import Finished, joulemark
from joulemark.tasks.extract.number import parse_number

KEYS = ["id", "value", "verdict", "rule", "span"]
CELL = {
    "A": "nucleus",
    "B": "mitochondria",
    "C": "ribosome",
    "D": "vacuole",
}  # as the corpus' note lists them


def corpus(data_dir: Path, name: str) -> list[dict[str, Any]]:
    path = data_dir / "answers" / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def extract(tmp_path: Path, kind: str, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = joulemark("task", "extract", path, "--kind", kind, "--json")
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def test_the_numeric_corpus(data_dir: Path) -> None:
    cases = corpus(data_dir, "numeric.jsonl")
    done = joulemark("task", "extract", data_dir / "answers" / "numeric.jsonl", "--kind", "numeric", "--json")
    assert done.code == 0, done.err
    found = [json.loads(line) for line in done.out.splitlines()]
    assert [row["id"] for row in found] == [case["id"] for case in cases]
    for row, case in zip(found, cases, strict=True):
        assert list(row) == KEYS
        if case["gold"] is None:
            assert (row["value"], row["rule"], row["span"]) == (None, None, None)
            assert row["verdict"] == ("truncated" if "never closed" in case["note"] else "unparsed")
        else:
            assert parse_number(row["value"]) == parse_number(case["gold"])
            assert row["verdict"] == "correct"
            start, end = row["span"]
            assert case["completion"][start:end].strip()


def test_the_choice_corpus(data_dir: Path, tmp_path: Path) -> None:
    cases = corpus(data_dir, "choice.jsonl")
    lines = []
    for case in cases:
        choices: object = CELL if "mitochondria" in case["note"] else None
        choices = list("ABCDEFGHIJ") if "up to J" in case["note"] else choices
        lines.append(case if choices is None else {**case, "choices": choices})
    for row, case in zip(extract(tmp_path, "choice", lines), cases, strict=True):
        assert row["value"] == case["gold"], case
        if case["gold"] is None:
            assert row["verdict"] == ("truncated" if case["note"] == "truncated" else "unparsed")
        else:
            assert row["verdict"] == "correct"


@pytest.mark.parametrize(
    ("kind", "line", "value", "verdict"),
    [
        ("math", {"completion": "\\boxed{\\dfrac12}", "gold": "\\frac{1}{2}"}, "0.5", "correct"),
        ("math", {"completion": "\\boxed{x+1}", "gold": "x"}, "x+1", "wrong"),
        ("text", {"completion": "A puppy.", "gold": "puppy|pup"}, "A puppy", "correct"),
        ("line", {"completion": "Answer: b, a", "gold": "b a"}, "b, a", "correct"),
        ("label", {"completion": "Yes!", "gold": "No", "choices": ["Yes", "No"]}, "Yes", "wrong"),
        (
            "label",
            {"completion": "right", "gold": "T", "choices": {"T": "right", "F": "off"}},
            "T",
            "correct",
        ),
        ("choice", {"completion": "b)", "gold": "(B)"}, "B", "correct"),
        ("choice", {"completion": "iron", "gold": "A", "choices": {"A": "iron", "B": "tin"}}, "A", "correct"),
        ("numeric", {"completion": "The answer is 18", "gold": 18}, "18", "correct"),
        ("numeric", {"completion": "It is 5.", "gold": None}, "5", "wrong"),
        (
            "numeric",
            {"completion": "The answer is 1", "gold": "18", "finish_reason": "length"},
            None,
            "truncated",
        ),
        ("numeric", {"completion": "I'm sorry, but I can't help with that.", "gold": "1"}, None, "refused"),
    ],
)
def test_each_kind(tmp_path: Path, kind: str, line: dict[str, Any], value: str, verdict: str) -> None:
    (row,) = extract(tmp_path, kind, [{"id": 7, **line}])
    assert (row["id"], row["value"], row["verdict"]) == (7, value, verdict)


def test_a_table_with_a_count_for_people(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    lines = [
        {"id": "a", "completion": "The answer is 18.", "gold": "18"},
        {"id": "b\x1b[31m", "completion": "17", "gold": "18"},
        {"id": "c", "completion": "", "gold": "18"},
    ]
    path.write_text("\ufeff" + "\n\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = joulemark("task", "extract", path, "--kind", "numeric")
    assert done.code == 0, done.err
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[:2] == [["id", "verdict", "rule", "span", "value"], ["a", "correct", "phrase", "14–16", "18"]]
    assert rows[3] == ["c", "unparsed", "—", "—", "—"]
    assert "\x1b" not in done.out
    assert done.out.splitlines()[-1] == "3 replies: 1 correct, 1 wrong, 1 unparsed"


def piped(data: bytes, *arguments: str) -> Finished:
    done = subprocess.run(
        [sys.executable, "-m", "joulemark.cli", "task", "extract", "-", *arguments],
        input=data,
        capture_output=True,
        timeout=120,
    )
    return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())


GOOD = b'{"id": "a", "completion": "5", "gold": "5"}\n'


@pytest.mark.parametrize(
    ("kind", "line", "said"),
    [
        ("numeric", b"not JSON", "not JSON"),
        ("numeric", b'{"id": "b", "completion": "5", "gold": "5"', "not JSON"),
        ("numeric", b"[" * 100_000, "not JSON"),
        ("numeric", b'{"id": ' + b"9" * 5000 + b"}", "not JSON"),
        ("numeric", b'{"id": "\xff"}', "UTF-8"),
        ("numeric", b"[1]", "not an object"),
        ("numeric", b'{"id": true, "completion": "5", "gold": "5"}', '"id"'),
        ("numeric", b'{"id": "b", "completion": 5, "gold": "5"}', '"completion"'),
        ("numeric", b'{"id": "b", "gold": "5"}', '"completion" must be a text, but it is missing'),
        ("numeric", b'{"id": "b", "completion": "5"}', '"gold"'),
        ("numeric", b'{"id": "b", "completion": "5", "gold": ["5"]}', '"gold"'),
        ("numeric", b'{"id": "b", "completion": "5", "gold": NaN}', '"gold"'),
        ("numeric", b'{"id": "b", "completion": "5", "gold": "many"}', "no number"),
        ("numeric", b'{"id": "b", "completion": "5", "gold": "5", "finish_reason": 1}', '"finish_reason"'),
        ("choice", b'{"id": "b", "completion": "A", "gold": "E"}', '"gold" must be one of A, B, C, D'),
        ("choice", b'{"id": "b", "completion": "A", "gold": "A", "choices": "ABCD"}', '"choices"'),
        ("choice", b'{"id": "b", "completion": "A", "gold": "A", "choices": ["yes"]}', '"choices"'),
        ("choice", b'{"id": "b", "completion": "A", "gold": "A", "choices": {"A": 1}}', '"choices"'),
        ("label", b'{"id": "b", "completion": "Yes", "gold": "Yes"}', '"choices"'),
        ("label", b'{"id": "b", "completion": "Yes", "gold": "Maybe", "choices": ["Yes", "No"]}', "Maybe"),
    ],
)
def test_bad_lines_are_named(kind: str, line: bytes, said: str) -> None:
    good = (
        GOOD if kind == "numeric" else b'{"id": "a", "completion": "", "gold": null, "choices": ["A", "B"]}\n'
    )
    done = piped(good + b"\n" + line + b"\n", "--kind", kind, "--json")
    assert done.code == 2, done.err
    assert "standard input, line 3 cannot be used" in done.err
    assert said in done.err
    assert "fix:" in done.err
    assert "Traceback" not in done.err
    assert json.loads(done.out)["id"] == "a"


@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_an_empty_stream(data: bytes) -> None:
    done = piped(data, "--kind", "math")
    assert done.code == 2
    assert "holds no replies" in done.err


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for file in ("nowhere.jsonl", tmp_path):
        done = joulemark("task", "extract", file, "--kind", "numeric")
        assert done.code == 2
        assert "cannot be read" in done.err
        assert "fix:" in done.err


def test_a_kind_must_be_named(tmp_path: Path) -> None:
    assert joulemark("task", "extract", tmp_path / "x", "--kind", "essay").code == 2
    assert joulemark("task", "extract", tmp_path / "x").code == 2


def test_half_a_character_in_a_reply_is_no_reason_to_stop() -> None:
    done = piped(
        b'{"id": "\\ud800", "completion": "Answer: \\udc00x", "gold": "x"}\n', "--kind", "text", "--json"
    )
    assert done.code == 0, done.err
    assert json.loads(done.out)["id"] == "\ud800"
    assert piped(b'{"id": "\\ud800", "completion": "\\udc00", "gold": "x"}\n', "--kind", "line").code == 0


@pytest.mark.parametrize("piece", ["9", "\\boxed{", "lorem 1 ipsum "])
def test_a_reply_of_five_megabytes(piece: str) -> None:
    line = json.dumps({"id": "long", "completion": piece * (5_000_000 // len(piece)), "gold": "1"})
    started = time.monotonic()
    done = piped(line.encode() + b"\n", "--kind", "math", "--json")
    assert done.code == 0, done.err
    assert time.monotonic() - started < 20  # a second on an idle machine


def test_a_stream_larger_than_the_memory_is_read() -> None:
    code = (
        "import re, resource\n"
        "from pathlib import Path\n"
        "import joulemark.cli.extract, joulemark.tasks.scorers.recorded\n"
        "from joulemark.cli.__main__ import main\n"
        "now = int(re.search(r'VmSize:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) << 10\n"
        "resource.setrlimit(resource.RLIMIT_AS, (now + (40 << 20),) * 2)\n"
        "main(['task', 'extract', '-', '--kind', 'line', '--json'])\n"
    )
    thought = "<think>" + "b a " * 250_000 + "</think>"
    line = json.dumps({"id": "x", "completion": thought + "a b", "gold": "a b"}).encode() + b"\n"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    for _ in range(60):  # a megabyte each
        process.stdin.write(line)
    process.stdin.close()
    out = process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert out.count(b'"correct"') == 60

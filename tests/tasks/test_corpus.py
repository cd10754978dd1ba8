"""The shared corpora of replies: each case is a fault that published extraction rules have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from joulemark.tasks.extract import extract_choice, extract_number
from joulemark.tasks.extract.number import parse_number

OPTIONS = {"A": "nucleus", "B": "mitochondria", "C": "ribosome", "D": "vacuole"}  # as its note lists them


def cases(data_dir: Path, name: str) -> list[dict[str, Any]]:
    lines = (data_dir / "answers" / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_numeric(data_dir: Path) -> None:
    read = {case["id"]: extract_number(case["completion"]).value for case in cases(data_dir, "numeric.jsonl")}
    wanted = {case["id"]: case["gold"] for case in cases(data_dir, "numeric.jsonl")}
    assert len(wanted) == len(cases(data_dir, "numeric.jsonl")) > 20
    assert {name for name, value in read.items() if value is None} == {
        name for name, gold in wanted.items() if gold is None
    }
    known = {name: gold for name, gold in wanted.items() if gold is not None}
    assert {name: parse_number(str(read[name])) for name in known} == {
        name: parse_number(gold) for name, gold in known.items()
    }


def test_choice(data_dir: Path) -> None:
    read, wanted = {}, {}
    for case in cases(data_dir, "choice.jsonl"):
        letters = "ABCDEFGHIJ" if "up to J" in case["note"] else "ABCD"
        options = OPTIONS if "mitochondria" in case["note"] else None
        read[case["id"]] = extract_choice(case["completion"], letters, options).value
        wanted[case["id"]] = case["gold"]
    assert len(wanted) == len(cases(data_dir, "choice.jsonl")) > 10
    assert read == wanted

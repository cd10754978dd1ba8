"""The shared corpora of replies: each case is a fault that published extraction rules have."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from joulemark.tasks.extract import extract_choice, extract_number
from joulemark.tasks.extract.number import parse_number

DATA = Path(os.environ.get("JOULEMARK_DATA", Path(__file__).parents[3] / "shared" / "data")) / "answers"
OPTIONS = {"A": "nucleus", "B": "mitochondria", "C": "ribosome", "D": "vacuole"}  # as its note lists them


def cases(name: str) -> list[Any]:
    path = DATA / name
    if not path.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{path} is not there; set JOULEMARK_DATA"))]
    lines = path.read_text(encoding="utf-8").splitlines()
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines)]


@pytest.mark.parametrize("case", cases("numeric.jsonl"))
def test_numeric(case: dict[str, Any]) -> None:
    found = extract_number(case["completion"])
    if case["gold"] is None:
        assert found.value is None
    else:
        assert found.value is not None
        assert parse_number(found.value) == parse_number(case["gold"])


@pytest.mark.parametrize("case", cases("choice.jsonl"))
def test_choice(case: dict[str, Any]) -> None:
    letters = "ABCDEFGHIJ" if "up to J" in case["note"] else "ABCD"
    options = OPTIONS if "mitochondria" in case["note"] else None
    assert extract_choice(case["completion"], letters, options).value == case["gold"]

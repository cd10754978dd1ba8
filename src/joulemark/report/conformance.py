"""The conformance page: what each case of a corpus of streams asks for, and how the parser did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from joulemark import __version__
from joulemark.engines.streams.conformance import N_RANDOM, WAYS, CaseResult
from joulemark.report.page_file import write_page
from joulemark.report.templates import template
from joulemark.report.wording import printable

_SHOWN_CHARS = 2000
_NUMBERED = re.compile(r"^(\d+)_(.+)$")


@dataclass(frozen=True, slots=True)
class Row:
    """A case as the page shows it."""

    number: str
    title: str
    file: str
    why: str
    fields: tuple[str, ...]
    expectation: str
    passed: bool
    fault: str
    differences: tuple[tuple[str, str, str, str], ...]


def row_of(result: CaseResult) -> Row:
    """Return a case in words; ``differences`` are (field, expected, read, ways of cutting)."""
    case = result.case
    stem = Path(case.name).stem
    match = _NUMBERED.match(stem)
    number, name = (match[1], match[2]) if match else ("", stem)
    return Row(
        number=number,
        title=printable(name.replace("_", " ")),
        file=printable(case.name),
        why=printable(case.why),
        fields=tuple(printable(field) for field in case.expected),
        expectation=_cut(orjson.dumps(case.expected, option=orjson.OPT_INDENT_2).decode()),
        passed=result.passed,
        fault=printable(case.fault or ""),
        differences=tuple(
            (
                printable(difference.field),
                _cut(printable(difference.expected)),
                _cut(printable(difference.read)),
                "every way" if len(ways) == len(WAYS) else ", ".join(ways),
            )
            for difference, ways in result.differences
        ),
    )


def summary_json(results: Sequence[CaseResult], seed: int) -> dict[str, Any]:
    """Return the results as JSON values."""
    return {
        "passed": sum(result.passed for result in results),
        "failed": sum(not result.passed for result in results),
        "seed": seed,
        "ways": list(WAYS),
        "joulemark_version": __version__,
        "cases": [
            {
                "file": result.case.name,
                "why": result.case.why,
                "fields": list(result.case.expected),
                "passed": result.passed,
                "fault": result.case.fault,
                "ways": {
                    way.way: [
                        {"field": one.field, "expected": one.expected, "read": one.read}
                        for one in way.differences
                    ]
                    for way in result.ways
                },
            }
            for result in results
        ],
    }


def render_conformance(results: Sequence[CaseResult], seed: int) -> str:
    """Return the page as text; everything that comes from the corpus is escaped."""
    rows = [row_of(result) for result in results]
    return template("conformance").render(
        rows=[row for row in rows if not row.passed] + [row for row in rows if row.passed],
        n_passed=sum(row.passed for row in rows),
        n_all=len(rows),
        n_fields=sum(len(row.fields) for row in rows),
        ways=list(WAYS),
        n_random=N_RANDOM,
        seed=seed,
        version=__version__,
    )


def write_conformance(results: Sequence[CaseResult], seed: int, path: Path) -> None:
    """Write the page to ``path``; raises `InputError` when the place cannot be written."""
    fix = "give --html a file in a folder that you may write to"
    write_page(path, render_conformance(results, seed), fix=fix)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]} …"

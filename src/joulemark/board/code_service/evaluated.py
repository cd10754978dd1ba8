"""What an evaluation came to, as a board keeps it: for the list, for everyone, and for the uploader alone.

What everyone may read holds no text of a program and none that one has said: SHA-256s, numbers, outcomes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import orjson

from joulemark.board.code_service.figures import KEPT
from joulemark.board.standing.figures import figure_from
from joulemark.code.evaluation.comparable import DECIDING
from joulemark.code.evaluation.figures import not_measured, summary_of_evaluation
from joulemark.code.evaluation.journal import FILE as JOURNAL
from joulemark.code.evaluation.journal import Recorded
from joulemark.code.evaluation.record import FILE as RECORD
from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.metrics.code.by_group import Figures
from joulemark.metrics.code.summary import CodeSummary
from joulemark.metrics.code.summary_json import summary_json
from joulemark.metrics.code.wrong import Wrong
from joulemark.report.code_cells import GROUP_COLUMNS, cell_of, group_columns
from joulemark.report.code_html import render_code_page
from joulemark.report.code_lead import headline
from joulemark.report.code_rows import busy, notes, sections, warnings
from joulemark.report.wording import printable, why

PAGE, SUMMARY = "code.html", "summary.json"
_FIXED_TIME = (2020, 1, 1, 0, 0, 0)


def outcome(record: EvaluationRecord, recorded: Recorded, folder: Path, dataset: str) -> dict[str, Any]:
    """Return ``standing`` and ``result`` as JSON values, and ``files``: a zip of what lies in ``folder``."""
    summary = summary_of_evaluation(record, recorded)
    page = render_code_page(record, summary, recorded.unusable, not_measured(record, recorded))
    return {
        "standing": _standing(record, summary, dataset),
        "result": _result(record, recorded, summary),
        "files": _files(folder, page, summary),
    }


def _standing(record: EvaluationRecord, summary: CodeSummary, dataset: str) -> dict[str, Any]:
    settings = record.settings.model_dump(mode="json")
    host = record.environment.host
    return {
        "dataset": dataset,
        "problems_digest": record.problems_digest,
        "environment_id": record.environment_id,
        "environment": f"{host.cpu_model or 'processor not told'}, "
        f"{record.environment.implementation} {record.environment.python}",
        "is_whole": not record.environment.missing,
        "busy": busy(summary),
        "procedure": record.procedure,
        "settings": {name: settings[name] for name in DECIDING},
        "counts": dict(summary.counts),
        "figures": {
            name: asdict(figure_from(value))
            for name in KEPT
            if (value := summary.figures.get(name)) is not None
        },
    }


def _result(record: EvaluationRecord, recorded: Recorded, summary: CodeSummary) -> dict[str, Any]:
    """Return what everyone may read. What programs said when they failed is theirs who wrote them."""
    told = replace(summary, wrong=tuple(_without_words(one) for one in summary.wrong))
    quiet = replace(summary, wrong=())
    unmeasured = not_measured(record, recorded)
    document: dict[str, Any] = {
        "record": record.model_dump(mode="json", exclude={"sources"}),
        "headline": headline(summary),
        "warnings": warnings(record, summary, recorded.unusable),
        "notes": notes(quiet, unmeasured),
        "sections": [asdict(one) for one in sections(record, summary)],
        "columns": group_columns(summary.queued),
        "groups": [
            {"title": title, "rows": _group_rows(groups)}
            for title, groups in (("algorithm", summary.by_algorithm), ("difficulty", summary.by_difficulty))
            if groups and record.settings.measure
        ],
        "failures": dict(recorded.unusable),
        "not_measured": unmeasured,
        "summary": summary_json(told),
    }
    plain: dict[str, Any] = orjson.loads(orjson.dumps(document))
    return plain


def _group_rows(groups: Mapping[str, Figures]) -> list[dict[str, Any]]:
    """Return a row a group; a dash has its reason."""
    return [
        {
            "name": printable(group).replace("_", " "),
            "cells": [
                {"text": cell_of(name, value).text, "why": why(value)}
                for name in GROUP_COLUMNS
                if (value := figures.get(name)) is not None
            ],
        }
        for group, figures in groups.items()
    ]


def _without_words(one: Wrong) -> Wrong:
    return one if one.run is None else replace(one, run=replace(one.run, detail=""))


def _files(folder: Path, page: str, summary: CodeSummary) -> bytes:
    """Return a zip that `joulemark code report` reads once it is unpacked."""
    whole = orjson.dumps(summary_json(summary), option=orjson.OPT_INDENT_2)
    parts: Mapping[str, bytes] = {
        RECORD: (folder / RECORD).read_bytes(),
        JOURNAL: (folder / JOURNAL).read_bytes(),
        PAGE: page.encode("utf-8", "backslashreplace"),
        SUMMARY: whole,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _FIXED_TIME), data, zipfile.ZIP_DEFLATED, 6)
    return packed.getvalue()

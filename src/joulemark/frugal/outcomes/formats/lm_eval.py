"""Outcomes that lm-evaluation-harness writes with ``--log_samples``: JSON lines, one a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from joulemark.frugal.outcomes.formats.columns import DOMAIN_NAMES, first_of, number_of, outcomes_of
from joulemark.frugal.outcomes.formats.graded import graded_as
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.record.errors import InputError

_USUAL = ("exact_match", "acc", "acc_norm", "prompt_level_strict_acc", "pass@1", "f1", "bleu", "rougeL")
Row = Mapping[str, Any]


def is_lm_eval(row: Row) -> bool:
    """Tell whether a line is a logged sample of the harness."""
    return "doc_id" in row and ("filtered_resps" in row or "resps" in row)


def of_samples(rows: Sequence[Row], path: Path, *, metric: str | None) -> Outcomes:
    """Return logged samples as outcomes.

    ``metric`` as the harness names it, ``exact_match`` or with a filter ``exact_match,flexible-extract``;
    null is the first there is, of the first filter. Raises `InputError`.
    """
    wanted, _, wanted_filter = (metric or "").partition(",")
    name = _metric(rows, "" if wanted in ("accuracy", "correct", "score") else wanted, path)
    filters = list(dict.fromkeys(str(row.get("filter", "none")) for row in rows))
    chosen = wanted_filter or filters[0]
    if chosen not in filters:
        raise InputError(
            f"{path} has no filter {chosen!r}",
            why=f"there are {', '.join(filters)}",
            fix=f"--metric {name},{filters[0]}",
        )
    kept = [row for row in rows if str(row.get("filter", "none")) == chosen]
    notes = []
    if len(filters) > 1 and not wanted_filter:
        others = ", ".join(f"{name},{one}" for one in filters if one != chosen)
        notes.append(f"graded by the filter {chosen}; --metric takes {others} too")
    values = np.array([number_of(row.get(name)) for row in kept], dtype=np.float64)
    return outcomes_of(
        _task(path),
        values,
        origin=str(path),
        column=name,
        item_ids=[str(row["doc_id"]) for row in kept],
        domains=_domains(kept),
        notes=notes,
        task=_task(path),
        graded=graded_as(values[np.isfinite(values)], name),
    )


def _metric(rows: Sequence[Row], wanted: str, path: Path) -> str:
    listed = [str(one) for one in rows[0].get("metrics") or () if str(one) in rows[0]]
    there = listed or [one for one in _USUAL if one in rows[0]]
    if wanted and wanted in rows[0]:
        return wanted
    if wanted or not there:
        raise InputError(
            f"{path} has no metric {wanted!r}" if wanted else f"{path} has no metric of its samples",
            why=f"there are {', '.join(there) or 'none that this program knows'}",
            fix="name one with --metric",
        )
    return there[0]


def _domains(rows: Sequence[Row]) -> list[str] | None:
    documents = [row.get("doc") for row in rows]
    first = documents[0]
    name = first_of(DOMAIN_NAMES, list(first)) if isinstance(first, Mapping) else None
    if name is None:
        return None
    return [str(one.get(name)) if isinstance(one, Mapping) else "" for one in documents]


def _task(path: Path) -> str:
    """Return the task from ``samples_TASK_2026-11-30T12-00-00.jsonl``."""
    stem = path.stem.removeprefix("samples_")
    task, _, stamp = stem.rpartition("_")
    return task if task and stamp[:4].isdecimal() else stem

"""Rows of a leaderboard made up in memory, and a board's snapshot of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from joulemark.board.standing.board_row import BoardRow, Figure
from joulemark.board.standing.configuration import table_of
from joulemark.board.standing.snapshot import Snapshot


def figure(value: float | None, half: float | None = None, unit: str = "J") -> Figure:
    """A figure with a symmetric interval; a null one was not measured."""
    if value is None:
        return Figure(None, unit, reason="no_meter", detail="No meter was found.")
    if half is None:
        return Figure(value, unit)
    return Figure(value, unit, value - half, value + half, "ci95", n=40)


def row(
    name: str = "a",
    joules: float | None = 100.0,
    half: float | None = 5.0,
    *,
    figures: Mapping[str, Figure] | None = None,
    **fields: Any,
) -> BoardRow:
    """A row; its id comes of ``name``, its table of what belongs into one."""
    given: dict[str, Any] = {
        "kind": "measured",
        "model": f"org/model-{name}",
        "task": "gsm8k",
        "questions": "0123456789ab",
        "unit": "request",
        "engine": "llama.cpp",
        "engine_version": "b6789",
        "quantization": "Q4_1",
        "hardware": "NVIDIA Testboard 90",
        "n_devices": 1,
        "tier": "C",
        "scope": "gpu",
        "load": "one at a time",
        "settings": {"max_tokens": 128},
        "rung": 2,
        **fields,
    }
    names = ("kind", "tier", "scope", "task", "questions", "unit", "load")
    digest = hashlib.sha256(name.encode()).hexdigest()
    table = table_of(**{key: given[key] for key in names})
    measured = given["kind"] != "published"
    return BoardRow(
        id=digest,
        table=table,
        figures={
            "joules_per_correct_answer": figure(joules, half),
            "accuracy": figure(0.5, 0.1, "1"),
            **(figures or {}),
        },
        runs=(digest,) if measured else (),
        stands_for=digest if measured else None,
        **given,
    )


def snapshot_of(rows: Iterable[BoardRow], version: int = 1) -> Snapshot:
    """The rows as a board that has just these serves them."""
    return Snapshot(version, tuple(sorted(rows, key=lambda one: one.id)))

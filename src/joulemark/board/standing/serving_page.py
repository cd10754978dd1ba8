"""The page of loaded servers: what a request costs in energy and in time, a picture a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np

from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.cells import FigureCell, figure_cell, figure_title, hardware, setup
from joulemark.board.standing.configuration import is_loaded
from joulemark.board.standing.figure_names import ENERGY
from joulemark.board.standing.listing import KIND_ORDER
from joulemark.board.standing.ranks import is_marked
from joulemark.board.standing.serving_chart import Dot, serving_chart
from joulemark.board.standing.snapshot import Snapshot
from joulemark.board.standing.words import task_words, tier_words
from joulemark.metrics.frontier import non_dominated
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.wording import printable

MOST_PICTURES = 3
_WIDE_PX, _NARROW_PX = 900, 220
_STEPS = "The steps are the front: nothing here needs less energy at that time. Bars are intervals."


@dataclass(frozen=True, slots=True)
class FrontLine:
    """A configuration on the front."""

    row: BoardRow
    hardware: str
    setup: str
    time: FigureCell
    energy: FigureCell


@dataclass(frozen=True, slots=True)
class Front:
    """The picture of a table, and the configurations on its front, the fastest first."""

    task: str
    tier: str
    drawing: Drawing
    lines: tuple[FrontLine, ...]
    x_title: str
    y_title: str
    n: int


def time_of(row: BoardRow) -> str:
    """Return which latency stands for a row's speed: of media the whole time of a batch."""
    return "tpot_mean" if row.unit == "request" else "e2el_mean"


def places_on_it(found: Snapshot) -> list[int]:
    """Return the places of the rows that can be drawn: loaded or published, with energy and latency."""
    return [
        place
        for place, row in enumerate(found.rows)
        if (is_loaded(row.load) or row.kind == "published" or row.unit != "request")
        and (row.is_ranked or row.kind != "published")
        and _value(row, ENERGY)
        and _value(row, time_of(row))
        and not is_marked(row, time_of(row))
    ]


def serving_values(
    found: Snapshot, model: str | None, task: str | None, *, links: bool = True
) -> dict[str, Any]:
    """Return the page: of one task, the first where none is named, and of one model where one is."""
    rows = [found.rows[place] for place in places_on_it(found)]
    counted: dict[str, int] = {}
    for row in rows:
        counted[row.task] = counted.get(row.task, 0) + 1
    tasks = sorted(counted, key=lambda name: (-counted[name], name))
    chosen = task if task is not None else next(iter(tasks), None)
    of_task = [row for row in rows if row.task == chosen]
    models = sorted({row.model for row in of_task}, key=str.casefold)
    shown = [row for row in of_task if model is None or row.model == model]
    grouped: dict[str, list[BoardRow]] = {}
    for row in shown:
        grouped.setdefault(row.table, []).append(row)
    order = sorted(grouped.values(), key=lambda some: (KIND_ORDER[some[0].kind], -len(some), some[0].table))
    return {
        "tasks": [(name, counted[name], name == chosen) for name in tasks],
        "models": models,
        "model": model if model in models else None,
        "unknown": model is not None and model not in models,
        "task": chosen if chosen in counted else None,
        "fronts": [front_of(some) for some in order[:MOST_PICTURES]],
        "left_out": len(order) - len(order[:MOST_PICTURES]),
        "link": urlencode({"task": chosen}) if chosen and links else "",
    }


def front_of(rows: Sequence[BoardRow]) -> Front:
    """Return the picture of rows of one table."""
    like = rows[0]
    x_name = time_of(like)
    costs = np.array([[_value(row, x_name), _value(row, ENERGY)] for row in rows], dtype=np.float64)
    on = non_dominated(costs)
    dots = [
        Dot(
            float(x),
            float(y),
            row.figures[ENERGY].lo,
            row.figures[ENERGY].hi,
            _device(row),
            bool(kept),
        )
        for row, (x, y), kept in zip(rows, costs, on, strict=True)
    ]
    x_title, y_title = _short(x_name), f"J per {like.unit}"
    title = f"{y_title} against {x_title}"
    words = f"{len(dots)} configurations, {int(on.sum())} on the front."
    drawing = drawn(
        lambda px: serving_chart(dots, x_title, y_title, px),
        title,
        words,
        _STEPS,
        wide_px=_WIDE_PX,
        narrow_px=_NARROW_PX,
    )
    kept = sorted(
        (place for place, is_on in enumerate(on) if is_on), key=lambda place: float(costs[place, 0])
    )
    lines = tuple(
        FrontLine(
            rows[place],
            hardware(rows[place]),
            setup(rows[place]),
            figure_cell(x_name, rows[place]),
            figure_cell(ENERGY, rows[place]),
        )
        for place in kept
    )
    return Front(task_words(like), tier_words(like), drawing, lines, figure_title(x_name), y_title, len(rows))


def _short(name: str) -> str:
    return "mean time per output token" if name == "tpot_mean" else "mean time of a whole answer or batch"


def _value(row: BoardRow, name: str) -> float | None:
    figure = row.figures.get(name)
    return None if figure is None else figure.value


def _device(row: BoardRow) -> str:
    return printable(row.hardware or "not told").removeprefix("NVIDIA ")

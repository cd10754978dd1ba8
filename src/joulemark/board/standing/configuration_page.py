"""What the page of a configuration shows: all its figures and runs, and its likes in other tiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, select

from joulemark.board.database.tables import runs
from joulemark.board.database.tables import submissions as subs
from joulemark.board.judging.rung import Rung
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.cells import FigureCell, engine, figure_cell, figure_title, hardware
from joulemark.board.standing.configuration import is_loaded
from joulemark.board.standing.figure_names import HEADLINE, NAMES
from joulemark.board.standing.kept import ACCEPTED
from joulemark.board.standing.listing import leading
from joulemark.board.standing.ranks import ranks_of, why_no_rank
from joulemark.board.standing.row_json import row_of_json
from joulemark.board.standing.run_columns import ROW
from joulemark.board.standing.snapshot import Snapshot
from joulemark.board.standing.words import KINDS, task_words, tier_words
from joulemark.report.wording import DASH, printable

MOST_RUNS = 200


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run of the configuration: when, how far it may be trusted, and its headline."""

    digest: str
    at: str
    rung: Rung
    signer: str
    stands: bool
    cells: tuple[FigureCell, ...]


def configuration_values(found: Snapshot, engine_: Engine, row: BoardRow) -> dict[str, Any]:
    """Return the page of a row."""
    place = found.rows.index(row)
    figure = leading(found, row.table)
    rank = ranks_of(found, row.table, figure).get(place)
    cells = [(figure_title(name, row.unit), figure_cell(name, row)) for name in NAMES]
    return {
        "row": row,
        "hardware": hardware(row),
        "engine": engine(row) or "not told",
        "task": task_words(row),
        "tier": tier_words(row),
        "kind": KINDS[row.kind],
        "rung": Rung(row.rung),
        "rank": DASH if rank is None else str(rank),
        "n_ranked": len(ranks_of(found, row.table, figure)),
        "ranked_by": figure_title(figure, row.unit),
        "why_unranked": "" if rank is not None else why_no_rank(found, place, figure),
        "known": [(title, cell) for title, cell in cells if cell.value is not None],
        "unknown": [(title, cell) for title, cell in cells if cell.value is None],
        "settings": [(name.replace("_", " "), _told(value)) for name, value in row.settings.items()],
        "runs": run_lines(engine_, row) if row.kind != "published" else [],
        "run_columns": [figure_title(HEADLINE), figure_title("accuracy")],
        "beside": [
            (one, tier_words(one), task_words(one), figure_cell(HEADLINE, one)) for one in likes(found, row)
        ],
        "notes": [printable(note) for note in row.notes],
    }


def run_lines(engine_: Engine, row: BoardRow) -> list[RunLine]:
    """Return the accepted runs of a configuration, the latest first."""
    asked = (
        select(
            runs.c.digest, runs.c.figures, runs.c.measured_at, subs.c.signer, subs.c.rung, subs.c.received_at
        )
        .join(subs, subs.c.digest == runs.c.digest)
        .where(runs.c.configuration == row.id, subs.c.status == ACCEPTED)
        .order_by(subs.c.received_at.desc(), runs.c.digest.desc())
        .limit(MOST_RUNS)
    )
    with engine_.connect() as connection:
        found = connection.execute(asked).all()
    lines = []
    for one in found:
        own = row_of_json(one.figures[ROW]) if ROW in one.figures else None
        cells = () if own is None else (figure_cell(HEADLINE, own), figure_cell("accuracy", own))
        lines.append(
            RunLine(
                one.digest,
                (one.measured_at or one.received_at)[:10],
                Rung(one.rung),
                one.signer[:12],
                one.digest == row.stands_for,
                cells,
            )
        )
    return lines


def likes(found: Snapshot, row: BoardRow) -> list[BoardRow]:
    """Return the rows of the same set-up and questions that another meter or scope keeps in other tables."""
    wanted = _setup(row)
    return [
        one for one in found.rows if one.id != row.id and one.table != row.table and _setup(one) == wanted
    ]


def _setup(row: BoardRow) -> tuple[object, ...]:
    return (
        row.kind,
        row.model,
        row.quantization,
        row.engine,
        row.hardware,
        row.n_devices,
        row.task,
        row.questions,
        is_loaded(row.load),
        row.load,
        row.source,
    )


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return DASH if value is None else printable(f"{value:g}" if isinstance(value, float) else str(value))

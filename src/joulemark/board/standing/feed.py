"""What was accepted last, as an Atom feed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from sqlalchemy import Engine, select

from joulemark.board.database.tables import runs
from joulemark.board.database.tables import submissions as subs
from joulemark.board.judging.rung import Rung
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.cells import figure_cell, hardware
from joulemark.board.standing.figure_names import HEADLINE
from joulemark.board.standing.kept import ACCEPTED
from joulemark.board.standing.row_json import row_of_json
from joulemark.board.standing.run_columns import ROW
from joulemark.report.wording import printable

MOST_ENTRIES = 50
EPOCH = "1970-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Entry:
    """A run that was accepted."""

    digest: str
    received_at: str
    rung: int
    row: BoardRow | None
    model: str


def latest(engine: Engine, n: int = MOST_ENTRIES) -> list[Entry]:
    """Return the runs that were accepted last, the newest first."""
    asked = (
        select(subs.c.digest, subs.c.received_at, subs.c.rung, runs.c.figures, runs.c.model)
        .join(runs, runs.c.digest == subs.c.digest)
        .where(subs.c.status == ACCEPTED)
        .order_by(subs.c.received_at.desc(), subs.c.digest)
        .limit(n)
    )
    with engine.connect() as connection:
        return [
            Entry(
                one.digest,
                one.received_at,
                one.rung,
                row_of_json(one.figures[ROW]) if ROW in one.figures else None,
                one.model,
            )
            for one in connection.execute(asked)
        ]


def atom(entries: Sequence[Entry], root: str, *, suffix: str = "") -> bytes:
    """Return the feed; ``root`` is the board's own address, ``suffix`` ends those of its pages."""
    updated = entries[0].received_at if entries else EPOCH
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        "<title>Joulemark: newly accepted runs</title>",
        f"<id>{escape(root)}/feed.atom</id>",
        f'<link rel="self" href={quoteattr(f"{root}/feed.atom")}/>',
        f"<link href={quoteattr(f'{root}/')}/>",
        f"<updated>{updated}</updated>",
        "<author><name>Joulemark board</name></author>",
        "<rights>CC BY 4.0</rights>",
    ]
    for one in entries:
        lines += [
            "<entry>",
            f"<title>{escape(printable(title_of(one)))}</title>",
            f"<id>urn:sha256:{one.digest}</id>",
            f"<link href={quoteattr(f'{root}/runs/{one.digest}{suffix}')}/>",
            f"<updated>{one.received_at}</updated>",
            f"<summary>{escape(printable(_summary(one)))}</summary>",
            "</entry>",
        ]
    return "\n".join([*lines, "</feed>", ""]).encode("utf-8", "xmlcharrefreplace")


def title_of(one: Entry) -> str:
    """Return what a run came to, in a line."""
    if one.row is None:
        return one.model
    cell = figure_cell(HEADLINE, one.row)
    told = f"{cell.text} a correct answer" if cell.value is not None else "no joules"
    return f"{one.row.model} on {hardware(one.row)}, {one.row.task}: {told}"


def _summary(one: Entry) -> str:
    told = f"Trust: {Rung(one.rung).title}."
    if one.row is None:
        return told
    cell = figure_cell(HEADLINE, one.row)
    return f"{told} {cell.hint or cell.why}"

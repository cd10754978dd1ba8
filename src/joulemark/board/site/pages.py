"""Every file of a board that is served by nothing but a file system; addresses are relative."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson
from markupsafe import Markup
from sqlalchemy import Engine, select

from joulemark.board.database.stored_bundle import bundle_of
from joulemark.board.database.tables import submissions
from joulemark.board.methodology.page import methodology_page
from joulemark.board.methodology.routes import definitions_json
from joulemark.board.pages.environment import STATIC, render
from joulemark.board.site.steady_ids import steady
from joulemark.board.site.work_done import WorkDone
from joulemark.board.standing.configuration_page import configuration_values
from joulemark.board.standing.evidence_page import evidence_html, head_values
from joulemark.board.standing.exports import csv_of, frame_of, leaderboard_json, parquet_of
from joulemark.board.standing.feed import atom, latest
from joulemark.board.standing.kept import ACCEPTED
from joulemark.board.standing.leaderboard_page import EACH, sections
from joulemark.board.standing.listing import MOST_ROWS, Query, Table, tables
from joulemark.board.standing.row_json import row_to_json
from joulemark.board.standing.serving_page import serving_values
from joulemark.board.standing.snapshot import Snapshot, snapshot
from joulemark.board.standing.submitted import submitted
from joulemark.board.standing.words import task_words, tier_words
from joulemark.record.identity import text_hash

_SHOWN = (ACCEPTED, "quarantined", "rejected")
_ALL = 10_000_000
_UNSAFE = re.compile(r"[^a-z0-9]+")

File = tuple[str, bytes]
"""A path below the board's folder, and what it holds."""


def site_files(engine: Engine, done: WorkDone, public_url: str | None = None) -> Iterator[File]:
    """Yield every file of the board; ``public_url``: where it will be found, for its feed."""
    found = snapshot(engine)
    for path in sorted(STATIC.iterdir()):
        if path.is_file():
            yield f"static/{path.name}", path.read_bytes()
    yield from _leaderboard(found)
    yield from _serving(found)
    for row in found.rows:
        values = configuration_values(found, engine, row)
        yield f"configurations/{row.id}.html", _page("configuration", "..", "", values)
        yield f"api/v1/configurations/{row.id}.json", orjson.dumps(row_to_json(row))
    yield from _runs(engine, done)
    frame = frame_of(found, Query())
    yield "api/v1/leaderboard.json", leaderboard_json(found, Query(), _ALL, 0)
    yield "api/v1/leaderboard.csv", csv_of(frame)
    yield "api/v1/leaderboard.parquet", parquet_of(frame)
    yield "methodology.html", methodology_page(".").encode()
    yield "api/v1/definitions", orjson.dumps([one.model_dump() for one in definitions_json()])
    if public_url is not None:
        yield "feed.atom", atom(latest(engine), public_url.rstrip("/"), suffix=".html")


def _page(name: str, root: str, path: str, values: dict[str, Any]) -> bytes:
    return steady(render(name, root=root, path=path, static=True, **values)).encode()


def _leaderboard(found: Snapshot) -> Iterator[File]:
    whole = tables(found, Query(), _ALL)
    first = tables(found, Query(), MOST_ROWS, each=EACH)
    yield "index.html", _page("leaderboard", ".", "/", _values(found, first, whole, "", several=True))
    for table in whole:
        values = _values(found, [table], whole, table.name, several=False)
        yield f"tables/{table.name}.html", _page("leaderboard", "..", "", values)


def _values(
    found: Snapshot, shown: list[Table], whole: list[Table], here: str, *, several: bool
) -> dict[str, Any]:
    up = "../" if here else ""

    def more(table: Table) -> str:
        return f"{up}tables/{table.name}.html"

    return {
        "sections": sections([table for table in shown if table.rows], Query(), several=several, more=more),
        "groups": [
            (
                table.n_rows,
                f"{task_words(table.like)} · {tier_words(table.like)}",
                more(table),
                table.name == here,
            )
            for table in whole
        ],
        "others": [],
        "pages": [],
        "empty_board": not found.rows,
        "heading": f"{task_words(shown[0].like)} · {tier_words(shown[0].like)}" if here else "",
    }


def _serving(found: Snapshot) -> Iterator[File]:
    first = serving_values(found, None, None)
    pages = {name: f"frontier/{_slug(name)}.html" for name, _, _ in first["tasks"]}
    yield "frontier.html", _page("serving", ".", "/frontier", {**first, "task_pages": pages})
    for name, path in pages.items():
        values = serving_values(found, None, name)
        yield path, _page("serving", "..", "/frontier", {**values, "task_pages": pages})


def _runs(engine: Engine, done: WorkDone) -> Iterator[File]:
    asked = (
        select(submissions.c.digest).where(submissions.c.status.in_(_SHOWN)).order_by(submissions.c.digest)
    )
    with engine.connect() as connection:
        digests = connection.execute(asked).scalars().all()
    for digest in digests:
        with engine.connect() as connection:
            data = bundle_of(connection, digest)
        if data is None:
            continue
        run = submitted(engine, digest)
        evidence = Markup(done.evidence(digest, lambda data=data: evidence_html(data)))  # type: ignore[misc]
        yield f"runs/{digest}.html", _page("run", "..", "", {"evidence": evidence, **head_values(run)})
        yield f"api/v1/runs/{digest}.json", orjson.dumps(run.to_json())
        if run.status == ACCEPTED:  # a server too gives away no other
            yield f"bundles/{digest}.zip", data


def _slug(name: str) -> str:
    return f"{_UNSAFE.sub('-', name.casefold()).strip('-')[:60]}-{text_hash(name)[:6]}"

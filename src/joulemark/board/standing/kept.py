"""Keep the leaderboard's rows by what is accepted: always in the transaction of who changes that.

Whoever counts ``board_state.version`` up first holds its row until the end of the transaction, so that two
that change one configuration do so one after the other and each sees what the other did.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, select, update

from joulemark.board.database.tables import bundles, configurations, published_rows, runs
from joulemark.board.database.tables import submissions as subs
from joulemark.board.database.times import utc_now
from joulemark.board.database.version import bump
from joulemark.board.database.writing import transaction
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.combined import KeptRun, row_of_runs
from joulemark.board.standing.figure_names import HEADLINE
from joulemark.board.standing.own_questions import OTHERWISE_ASKED
from joulemark.board.standing.published_row import row_of_published
from joulemark.board.standing.row_json import row_of_json, row_to_json
from joulemark.board.standing.run_columns import ROW, columns_of
from joulemark.bundles.submission.verify import verify
from joulemark.metrics.published_points import published_point
from joulemark.record.manifest import Rates
from joulemark.record.published import PublishedRow

ACCEPTED = "accepted"
_BATCH = 500


def keep_run(connection: Connection, digest: str) -> None:
    """Make the row of a run's configuration anew: after the run was accepted, or its rung changed."""
    bump(connection)
    found = _configuration_of(connection, digest)
    if found is not None:
        _recompute(connection, found)


def drop_run(connection: Connection, digest: str) -> None:
    """Take a run out of its configuration's row: before or after its submission's status is changed."""
    bump(connection)
    found = _configuration_of(connection, digest)
    if found is not None:
        _recompute(connection, found, without=digest)


def keep_published(connection: Connection, row_id: str) -> None:
    """Make the leaderboard's row of a published row, or take it away where that is gone."""
    keep_all_published(connection, [row_id])


def keep_all_published(connection: Connection, row_ids: Iterable[str]) -> None:
    """Do as `keep_published` for many, in one count of the version."""
    bump(connection)
    now, rows = utc_now(), list(row_ids)
    for start in range(0, len(rows), _BATCH):
        some = rows[start : start + _BATCH]
        connection.execute(delete(configurations).where(configurations.c.id.in_(some)))
        asked = select(published_rows.c.id, published_rows.c.row).where(published_rows.c.id.in_(some))
        made = []
        for row_id, document in connection.execute(asked):
            published = PublishedRow.model_validate(document)
            row = row_of_published(row_id, published, published_point(published, Rates()))
            made.append({**_columns(row, None, now), "n_runs": 0})
        if made:
            connection.execute(insert(configurations), made)


def rebuild(engine: Engine) -> int:
    """Make all rows anew from what is accepted; return how many there are. What ingest kept is the same."""
    with transaction(engine) as connection:
        bump(connection)
        connection.execute(delete(configurations))
        for name in connection.execute(select(runs.c.configuration).distinct()).scalars().all():
            _recompute(connection, name)
        keep_all_published(connection, connection.execute(select(published_rows.c.id)).scalars().all())
        return len(connection.execute(select(configurations.c.id)).all())


def _configuration_of(connection: Connection, digest: str) -> str | None:
    asked = select(runs.c.configuration).where(runs.c.digest == digest)
    return connection.execute(asked).scalar_one_or_none()


def _recompute(connection: Connection, configuration: str, without: str | None = None) -> None:
    asked = (
        select(
            runs.c.digest,
            runs.c.measured_at,
            runs.c.figures[ROW].label("own"),  # a quarter of what is stored
            runs.c.figures[("counts", "n_items")].as_integer().label("n_items"),
            subs.c.signer,
            subs.c.rung,
            subs.c.received_at,
        )
        .join(subs, subs.c.digest == runs.c.digest)
        .where(runs.c.configuration == configuration, subs.c.status == ACCEPTED)
    )
    kept = [
        KeptRun(
            one.digest,
            _again(connection, one.digest) if one.own is None else row_of_json(one.own),
            one.signer,
            one.rung,
            one.n_items,
            one.received_at,
            one.measured_at,
        )
        for one in connection.execute(asked).all()
        if one.digest != without
    ]
    connection.execute(delete(configurations).where(configurations.c.id == configuration))
    if not kept:
        return
    # the id is what the runs were filed under, whatever this version would file them under
    made = replace(row_of_runs(kept), id=configuration)
    candidate = None
    if made.why_not_ranked not in OTHERWISE_ASKED:
        shown = select(runs.c.candidate).where(runs.c.digest == made.stands_for)
        candidate = connection.execute(shown).scalar_one()
    connection.execute(insert(configurations).values(_columns(made, candidate, utc_now())))


def _again(connection: Connection, digest: str) -> BoardRow:
    """Return the own row of a run that was kept without it, from its bundle."""
    data = connection.execute(select(bundles.c.data).where(bundles.c.digest == digest)).scalar_one()
    again = verify(data)
    assert again.view is not None, "what was accepted verifies"
    assert again.summary is not None
    made = columns_of(again.view, again.summary, digest)
    connection.execute(update(runs).where(runs.c.digest == digest).values(figures=made.figures))
    return row_of_json(made.figures[ROW])


def _columns(row: BoardRow, candidate: Any, now: str) -> dict[str, Any]:
    headline = row.figures.get(HEADLINE)
    return {
        "id": row.id,
        "kind": row.kind,
        "row": row_to_json(row),
        "candidate": candidate,
        "n_runs": row.n_runs,
        "joules_per_correct": None if headline is None else headline.value,
        "updated_at": now,
    }

"""Recompute all runs from their bundles: after an upgrade whose figures are others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Engine, delete, select, update

from joulemark.board.database.stored_bundle import bundle_of
from joulemark.board.database.tables import run_marks, runs
from joulemark.board.database.writing import writing
from joulemark.board.intake.evidence import renew_rung
from joulemark.board.intake.examine import examined
from joulemark.board.intake.ingest import run_values, store_marks
from joulemark.board.standing.kept import rebuild
from joulemark.bundles.submission.refusal import NotABundle
from joulemark.bundles.submission.verify import verify

Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Recomputed:
    """How many runs were recomputed, those whose bundle gives no figures, and how many rows there are now."""

    n_runs: int
    unreadable: tuple[str, ...]
    n_rows: int


def recompute(engine: Engine, told: Told = lambda _at, _of: None) -> Recomputed:
    """Recompute every run from its bundle, then make all rows anew; what cannot be read stays as it was.

    All that is derived of a bundle is made anew: figures, facts, marks, candidate, rung.
    A bundle that states figures of another version is recomputed all the same: they are ours that count.
    ``told`` hears how many of how many are done. Readers see the old rows until the end.
    """
    with engine.connect() as connection:
        digests = connection.execute(select(runs.c.digest).order_by(runs.c.digest)).scalars().all()
    unreadable = []
    for place, digest in enumerate(digests, 1):
        if not _again(engine, digest):
            unreadable.append(digest)
        told(place, len(digests))
    n_rows = rebuild(engine)
    return Recomputed(len(digests) - len(unreadable), tuple(unreadable), n_rows)


def _again(engine: Engine, digest: str) -> bool:
    with engine.connect() as connection:
        data = bundle_of(connection, digest)
    if data is None:
        return False
    try:
        found = verify(data)
    except NotABundle:
        return False
    if found.view is None or found.summary is None:
        return False
    made = examined(found)
    with writing(engine) as connection:
        changed = update(runs).where(runs.c.digest == digest).values(**run_values(made))
        if connection.execute(changed).rowcount:  # it may have been withdrawn meanwhile
            connection.execute(delete(run_marks).where(run_marks.c.digest == digest))
            store_marks(connection, made)
            renew_rung(connection, digest)
    return True

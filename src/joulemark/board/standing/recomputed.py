"""Recompute all runs from their bundles: after an upgrade whose figures are others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Engine, select, update

from joulemark.board.database.tables import bundles, runs
from joulemark.board.database.writing import writing
from joulemark.board.standing.kept import rebuild
from joulemark.board.standing.run_columns import columns_of
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
        data = connection.execute(select(bundles.c.data).where(bundles.c.digest == digest)).scalar()
    if data is None:
        return False
    try:
        found = verify(bytes(data))
    except NotABundle:
        return False
    if found.view is None or found.summary is None:
        return False
    made = columns_of(found.view, found.summary, digest)
    with writing(engine) as connection:
        changed = update(runs).where(runs.c.digest == digest)
        connection.execute(
            changed.values(
                configuration=made.configuration,
                device=made.device,
                model=made.model,
                measured_at=made.measured_at,
                figures=made.figures,
                point=made.point,
            )
        )
    return True

"""After an upgrade all that is derived of a bundle is made anew; what cannot be read stays as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, delete, select, update

from doubles.boards import board
from doubles.standing_boards import bundles
from joulemark.board.database.tables import bundles as bundles_table
from joulemark.board.database.tables import configurations, run_marks, runs
from joulemark.board.database.writing import writing
from joulemark.board.intake.recomputed import recompute

OUTDATED: dict[str, Any] = {
    "configuration": "0" * 64,
    "model": "another",
    "facts": {"of": "an older version"},
    "figures": {"counts": {}},
    "candidate": {"of": "an older version"},
}


def derived(engine: Engine, digest: str | None = None) -> dict[str, Any]:
    """All that is stored of runs but their bundles, and the rows made of it without their time."""
    of_runs, of_marks = select(runs), select(run_marks)
    if digest is not None:
        of_runs = of_runs.where(runs.c.digest == digest)
        of_marks = of_marks.where(run_marks.c.digest == digest)
    with engine.connect() as connection:
        rows = connection.execute(select(configurations)).mappings().all()
        return {
            "runs": [dict(row) for row in connection.execute(of_runs.order_by(runs.c.digest)).mappings()],
            "marks": sorted((row.digest, row.mark) for row in connection.execute(of_marks)),
            "rows": {row["id"]: {k: v for k, v in row.items() if k != "updated_at"} for row in rows},
        }


def test_all_that_is_derived_is_made_anew(tmp_path: Path) -> None:
    with board(tmp_path, bundles()[:3]) as made:
        before = derived(made.engine)
        assert before["marks"]
        with writing(made.engine) as connection:
            connection.execute(update(runs).values(**OUTDATED))
            connection.execute(delete(run_marks))
        found = recompute(made.engine)
        assert (found.n_runs, found.unreadable, found.n_rows) == (3, (), 1)
        assert derived(made.engine) == before


def test_a_bundle_that_cannot_be_read_leaves_its_run_as_it_was(tmp_path: Path) -> None:
    with board(tmp_path, bundles()[:4]) as made:
        torn = made.digests[3]
        before = derived(made.engine, torn)
        with writing(made.engine) as connection:
            connection.execute(update(runs).where(runs.c.digest != torn).values(**OUTDATED))
            changed = update(bundles_table).where(bundles_table.c.digest == torn)
            connection.execute(changed.values(data=b"torn"))
        found = recompute(made.engine)
        assert (found.n_runs, found.unreadable) == (3, (torn,))
        assert derived(made.engine, torn) == before

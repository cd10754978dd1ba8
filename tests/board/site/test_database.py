"""A served board as files: what stands in its database, judged no second time."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update

from doubles.boards import board
from doubles.standing_boards import bundles
from joulemark.board.database.tables import submissions
from joulemark.board.database.writing import writing
from joulemark.board.site.build import build
from joulemark.board.standing.kept import drop_run
from joulemark.record.errors import InputError


def test_a_database_is_built_as_it_stands(tmp_path: Path) -> None:
    with board(tmp_path / "served", bundles()[:3]) as made:
        quarantined, withdrawn = made.digests[0], made.digests[1]
        with writing(made.engine) as connection:
            for digest, status in ((quarantined, "quarantined"), (withdrawn, "withdrawn")):
                row = submissions.c.digest == digest
                grounds = [{"code": "copy", "why": "It is a copy."}]
                connection.execute(update(submissions).where(row).values(status=status, grounds=grounds))
                drop_run(connection, digest)
        found = build(tmp_path / "board", [made.settings.database_url])
    assert found.collected.n_accepted == 1
    assert [one.status for one in found.collected.problems] == ["quarantined"]
    page = (found.folder / "runs" / f"{quarantined}.html").read_text()
    assert "in quarantine" in page
    assert "It is a copy." in page
    assert not (found.folder / "bundles" / f"{quarantined}.zip").exists(), "a server holds it back too"
    assert f"bundles/{quarantined}" not in page
    assert f"../api/v1/runs/{quarantined}.json" in page
    assert not (found.folder / "runs" / f"{withdrawn}.html").exists()
    assert not (found.folder / "bundles" / f"{withdrawn}.zip").exists()


def test_what_is_no_board_is_told(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "other.sqlite") as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(InputError, match="holds no board"):
        build(tmp_path / "board", [str(tmp_path / "other.sqlite")])
    with pytest.raises(InputError, match="is built alone"):
        build(tmp_path / "board", [str(tmp_path / "other.sqlite"), str(tmp_path)])

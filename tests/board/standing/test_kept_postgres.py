"""PostgreSQL keeps the same rows as SQLite, and loses none where several take in at once."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, select, update

from doubles.boards import board, publish
from doubles.private_postgres import Server
from doubles.standing_boards import bundles, published
from joulemark.board.database.tables import configurations, submissions
from joulemark.board.database.writing import writing
from joulemark.board.standing.kept import drop_run, keep_run, rebuild
from joulemark.board.standing.snapshot import snapshot


def stored(engine: Engine) -> dict[str, Any]:
    with engine.connect() as connection:
        found = connection.execute(select(configurations)).mappings().all()
    times = ("updated_at",)
    return {row["id"]: {k: v for k, v in row.items() if k not in times} for row in found}


def test_both_databases_keep_the_same(postgres_server: Server, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for url in (str(tmp_path / "board.sqlite"), postgres_server.database()):
        with board(tmp_path, bundles(), database_url=url) as made:
            publish(made.engine, published(5))
            kept = stored(made.engine)
            rebuild(made.engine)
            assert stored(made.engine) == kept
            rows.append(kept)
    assert rows[0] == rows[1]


def test_a_configuration_that_several_change_at_once_loses_no_run(
    postgres_server: Server, tmp_path: Path
) -> None:
    digests = [hashlib.sha256(data).hexdigest() for data in bundles()[:3]]
    with board(tmp_path, bundles()[:3], database_url=postgres_server.database()) as made:
        engine = made.engine

        def leaves_and_returns(digest: str) -> None:
            for status, change in (("withdrawn", drop_run), ("accepted", keep_run)) * 5:
                with writing(engine) as connection:
                    row = submissions.c.digest == digest
                    connection.execute(update(submissions).where(row).values(status=status))
                    change(connection, digest)

        threads = [threading.Thread(target=leaves_and_returns, args=(digest,)) for digest in digests]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        (row,) = snapshot(engine).rows
        assert set(row.runs) == set(digests)
        assert row.spreads["joules_per_correct_answer"].n == 3

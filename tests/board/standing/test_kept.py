"""Rows that are kept on ingest are those that a fresh count gives, and what leaves vanishes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select, update

from doubles.boards import board, publish
from doubles.standing_boards import ReadBoard, bundles, published
from joulemark.board.database.tables import board_state, configurations, published_rows, runs, submissions
from joulemark.board.database.version import bump
from joulemark.board.database.writing import writing
from joulemark.board.standing.kept import drop_run, keep_published, keep_run, rebuild
from joulemark.board.standing.run_columns import ROW
from joulemark.board.standing.snapshot import snapshot


def stored(engine: Engine) -> dict[str, dict[str, Any]]:
    """All rows of the leaderboard without the time at which they were made."""
    with engine.connect() as connection:
        found = connection.execute(select(configurations)).mappings().all()
    return {row["id"]: {k: v for k, v in row.items() if k != "updated_at"} for row in found}


def version(engine: Engine) -> int:
    with engine.connect() as connection:
        return connection.execute(select(board_state.c.version)).scalar_one()


def withdraw(engine: Engine, digest: str, status: str = "withdrawn") -> None:
    with writing(engine) as connection:
        connection.execute(update(submissions).where(submissions.c.digest == digest).values(status=status))
        drop_run(connection, digest)


def test_what_ingest_kept_is_what_a_fresh_count_gives(read: ReadBoard) -> None:
    before = stored(read.board.engine)
    assert len(before) == 4 + len(read.published)
    assert rebuild(read.board.engine) == len(before)
    assert stored(read.board.engine) == before


def test_runs_of_several_submitters_are_one_row(read: ReadBoard) -> None:
    (row,) = [one for one in snapshot(read.board.engine).rows if one.model == "org/small-1b"]
    assert (row.n_runs, row.n_signers) == (3, 3)
    assert row.spreads["joules_per_correct_answer"].n == 3
    assert set(row.runs) == set(read.board.digests[:3])


def test_a_withdrawn_run_vanishes_and_its_return_brings_it_back(tmp_path: Path) -> None:
    with board(tmp_path, bundles()[:4]) as made:
        engine, digests = made.engine, made.digests
        whole = stored(engine)
        withdraw(engine, digests[0])
        less = {row["n_runs"] for row in stored(engine).values()}
        assert less == {1, 2}
        withdraw(engine, digests[3], "quarantined")
        assert len(stored(engine)) == 1, "a configuration without an accepted run has no row"
        assert stored(engine) == _rebuilt(engine)
        with writing(engine) as connection:
            connection.execute(update(submissions).values(status="accepted"))
            for digest in digests:
                keep_run(connection, digest)
        assert stored(engine) == whole


def _rebuilt(engine: Engine) -> dict[str, dict[str, Any]]:
    rebuild(engine)
    return stored(engine)


def test_every_change_counts_the_version_up_and_an_undone_one_does_not(tmp_path: Path) -> None:
    with board(tmp_path, bundles()[:1]) as made:
        engine, at = made.engine, version(made.engine)
        withdraw(engine, made.digests[0])
        assert version(engine) > at
        at, before = version(engine), stored(engine)
        with pytest.raises(RuntimeError):
            _undone(engine, made.digests[0])
        assert (version(engine), stored(engine)) == (at, before)


def _undone(engine: Engine, digest: str) -> None:
    with writing(engine) as connection:
        connection.execute(update(submissions).values(status="accepted"))
        keep_run(connection, digest)
        raise RuntimeError


def test_a_published_row_comes_and_goes(tmp_path: Path) -> None:
    with board(tmp_path) as made:
        names = publish(made.engine, published(3))
        assert set(stored(made.engine)) == set(names)
        with writing(made.engine) as connection:
            connection.execute(published_rows.delete().where(published_rows.c.id == names[0]))
            keep_published(connection, names[0])
        assert set(stored(made.engine)) == set(names[1:])


def test_a_run_that_was_kept_without_its_row_gets_it_from_its_bundle(tmp_path: Path) -> None:
    with board(tmp_path, bundles()[:1]) as made:
        before = stored(made.engine)
        with writing(made.engine) as connection:
            figures = connection.execute(select(runs.c.figures)).scalar_one()
            bare = {name: part for name, part in figures.items() if name != ROW}
            connection.execute(update(runs).values(figures=bare))
        rebuild(made.engine)
        assert stored(made.engine) == before


def test_a_snapshot_is_read_once_a_version(tmp_path: Path) -> None:
    with board(tmp_path, bundles()[:4]) as made:
        first = snapshot(made.engine)
        assert snapshot(made.engine) is first
        assert len(first.rows) == 2
        kept = {row.id: row for row in first.rows}
        withdraw(made.engine, made.digests[0])
        second = snapshot(made.engine)
        assert second.version > first.version
        changed = [row for row in second.rows if row is not kept[row.id]]
        assert [row.n_runs for row in changed] == [2], "what did not change was not read again"


def test_readers_see_whole_versions_while_others_write(tmp_path: Path) -> None:
    with board(tmp_path, bundles()[:3]) as made:
        seen: set[int] = set()
        wrong: list[object] = []
        done = threading.Event()

        def reads() -> None:
            while not done.is_set():
                rows = snapshot(made.engine).rows
                seen.add(len(rows))
                wrong.extend(row for row in rows if len(row.runs) != row.n_runs)

        readers = [threading.Thread(target=reads) for _ in range(4)]
        for one in readers:
            one.start()
        for _ in range(5):
            for digest in made.digests:
                withdraw(made.engine, digest)
            with writing(made.engine) as connection:
                connection.execute(update(submissions).values(status="accepted"))
                keep_run(connection, made.digests[0])
        done.set()
        for one in readers:
            one.join()
        assert not wrong
        assert len(snapshot(made.engine).rows) == 1
        assert seen <= {0, 1}


def test_a_row_of_another_version_hides_no_other(tmp_path: Path) -> None:
    with board(tmp_path, bundles()[:4]) as made:
        ids = sorted(stored(made.engine))
        with writing(made.engine) as connection:
            for name, change in ((ids[0], {"id": "x"}), (ids[1], {"a_new_field": 1})):
                row = connection.execute(
                    select(configurations.c.row).where(configurations.c.id == name)
                ).scalar_one()
                document = change if "id" in change else {**row, **change}
                changed = update(configurations).where(configurations.c.id == name)
                connection.execute(changed.values(row=document, updated_at="another"))
            bump(connection)
        assert [row.id for row in snapshot(made.engine).rows] == [ids[1]]
        assert made.client.get("/").status_code == 200
        rebuild(made.engine)
        assert [row.id for row in snapshot(made.engine).rows] == ids

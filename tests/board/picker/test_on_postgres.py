"""The picker answers alike from PostgreSQL and from SQLite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from doubles import boards, priced_boards
from doubles.private_postgres import Server

ASKED = {"prompt_tokens": "300±50", "completion_tokens": "15", "by": "joules", "rung": "0"}


def answered(folder: Path, **settings: Any) -> dict[str, Any]:
    with boards.board(folder, priced_boards.bundles(2), **settings) as board:
        boards.publish(board.engine, [priced_boards.published()])
        found: dict[str, Any] = board.client.get("/api/v1/pick", params=ASKED).json()
        assert board.client.get("/pick", params=ASKED).status_code == 200
        return found


def test_both_databases_answer_alike(postgres_server: Server, tmp_path: Path) -> None:
    there = answered(priced_boards.folder(tmp_path / "there"), database_url=postgres_server.database())
    here = answered(priced_boards.folder(tmp_path / "here"))
    assert here["n_candidates"] == 3
    assert there == {**here, "version": there["version"]}

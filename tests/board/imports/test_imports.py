"""Rows that others published on a board, and what fills a new one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from doubles import boards, priced_boards
from doubles.published_files import text_file, text_row
from joulemark.board.imports.rows import row_id, take_rows
from joulemark.board.standing.snapshot import snapshot
from joulemark.bundles.kinds import import_file
from joulemark.cli.board import board as command
from joulemark.record.errors import InputError

H100 = "NVIDIA H100 80GB HBM3"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def answer(*arguments: object, code: int = 0) -> Any:
    done = run(*arguments, "--json")
    assert done.exit_code == code, (done.output, done.exception)
    return json.loads(done.stdout)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    csv = text_file(
        tmp_path / "llm_text_generation__chat.csv",
        text_row("org/llama-8b", H100, 60.0, 0.080, 128),
        text_row("org/llama-70b", H100, 300.0, 0.09, 64),
    )
    import_file("mlenergy", csv, tmp_path / "rows")
    return tmp_path / "rows"


def test_rows_are_taken_once(tmp_path: Path, rows: Path) -> None:
    database = tmp_path / "board.sqlite"
    assert answer("import", rows, "--database", database)["n_new"] == 2
    again = answer("import", rows, "--database", database)
    assert (again["n_new"], again["n_known"]) == (0, 2)
    with boards.board(tmp_path) as board:
        found = snapshot(board.engine).rows
        assert sorted(row.model for row in found) == ["org/llama-70b", "org/llama-8b"]
        assert {row.kind for row in found} == {"published"}
        assert {row.rung for row in found} == {0}
        picked = board.client.get(
            "/api/v1/pick", params={"prompt_tokens": "300", "completion_tokens": "100", "by": "joules"}
        ).json()
        assert [row["model"] for row in picked["tables"][0]["rows"]] == ["org/llama-8b", "org/llama-70b"]


def test_what_is_wrong_is_told_and_the_rest_is_taken(tmp_path: Path, rows: Path) -> None:
    (rows / "torn.published.json").write_text("{")
    found = answer("import", rows, "--database", tmp_path / "b.sqlite")
    assert found["n_new"] == 2
    assert "torn.published.json" in found["passed_over"][0]["path"]
    csv = tmp_path / "llm_text_generation__chat.csv"
    done = run("import", csv, "--database", tmp_path / "b.sqlite")
    assert done.exit_code == 1
    assert "joulemark import" in done.output
    assert isinstance(run("import", tmp_path / "nowhere").exception, InputError)


def test_a_row_that_cannot_be_is_shown_and_not_ranked(tmp_path: Path) -> None:
    with boards.board(tmp_path) as board:
        odd = priced_boards.published(energy_j=1e9, latency_s={"e2el_mean": 1.0}, mean_batch=1.0)
        taken = take_rows(board.engine, [odd, priced_boards.published()])
        assert taken.n_new == 2
        assert len(taken.implausible) == 1
        ranked = {row.id: row.is_ranked for row in snapshot(board.engine).rows}
        assert ranked == {row_id(odd): False, row_id(priced_boards.published()): True}


def test_an_id_is_the_rows_content() -> None:
    assert row_id(priced_boards.published()) == row_id(priced_boards.published())
    assert row_id(priced_boards.published()) != row_id(priced_boards.published(energy_j=61.0))


def test_a_new_board_is_seeded_with_bundles_and_rows(tmp_path: Path, rows: Path) -> None:
    for number in range(2):
        (rows / f"run{number}.zip").write_bytes(priced_boards.bundle(number))
    (rows / "no.zip").write_bytes(b"PK\x03\x04 no bundle")
    database = tmp_path / "board.sqlite"
    found = answer("seed", rows, "--database", database)
    assert found["bundles"] == {"accepted": 2}
    assert found["n_new"] == 2
    assert [Path(one["path"]).name for one in found["passed_over"]] == ["no.zip"]
    refused = run("seed", rows, "--database", database).exception
    assert isinstance(refused, InputError)
    assert "--more" in refused.fix
    again = answer("seed", rows, "--more", "--database", database)
    assert again["bundles"] == {"known": 2}
    assert isinstance(run("seed").exception, InputError)


def test_the_published_corpus_fills_a_board(tmp_path: Path, data_dir: Path) -> None:
    found = answer("seed", "--mlenergy", data_dir / "mlenergy", "--database", tmp_path / "board.sqlite")
    assert found["n_new"] > 300
    assert found["passed_over"] == []
    with boards.board(tmp_path) as board:
        page = board.client.get("/")
        assert page.status_code == 200
        picked = board.client.get(
            "/pick",
            params={"prompt_tokens": "300", "completion_tokens": "300", "by": "joules", "task": "chat"},
        )
        assert picked.status_code == 200
        assert "MODELLED" in picked.text

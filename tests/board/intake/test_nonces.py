"""A nonce of the board shows that a run's questions were not picked before; once, for its task, in time."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from doubles.boards import BoardDouble, board, key
from doubles.challenged_runs import quick_run
from doubles.hostile_bundles import WORDS
from joulemark.board.database.tables import nonces
from joulemark.board.database.times import utc_in
from joulemark.bundles.submission.pack import pack


@pytest.fixture
def where(boards: ExitStack, tmp_path: Path) -> BoardDouble:
    return boards.enter_context(board(tmp_path))


def _nonce(where: BoardDouble, task: str = "quick") -> str:
    answer = where.client.post("/api/v1/nonces", json={"task": task})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    assert found["command"] == f"joulemark bench run {task} --nonce {found['nonce']}"
    return str(found["nonce"])


def _sent(where: BoardDouble, root: Path, signer: int = 0) -> dict[str, Any]:
    answer = where.submit(pack(root, key=key(signer), words=WORDS).data)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_run_with_a_nonce_of_the_board_is_fresh_once(where: BoardDouble, tmp_path: Path) -> None:
    nonce = _nonce(where)
    assert _sent(where, quick_run(tmp_path / "one", nonce=nonce))["nonce_fresh"]
    assert not _sent(where, quick_run(tmp_path / "two", nonce=nonce, seed=9))["nonce_fresh"]


def test_a_nonce_that_nobody_made_or_of_another_task_or_too_old_is_none(
    where: BoardDouble, tmp_path: Path
) -> None:
    made_up, other, old = f"board-{'0' * 32}", _nonce(where, "svamp"), _nonce(where)
    with where.engine.begin() as connection:
        connection.execute(update(nonces).where(nonces.c.nonce == old).values(expires_at=utc_in(-1)))
    for number, nonce in enumerate((made_up, other, old, None)):
        run = quick_run(tmp_path / str(number), nonce=nonce, seed=number)
        assert not _sent(where, run, number)["nonce_fresh"]


def test_a_run_that_asked_other_questions_than_its_nonce_picks_is_not_fresh(
    where: BoardDouble, tmp_path: Path
) -> None:
    from joulemark.runs.layout import RunLayout

    nonce = _nonce(where)
    run = quick_run(tmp_path / "run")  # the order that everybody knows
    layout = RunLayout(run)
    manifest = layout.read_manifest()
    manifest.task.nonce = nonce
    layout.write_manifest(manifest)
    assert not _sent(where, run)["nonce_fresh"]


def test_another_nonce_leaves_as_a_hash(tmp_path: Path) -> None:
    nonce = "my-secret-word"
    packed = pack(quick_run(tmp_path / "run", nonce=nonce), key=key(0), words=WORDS)
    assert all(nonce.encode() not in data for data in packed.members.values())


@pytest.mark.parametrize(
    "given", [{}, {"task": "no-such"}, {"task": "<b>"}, {"task": 7}, {"task": "quick", "x": 1}, []]
)
def test_what_is_no_task_gets_none(where: BoardDouble, given: object) -> None:
    answer = where.client.post("/api/v1/nonces", json=given)
    assert answer.status_code == 422
    assert "<b>" not in answer.text

"""Forgeries that verify, over HTTP: each is accepted at the lowest rung or held back, as its case says."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from doubles.board_rows import counts
from doubles.board_runs import bundle_of, content_of
from doubles.boards import BoardDouble, board
from doubles.forgeries import ACCEPTED, Forgery, forgeries
from joulemark.board.database.tables import run_marks
from joulemark.board.database.writing import writing
from joulemark.bundles.submission.signing import SigningKey
from joulemark.bundles.submission.submitting import withdrawal

_PEERS = 7


class _Boards:
    """A board for each kind of company that a forgery is sent into; what was sent is withdrawn afterwards."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self._stack, self._folder = stack, folder
        self._made: dict[tuple[object, ...], BoardDouble] = {}

    def of(self, case: Forgery) -> BoardDouble:
        place = (case.rig, case.among_peers, case.beside_original)
        if place not in self._made:
            seeds = range(20, 20 + _PEERS) if case.among_peers else ()
            given = [bundle_of(content_of(case.rig, seed), SigningKey.new()) for seed in seeds]
            if case.beside_original:
                given.append(bundle_of(content_of(case.rig), SigningKey.new()))
            folder = self._folder / str(len(self._made))
            folder.mkdir()
            made = self._stack.enter_context(board(folder, given))
            assert all(_status(made, digest) == ACCEPTED for digest in made.digests)
            self._made[place] = made
        return self._made[place]


def _status(where: BoardDouble, digest: str) -> str:
    return str(where.client.get(f"/api/v1/submissions/{digest}").json()["status"])


@pytest.mark.slow
def test_each_ends_as_it_has_to(tmp_path: Path) -> None:
    with ExitStack() as stack:
        boards = _Boards(stack, tmp_path)
        for case in forgeries():
            where, key = boards.of(case), SigningKey.new()
            before = counts(where.engine)["runs"]
            answer = where.submit(bundle_of(case.content, key))
            found: dict[str, Any] = answer.json()
            told = f"{case.name}: {answer.status_code} {answer.text[:400]}"
            if case.expected == ACCEPTED:
                assert (answer.status_code, found["rung"]) == (201, 2), told
            else:
                assert answer.status_code == 202, told
                assert case.expected in [one["code"] for one in found["grounds"]], told
            headers = {"Content-Type": "application/json"}
            place = f"/api/v1/submissions/{found['digest']}/withdrawals"
            gone = where.client.post(place, content=withdrawal(found["digest"], key), headers=headers)
            assert gone.status_code == 200, gone.text
            with writing(where.engine) as connection:  # each is sent as the first of its kind
                connection.execute(delete(run_marks).where(run_marks.c.digest == found["digest"]))
            assert counts(where.engine)["runs"] == before

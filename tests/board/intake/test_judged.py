"""Whom a run is compared with: accepted runs of its model and device, a few of each signer."""

from __future__ import annotations

from doubles.boards import BoardDouble, bundle, key
from joulemark.board.intake.examine import examine
from joulemark.board.intake.examined import Examined
from joulemark.board.intake.judged import _MOST_OF_A_SIGNER, _copies, _peers


def _examined(data: bytes) -> Examined:
    found = examine(data)
    assert isinstance(found, Examined)
    return found


def test_who_submits_often_crowds_nobody_out(both: BoardDouble) -> None:
    both.submit(bundle(8, seed=1, signer=1).data)
    for seed in range(2, _MOST_OF_A_SIGNER + 5):
        both.submit(bundle(8, seed=seed, signer=0).data)
    both.submit(bundle(8, seed=90, signer=2, model="org/another").data)
    both.submit(bundle(8, seed=91, signer=3, watts=5.0).data)  # held back
    with both.engine.connect() as connection:
        peers = _peers(connection, _examined(bundle(8, seed=99, signer=4).data))
    signers = [one.signer for one in peers]
    assert signers.count(key(0).public) == _MOST_OF_A_SIGNER
    assert signers.count(key(1).public) == 1
    assert len(signers) == _MOST_OF_A_SIGNER + 1
    assert signers[0] == key(0).public  # the latest first


def test_copies_are_counted_by_the_marks_in_common(both: BoardDouble) -> None:
    mine = bundle(40, seed=1)
    both.submit(mine.data)
    both.submit(bundle(40, seed=2).data)
    with both.engine.connect() as connection:
        again = _copies(connection, _examined(mine.data))
        assert again[mine.digest] == 1.0
        other = _copies(connection, _examined(bundle(40, seed=3).data))
    assert max(other.values(), default=0.0) < 0.1

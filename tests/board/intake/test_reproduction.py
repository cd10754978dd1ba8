"""Two signers who come to the same, both challenged, reproduce each other; no longer when one goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from doubles.boards import MODERATOR_KEY, BoardDouble, key
from doubles.challenged_runs import quick_run
from doubles.hostile_bundles import WORDS
from joulemark.bundles.submission.opening import open_answers, openings
from joulemark.bundles.submission.pack import pack
from joulemark.bundles.submission.submitting import withdrawal
from joulemark.runs.commitment import commitment_key

JSON = {"Content-Type": "application/json"}


def _challenged(where: BoardDouble, root: Path, signer: int) -> str:
    """Submit a run and open what is asked for; returns its digest."""
    packed = pack(root, key=key(signer), words=WORDS)
    assert where.submit(packed.data).status_code == 201
    headers = {"Authorization": f"Bearer {MODERATOR_KEY}"}
    place = f"/api/v1/submissions/{packed.digest}/challenges"
    asked = where.client.post(place, json={"n": 5}, headers=headers).json()
    wanted = [(one["item_id"], one["repeat"]) for one in asked["asked"]]
    body = openings(asked["id"], packed.digest, open_answers(root, wanted, commitment_key()), key(signer))
    opened = where.client.post(f"/api/v1/challenges/{asked['id']}/openings", content=body, headers=JSON)
    assert opened.json()["state"] == "passed", opened.text
    return packed.digest


def _found(where: BoardDouble, digest: str) -> dict[str, Any]:
    found: dict[str, Any] = where.client.get(f"/api/v1/submissions/{digest}").json()
    return found


def test_two_signers_and_one_who_leaves(both: BoardDouble, tmp_path: Path) -> None:
    first = _challenged(both, quick_run(tmp_path / "a", seed=1), 0)
    mine_again = _challenged(both, quick_run(tmp_path / "b", seed=2), 0)
    assert _found(both, first)["reproduced_by"] is None  # oneself is no witness
    second = _challenged(both, quick_run(tmp_path / "c", seed=3), 1)
    assert _found(both, second)["reproduced_by"] in (first, mine_again)
    witness = _found(both, second)["reproduced_by"]
    assert _found(both, witness)["reproduced_by"] == second

    gone = withdrawal(second, key(1))
    left = both.client.post(f"/api/v1/submissions/{second}/withdrawals", content=gone, headers=JSON)
    assert left.status_code == 200
    assert _found(both, witness)["reproduced_by"] is None
    assert _found(both, second)["reproduced_by"] is None


def test_who_was_not_challenged_is_no_witness(both: BoardDouble, tmp_path: Path) -> None:
    first = _challenged(both, quick_run(tmp_path / "a", seed=1), 0)
    packed = pack(quick_run(tmp_path / "b", seed=2), key=key(1), words=WORDS)
    assert both.submit(packed.data).status_code == 201
    assert _found(both, first)["reproduced_by"] is None
    assert _found(both, packed.digest)["rung_title"] == "Recomputed"

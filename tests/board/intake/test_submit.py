"""A bundle is taken once, judged, shown and taken back; on SQLite and on PostgreSQL."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import select

from doubles.board_rows import counts
from doubles.boards import MODERATOR_KEY, BoardDouble, board, bundle, content, key
from doubles.hostile_bundles import WORDS
from joulemark.board.database.tables import configurations, submissions
from joulemark.bundles.submission.canonical import canonical
from joulemark.bundles.submission.pack import pack_content
from joulemark.bundles.submission.signing import SigningKey
from joulemark.bundles.submission.submitting import withdrawal
from joulemark.record.simulated import SIMULATED

ZIP = {"Content-Type": "application/zip"}
KEY = {"Authorization": f"Bearer {MODERATOR_KEY}"}


def _withdraw(where: BoardDouble, digest: str, signer: SigningKey) -> Any:
    return where.client.post(
        f"/api/v1/submissions/{digest}/withdrawals",
        content=withdrawal(digest, signer),
        headers={"Content-Type": "application/json"},
    )


def _rows(where: BoardDouble) -> list[dict[str, Any]]:
    with where.engine.connect() as connection:
        return list(connection.execute(select(configurations.c.row)).scalars())


def test_a_bundle_is_taken_and_stands_on_the_leaderboard(both: BoardDouble) -> None:
    packed = bundle()
    answer = both.submit(packed.data)
    assert answer.status_code == 201
    found = answer.json()
    assert (found["digest"], found["status"], found["rung"]) == (packed.digest, "accepted", 2)
    assert found["page"] == f"http://testserver/runs/{packed.digest}"
    assert found["grounds"] == []
    [row] = _rows(both)
    assert row["runs"] == [packed.digest]
    assert both.client.get(f"/api/v1/submissions/{packed.digest}/bundle").content == packed.data
    assert both.client.get(f"/submissions/{packed.digest}").status_code == 200
    [line] = both.client.get(f"/api/v1/audit?subject={packed.digest}").json()["lines"]
    assert (line["action"], line["actor"]) == ("submitted", key().public)


def test_the_same_bundle_again_is_the_same_submission(both: BoardDouble) -> None:
    packed = bundle()
    first = both.submit(packed.data).json()
    before = counts(both.engine)
    again = both.submit(packed.data)
    assert again.status_code == 200
    assert again.json() == {**first, "is_new": False}
    assert counts(both.engine) == before


def test_what_its_device_cannot_do_is_held_back_and_can_be_appealed(both: BoardDouble) -> None:
    packed = bundle(watts=5.0)
    answer = both.submit(packed.data)
    assert answer.status_code == 202
    found = answer.json()
    assert found["status"] == "quarantined"
    assert "above_limit" in [one["code"] for one in found["grounds"]]
    assert found["appeal"]
    assert _rows(both) == []
    assert both.client.get(f"/api/v1/submissions/{packed.digest}/bundle").status_code == 404
    appeals = f"/api/v1/submissions/{packed.digest}/appeals"
    lodged = both.client.post(appeals, json={"words": "It is overclocked under water"})
    assert lodged.status_code == 201
    decisions = f"/api/v1/appeals/{lodged.json()['id']}/decisions"
    given = {"grant": True, "note": "a photograph was shown"}
    assert both.client.post(decisions, json=given).status_code == 401
    assert both.client.post(decisions, json=given, headers=KEY).json()["state"] == "granted"
    assert both.client.post(decisions, json=given, headers=KEY).status_code == 409
    assert both.client.get(f"/api/v1/submissions/{packed.digest}").json()["status"] == "accepted"
    assert len(_rows(both)) == 1
    told = both.client.get("/api/v1/audit").text
    assert "a photograph was shown" in told  # a decision has its reason, for everybody
    assert "under water" not in told  # an appeal is for moderators
    assert "a photograph was shown" in both.client.get(f"/submissions/{packed.digest}").text


def test_a_copy_under_another_key_is_held_back(both: BoardDouble) -> None:
    mine = content()
    first, copy = (pack_content(mine, key(n), WORDS) for n in (0, 1))
    assert both.submit(first.data).status_code == 201
    answer = both.submit(copy.data)
    assert answer.status_code == 202
    [ground] = answer.json()["grounds"]
    assert ground["code"] == "duplicate_telemetry"
    assert first.digest in ground["why"]
    assert both.client.get(f"/api/v1/submissions/{first.digest}").json()["status"] == "accepted"


def test_only_the_signer_can_withdraw_and_nothing_is_left_but_that(both: BoardDouble) -> None:
    packed, other = bundle(), bundle(seed=6)
    both.submit(packed.data)
    both.submit(other.data)
    assert _withdraw(both, packed.digest, key(1)).status_code == 403
    forged = orjson.loads(withdrawal(packed.digest, key(0)))
    wrong = {**forged, "public_key": key(1).public}
    posted = both.client.post(f"/api/v1/submissions/{packed.digest}/withdrawals", json=wrong)
    assert posted.status_code == 403
    elsewhere = both.client.post(f"/api/v1/submissions/{other.digest}/withdrawals", json=forged)
    assert elsewhere.status_code == 409
    assert both.client.get(f"/api/v1/submissions/{packed.digest}").json()["status"] == "accepted"

    assert _withdraw(both, packed.digest, key(0)).json() == {"digest": packed.digest, "status": "withdrawn"}
    assert _withdraw(both, packed.digest, key(0)).status_code == 200  # sent twice: a kill between
    found = counts(both.engine)
    assert (found["submissions"], found["bundles"], found["runs"]) == (2, 1, 1)
    [row] = _rows(both)
    assert row["runs"] == [other.digest]
    assert both.client.get(f"/api/v1/submissions/{packed.digest}/bundle").status_code == 410
    assert both.client.get(f"/submissions/{packed.digest}").status_code == 200

    again = both.submit(packed.data)
    assert again.status_code == 410
    assert counts(both.engine) == found


def test_a_run_that_was_withdrawn_and_packed_anew_is_held_back(both: BoardDouble) -> None:
    mine = content()
    packed, again = (pack_content(mine, key(n), WORDS) for n in (0, 1))
    both.submit(packed.data)
    assert _withdraw(both, packed.digest, key(0)).status_code == 200
    answer = both.submit(again.data)
    assert answer.status_code == 202
    [ground] = answer.json()["grounds"]
    assert ground["code"] == "duplicate_telemetry"
    assert packed.digest in ground["why"]
    assert _rows(both) == []


def test_a_withdrawn_bundle_comes_back_by_an_appeal_of_its_signer_alone(both: BoardDouble) -> None:
    packed = bundle()
    both.submit(packed.data)
    _withdraw(both, packed.digest, key(0))
    place = f"/api/v1/submissions/{packed.digest}/appeals"
    assert both.client.post(place, json={"words": "give it back"}).status_code == 403
    statement = {"bundle": packed.digest, "format": "joulemark-appeal", "words": "I withdrew the wrong one"}
    for signer, expected in ((key(1), 403), (key(0), 201)):
        given = {
            "words": statement["words"],
            "public_key": signer.public,
            "signature": signer.sign("appeal", canonical(statement)),
        }
        lodged = both.client.post(place, json=given)
        assert lodged.status_code == expected
    decisions = f"/api/v1/appeals/{lodged.json()['id']}/decisions"
    both.client.post(decisions, json={"grant": True, "note": "as asked"}, headers=KEY)
    assert both.submit(packed.data).status_code == 201
    assert _withdraw(both, packed.digest, key(0)).status_code == 200


def test_an_accepted_run_is_audited_and_held_back_by_moderators_alone(both: BoardDouble) -> None:
    packed = bundle()
    both.submit(packed.data)
    place = f"/api/v1/submissions/{packed.digest}/decisions"
    for headers in ({}, {"Authorization": "Bearer no-such-key"}, {"Authorization": "Basic eDp5"}):
        assert (
            both.client.post(place, json={"decision": "audit", "note": "seen"}, headers=headers).status_code
            == 401
        )
    found = both.client.post(place, json={"decision": "audit", "note": "seen"}, headers=KEY).json()
    assert (found["rung"], found["rung_title"]) == (6, "Audited")
    [row] = _rows(both)
    assert row["rung"] == 6
    held = both.client.post(place, json={"decision": "quarantine", "note": "a doubt"}, headers=KEY).json()
    assert held["status"] == "quarantined"
    assert _rows(both) == []
    both.client.post(place, json={"decision": "accept", "note": "no doubt"}, headers=KEY)
    assert len(_rows(both)) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({**ZIP, "Idempotency-Key": "0" * 64}, 400),
        ({**ZIP, "Idempotency-Key": "<script>"}, 400),
        ({"Content-Type": "text/html"}, 415),
        ({**ZIP, "Authorization": "Bearer nobody"}, 401),
    ],
)
def test_a_request_that_contradicts_itself_stores_nothing(
    boards: ExitStack, tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    where = boards.enter_context(board(tmp_path))
    before = counts(where.engine)
    answer = where.client.post("/api/v1/submissions", content=bundle().data, headers=headers)
    assert answer.status_code == status
    assert "<script>" not in answer.text
    assert counts(where.engine) == before


def test_an_address_and_a_key_have_their_limits(boards: ExitStack, tmp_path: Path) -> None:
    where = boards.enter_context(board(tmp_path, submissions_per_hour=3, submissions_per_key_per_day=2))
    for seed in (1, 2):
        assert where.submit(bundle(seed=seed).data).status_code == 201
    of_key = where.submit(bundle(seed=3).data)
    assert of_key.status_code == 429
    assert int(of_key.headers["Retry-After"]) > 0
    of_address = where.submit(bundle(seed=4, signer=1).data)
    assert of_address.status_code == 429
    assert int(of_address.headers["Retry-After"]) > 0
    assert counts(where.engine)["submissions"] == 2
    assert where.submit(bundle(seed=1).data).status_code == 200  # what is known costs nothing


def test_a_submitters_key_lifts_the_limit_of_its_address(boards: ExitStack, tmp_path: Path) -> None:
    from joulemark.board.database.writing import writing
    from joulemark.board.intake.keys import new_key

    where = boards.enter_context(board(tmp_path, submissions_per_hour=1))
    with writing(where.engine) as connection:
        made = new_key(connection, "a laboratory", "submitter")
    headers = {**ZIP, "Authorization": f"Bearer {made}"}
    for seed in (1, 2, 3):
        sent = where.client.post("/api/v1/submissions", content=bundle(seed=seed).data, headers=headers)
        assert sent.status_code == 201
    place = f"/api/v1/submissions/{bundle(seed=1).digest}/decisions"
    refused = where.client.post(place, json={"decision": "audit", "note": "mine"}, headers=headers)
    assert refused.status_code == 403
    assert "a laboratory" not in where.client.get("/api/v1/audit").text


def test_the_stored_digest_is_that_of_the_bytes(boards: ExitStack, tmp_path: Path) -> None:
    packed = bundle()
    where = boards.enter_context(board(tmp_path, [packed.data]))
    with where.engine.connect() as connection:
        [digest] = connection.execute(select(submissions.c.digest)).scalars()
    assert digest == hashlib.sha256(packed.data).hexdigest()


def test_what_is_simulated_is_kept_apart_and_not_ranked(boards: ExitStack, tmp_path: Path) -> None:
    mine = content()
    mine.manifest.engine.kind = f"{SIMULATED}vllm"
    packed = pack_content(mine, key(0), WORDS)
    where = boards.enter_context(board(tmp_path))
    assert where.submit(packed.data).status_code == 201
    [row] = _rows(where)
    assert (row["kind"], row["is_ranked"]) == ("simulated", False)


def test_a_database_that_is_gone_is_told_and_tried_again(boards: ExitStack, tmp_path: Path) -> None:
    where = boards.enter_context(board(tmp_path))
    with where.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE submissions RENAME TO elsewhere")
    answer = where.submit(bundle().data)
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "elsewhere" not in answer.text
    with where.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO submissions")
    assert where.submit(bundle().data).status_code == 201

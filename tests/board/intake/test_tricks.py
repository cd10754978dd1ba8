"""Tricks: answers that nobody can ask for, draws that are sat out, revoked keys, what is fetched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from doubles.boards import MODERATOR_KEY, BoardDouble, bundle, content, key
from doubles.challenged_runs import quick_run
from doubles.hostile_bundles import WORDS
from joulemark.board.database.tables import access_keys
from joulemark.board.database.writing import writing
from joulemark.board.intake import judged
from joulemark.board.intake.examine import examine
from joulemark.board.intake.examined import Examined
from joulemark.board.intake.keys import new_key, revoke
from joulemark.bundles.submission.pack import pack, pack_content
from joulemark.record.item import ItemRow, Verdict
from joulemark.tasks import hub

MODERATES = {"Authorization": f"Bearer {MODERATOR_KEY}"}


def made_right(given: Sequence[ItemRow], **told: Any) -> list[ItemRow]:
    """Call every wrong answer right, and tell something else of it."""
    right = {"verdict": Verdict.CORRECT, "correct": True, "score": 1.0}
    return [
        one if one.item.correct else replace(one, item=replace(one.item, **right, **told)) for one in given
    ]


def without_commitment(given: Sequence[ItemRow]) -> list[ItemRow]:
    return made_right(given, answer_commitment=None)


def to_no_question(given: Sequence[ItemRow]) -> list[ItemRow]:
    changed = made_right(given)
    return [
        one if was.item.correct else replace(one, item=replace(one.item, item_id=f"quick-x{place}"))
        for place, (was, one) in enumerate(zip(given, changed, strict=True))
    ]


def failed_and_right(given: Sequence[ItemRow]) -> list[ItemRow]:
    """Answers that count as right, of requests that failed: what failed has no answer to open."""
    return [
        one
        if was.item.correct
        else replace(one, item=replace(one.item, attempts=(replace(one.item.attempts[0], error="timeout"),)))
        for was, one in zip(given, made_right(given), strict=True)
    ]


def challenged(where: BoardDouble, digest: str, n: int = 3) -> Any:
    place = f"/api/v1/submissions/{digest}/challenges"
    return where.client.post(place, json={"n": n}, headers=MODERATES)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("change", [without_commitment, to_no_question, failed_and_right])
def test_edited_verdicts_are_not_kept_out_of_a_draw(both: BoardDouble, tmp_path: Path, change: Any) -> None:
    packed = pack(quick_run(tmp_path / "run", change=change), key=key(0), words=WORDS)
    sent = both.submit(packed.data)
    if sent.status_code == 422:  # it does not even verify
        return
    answer = challenged(both, packed.digest)
    assert answer.status_code == 409, answer.text
    assert "cannot be asked for" in answer.json()["what"]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_draw_that_is_sat_out_comes_again(both: BoardDouble, tmp_path: Path) -> None:
    packed = pack(quick_run(tmp_path / "run"), key=key(0), words=WORDS)
    both.submit(packed.data)
    first, second = (
        {(one["item_id"], one["repeat"]) for one in challenged(both, packed.digest).json()["asked"]}
        for _ in range(2)
    )
    assert len(first) == 3
    assert first < second
    assert len(second) == 6


def test_a_session_ends_with_the_key_that_opened_it(both: BoardDouble) -> None:
    with writing(both.engine) as connection:
        made = new_key(connection, "Ada", "moderator")
        key_id = connection.execute(select(access_keys.c.id)).scalar_one()
    assert both.client.post("/moderation/login", data={"key": made}).status_code == 200
    page = both.client.get("/moderation").text
    found = re.search('name="csrf" value="([^"]+)"', page)
    assert found is not None
    digest = both.submit(bundle(16).data).json()["digest"]
    with writing(both.engine) as connection:
        assert revoke(connection, key_id)
    decision = {"csrf": found[1], "decision": "reject", "note": "no longer mine to say"}
    place = f"/moderation/submissions/{digest}/decisions"
    assert both.client.post(place, data=decision).status_code == 401
    assert both.client.get("/moderation/models").status_code == 401
    assert "Signed in" not in both.client.get("/moderation").text


def test_words_that_a_database_cannot_keep_are_refused(both: BoardDouble) -> None:
    digest = both.submit(bundle(16).data).json()["digest"]
    place, held = f"/api/v1/submissions/{digest}", {"decision": "quarantine", "note": "to look at it"}
    assert both.client.post(f"{place}/decisions", json=held, headers=MODERATES).status_code == 200
    assert both.client.post(f"{place}/appeals", json={"words": "a\0b, please"}).status_code == 422
    form = both.client.post(f"/submissions/{digest}/appeals", data={"words": "a\0b, please"})
    assert form.status_code == 422
    assert both.client.post(f"{place}/appeals", json={"words": "a\nb, please"}).status_code == 201


def test_nothing_is_fetched_because_a_bundle_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*given: Any, **told: Any) -> Any:
        raise AssertionError("a stranger's bundle had a data set fetched")

    monkeypatch.setattr(hub, "fetch", fetch)
    one = content(16)
    one.manifest.task = one.manifest.task.model_copy(
        update={
            "name": "gsm8k",
            "source": "built in",
            "nonce": "board-" + "0" * 32,
            "subset_key": "joulemark",
            "items_hash": "0" * 64,
        }
    )
    told = examine(pack_content(one, key(0), WORDS).data)
    assert isinstance(told, Examined)
    assert told.order == "unknown"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_handful_of_keys_crowds_nobody_out(both: BoardDouble, monkeypatch: pytest.MonkeyPatch) -> None:
    both.submit(bundle(8, seed=1, signer=1).data)
    for seed in range(2, 8):
        both.submit(bundle(8, seed=seed, signer=2 + seed % 2).data)
    monkeypatch.setattr(judged, "_MOST_PEERS", 3)
    mine = examine(bundle(8, seed=99, signer=9).data)
    assert isinstance(mine, Examined)
    with both.engine.connect() as connection:
        peers = judged._peers(connection, mine)
    assert {one.signer for one in peers} == {key(number).public for number in (1, 2, 3)}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_name_of_an_unknown_field_is_not_repeated(both: BoardDouble) -> None:
    name = "<script>a-stranger's-word</script>"
    asked = (
        both.client.post("/api/v1/nonces", json={"task": "quick", name: 1}),
        both.client.get("/api/v1/pick", params={"prompt_tokens": "100", name: "1"}),
    )
    for answer in asked:
        assert answer.status_code == 422
        assert "a field that is not known" in answer.json()["detail"]
        assert "stranger" not in answer.text

"""The whole circle with a real board: submit, be challenged, open; an edited verdict is caught."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest

from doubles.boards import MODERATOR_KEY, BoardDouble, board, served
from doubles.challenged_runs import quick_run
from joulemark.bundles.submission.spool import Spool
from joulemark.cli.__main__ import main
from joulemark.record.item import ItemRow, Verdict
from joulemark.runs.commitment import answer_key, commit, commitment_key, committed
from joulemark.runs.journal import ItemJournal, read_items
from joulemark.runs.layout import RunLayout

Say = Callable[..., SimpleNamespace]
N = 12


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))
    monkeypatch.delenv("JOULEMARK_BOARD", raising=False)


@pytest.fixture
def where(tmp_path: Path) -> Iterator[BoardDouble]:
    with board(tmp_path) as made:
        yield made


@pytest.fixture
def url(where: BoardDouble) -> Iterator[str]:
    with served(where) as address:
        yield address


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    def give(*arguments: object) -> SimpleNamespace:
        code = 0
        try:
            main([str(one) for one in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        return SimpleNamespace(code=code, out=told.out, err=told.err)

    return give


def _edited(root: Path) -> Path:
    """Have every wrong answer say that it was right, as its figures then do."""
    layout = RunLayout(root)
    rows, _ = read_items(layout.items_journal)
    right = {"verdict": Verdict.CORRECT, "correct": True, "score": 1.0}
    layout.items_journal.unlink()
    journal = ItemJournal(layout.items_journal)
    journal.extend(ItemRow(replace(row.item, **right), row.chunks, row.texts) for row in rows)
    journal.close()
    return root


def _challenged(where: BoardDouble, digest: str, n: int = N) -> dict[str, object]:
    headers = {"Authorization": f"Bearer {MODERATOR_KEY}"}
    answer = where.client.post(f"/api/v1/submissions/{digest}/challenges", json={"n": n}, headers=headers)
    assert answer.status_code == 201, answer.text
    found: dict[str, object] = answer.json()
    return found


def _submit(say: Say, run: Path, url: str) -> str:
    told = say("bench", "submit", run, "--server", url, "--agree", "--json")
    assert told.code == 0, told.err
    [delivered] = json.loads(told.out)["delivered"]
    assert delivered["state"] == "sent"
    digest: str = delivered["digest"]
    return digest


def test_an_honest_run_passes_its_challenge(say: Say, where: BoardDouble, url: str, tmp_path: Path) -> None:
    run = quick_run(tmp_path / "run", 16)
    digest = _submit(say, run, url)
    challenge = _challenged(where, digest)
    assert len(challenge["asked"]) == N  # type: ignore[arg-type]
    address = f"{url}/api/v1/challenges/{challenge['id']}"

    shown = say("bench", "open", address)
    assert shown.code == 0
    assert "The answer is" in shown.out
    assert "nothing was sent" in shown.out
    assert where.client.get(f"/api/v1/challenges/{challenge['id']}").json()["state"] == "open"

    sent = say("bench", "open", challenge["id"], "--server", url, "--yes", "--json")
    assert sent.code == 0, sent.err
    assert json.loads(sent.out)["result"]["state"] == "passed"
    found = where.client.get(f"/api/v1/submissions/{digest}").json()
    assert found["status"] == "accepted"
    assert found["rung_title"] == "Metered"  # challenged, and a plug stood beside it
    assert "The answer is" not in where.client.get(f"/submissions/{digest}").text
    with where.engine.connect() as connection:
        everything = "".join(
            str(row)
            for table in ("challenges", "audit_log", "submissions")
            for row in connection.exec_driver_sql(f"SELECT * FROM {table}")
        )
    assert "The answer is" not in everything

    again = say("bench", "open", address, "--yes")
    assert again.code == 2
    assert "passed" in again.err


def test_edited_verdicts_are_caught(say: Say, where: BoardDouble, url: str, tmp_path: Path) -> None:
    run = _edited(quick_run(tmp_path / "run", 16))
    digest = _submit(say, run, url)
    assert where.client.get(f"/api/v1/submissions/{digest}").json()["status"] == "accepted"
    challenge = _challenged(where, digest, 16)
    told = say("bench", "open", f"{url}/api/v1/challenges/{challenge['id']}", "--yes")
    assert told.code == 3, told.err
    assert "failed" in told.out
    found = where.client.get(f"/api/v1/submissions/{digest}").json()
    assert found["status"] == "quarantined"
    assert "edited_verdict" in [one["code"] for one in found["grounds"]]
    assert where.client.get("/api/v1/leaderboard").json()["rows"] == []


def test_an_answer_made_up_afterwards_does_not_open(
    say: Say, where: BoardDouble, url: str, tmp_path: Path
) -> None:
    run = _edited(quick_run(tmp_path / "run", 16))
    digest = _submit(say, run, url)
    layout = RunLayout(run)
    rows, _ = read_items(layout.items_journal)
    layout.items_journal.unlink()
    journal = ItemJournal(layout.items_journal)
    for row in rows:
        assert row.texts is not None
        journal.extend([ItemRow(row.item, row.chunks, replace(row.texts, answer=row.texts.gold or ""))])
    journal.close()
    challenge = _challenged(where, digest, 16)
    told = say("bench", "open", f"{url}/api/v1/challenges/{challenge['id']}", "--yes")
    assert told.code == 2  # seen here already, before anything leaves
    assert "cannot be opened" in told.err

    from joulemark.bundles.submission.opening import OpenAnswer, openings
    from joulemark.bundles.submission.signing import SigningKey, load_key

    gold = {row.item.item_id: (row.texts.gold or "") if row.texts else "" for row in rows}
    made_up = [
        OpenAnswer(
            one["item_id"],
            one["repeat"],
            answer_key(commitment_key(), one["item_id"], one["repeat"]).hex(),
            gold[one["item_id"]],
        )
        for one in challenge["asked"]  # type: ignore[attr-defined]
    ]
    place = f"/api/v1/challenges/{challenge['id']}/openings"
    posted = {"Content-Type": "application/json"}
    stranger = openings(str(challenge["id"]), digest, made_up, SigningKey.new())
    assert where.client.post(place, content=stranger, headers=posted).status_code == 403
    fewer = openings(str(challenge["id"]), digest, made_up[:3], load_key())
    assert where.client.post(place, content=fewer, headers=posted).status_code == 422
    assert where.client.get(f"/api/v1/submissions/{digest}").json()["status"] == "accepted"
    whole = openings(str(challenge["id"]), digest, made_up, load_key())
    changed = orjson.loads(whole)
    changed["answers"][0]["answer"] = "4"
    assert where.client.post(place, json=changed).status_code == 403
    assert where.client.post(place, content=whole, headers=posted).json()["state"] == "failed"
    found = where.client.get(f"/api/v1/submissions/{digest}").json()
    assert "another_answer" in [one["code"] for one in found["grounds"]]


def test_a_run_that_was_moved_is_named(say: Say, where: BoardDouble, url: str, tmp_path: Path) -> None:
    run = quick_run(tmp_path / "run", 8)
    challenge = _challenged(where, _submit(say, run, url), 3)
    moved = run.rename(tmp_path / "elsewhere")
    told = say("bench", "open", challenge["id"], "--server", url, "--yes")
    assert told.code == 2
    assert "--run" in told.err
    assert say("bench", "open", challenge["id"], "--server", url, "--run", moved, "--yes").code == 0


@pytest.mark.parametrize("text", ["", "x", "0" * 31, "ftp://b/api/v1/challenges/" + "0" * 32])
def test_what_is_no_challenge_is_told(say: Say, text: str) -> None:
    told = say("bench", "open", text)
    assert told.code == 2
    assert "challenge" in told.err


def test_no_board_and_no_such_challenge(say: Say, url: str) -> None:
    assert "no board is known" in say("bench", "open", "0" * 32).err
    told = say("bench", "open", "0" * 32, "--server", url)
    assert told.code == 2
    assert "404" in told.err
    assert Spool().records() == []


def test_opening_one_answer_tells_nothing_of_another() -> None:
    key = b"k" * 32
    one = answer_key(key, "text-1", 0)
    assert committed(one, "Canberra") == commit(key, "text-1", 0, "Canberra")
    assert commit(key, "text-1", 1, "Canberra") != commit(key, "text-1", 0, "Canberra")
    assert committed(one, "Paris") != commit(key, "text-2", 0, "Paris")
    assert answer_key(key, "a\0" + "1", 0) != answer_key(key, "a", 10)

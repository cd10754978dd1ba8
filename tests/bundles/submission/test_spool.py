"""What is on its way survives everything: no board, a refusal, a kill between any two steps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from doubles.board_server import Board, serving
from joulemark.bundles.submission import signing
from joulemark.bundles.submission.canonical import canonical, parse
from joulemark.bundles.submission.server import address_of
from joulemark.bundles.submission.signing import SigningKey, is_signed, key_path, load_key
from joulemark.bundles.submission.spool import Spool
from joulemark.bundles.submission.submitting import deliver, withdrawal
from joulemark.record.errors import InputError

NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    """An empty one."""
    return Spool(tmp_path / "submissions")


@pytest.fixture
def board() -> Iterator[Board]:
    """A board that takes everything."""
    with serving() as made:
        yield made


def test_a_bundle_waits_until_the_board_has_it(spool: Spool, board: Board) -> None:
    digest = spool.put(b"bundle one", {"run_id": "aa"})
    assert [one.answer.state for one in deliver(spool, NOWHERE)] == ["away"]
    assert [one.digest for one in spool.waiting()] == [digest]
    board.reply = {"id": "s-1"}
    assert [one.answer.state for one in deliver(spool, board.url)] == ["sent"]
    assert spool.waiting() == []
    assert board.bundles() == [digest]
    path, headers, _ = board.received[0]
    assert path == "/api/v1/submissions"
    assert headers["Idempotency-Key"] == digest
    (record,) = spool.of("aa")
    assert record["submission"]["state"] == "sent"
    assert record["submission"]["answer"] == {"id": "s-1"}
    assert spool.of(digest[:8]) == [record]


@pytest.mark.parametrize("status", [500, 503, 429, 401, 404, 301])
def test_what_may_succeed_later_is_kept(spool: Spool, board: Board, status: int) -> None:
    board.status, board.headers = status, {"Location": "http://127.0.0.1:9/elsewhere"}
    digest = spool.put(b"bundle", {})
    (one,) = deliver(spool, board.url)
    assert one.answer.state == "away"
    assert str(status) in one.answer.why
    assert [waiting.digest for waiting in spool.waiting()] == [digest]
    assert len(board.received) == 1  # a redirect is not followed


@pytest.mark.parametrize("status", [400, 409, 413, 422])
def test_a_refusal_is_told_and_the_bundle_kept_aside(spool: Spool, board: Board, status: int) -> None:
    board.status, board.reply = status, {"detail": "forged\x1b[31m figures"}
    digest = spool.put(b"bundle", {})
    (one,) = deliver(spool, board.url)
    assert one.answer.state == "refused"
    assert "forged[31m figures" in one.answer.why
    assert spool.waiting() == []
    assert (spool.root / "records" / f"{digest}.joulemark.zip").read_bytes() == b"bundle"


def test_the_oldest_goes_first_and_withdrawals_last(spool: Spool, board: Board) -> None:
    first = spool.put(b"1", {})
    spool.put_withdrawal(first, b"{}")
    os.utime(spool.waiting()[0].path, ns=(1, 1))
    second = spool.put(b"2", {})
    assert [one.message.digest for one in deliver(spool, board.url)] == [first, second, first]
    assert board.received[2][0] == f"/api/v1/submissions/{first}/withdrawals"


def test_drafts_and_strangers_in_the_folder_are_not_sent(spool: Spool, board: Board) -> None:
    spool.put(b"1", {})
    (spool.root / "waiting" / ".half").write_bytes(b"x")
    (spool.root / "waiting" / "notes.txt").write_bytes(b"x")
    assert len(list(deliver(spool, board.url))) == 1


def test_the_same_bundle_waits_once(spool: Spool) -> None:
    assert spool.put(b"1", {"run_id": "a"}) == spool.put(b"1", {"run_id": "a"})
    assert len(spool.waiting()) == 1


def test_a_damaged_record_is_no_crash(spool: Spool, board: Board) -> None:
    digest = spool.put(b"1", {})
    (spool.root / "records" / f"{digest}.json").write_bytes(b"\xff")
    assert [one.answer.state for one in deliver(spool, board.url)] == ["sent"]


_KILLED = """
import os, sys
from pathlib import Path
from joulemark.bundles.submission.spool import Spool
root, step = Path(sys.argv[1]), int(sys.argv[2])
real, seen = os.fsync, [0]
def fsync(descriptor):
    seen[0] += 1
    if seen[0] == step:
        os.kill(os.getpid(), 9)
    real(descriptor)
os.fsync = fsync
spool = Spool(root)
digest = spool.put(b"bundle", {"run_id": "aa"})
print("kept", flush=True)
spool.done(spool.waiting()[0], "sent", {})
print("done", flush=True)
"""


def test_a_kill_at_any_step_loses_nothing(tmp_path: Path) -> None:
    """Killed at each write to the disk in turn; once `put` has returned, the bundle is there or was sent."""
    ended = False
    for step in range(1, 30):
        root = tmp_path / f"at-{step}"
        told = subprocess.run(
            [sys.executable, "-c", _KILLED, str(root), str(step)], capture_output=True, text=True, check=False
        )
        spool = Spool(root)
        waiting = [one.read() for one in spool.waiting()]
        assert all(body == b"bundle" for body in waiting)
        sent = any("submission" in record for record in spool.records())
        if "kept" in told.stdout:
            assert waiting or sent
        if told.returncode == 0:
            ended = True
            break
        assert told.returncode == -signal.SIGKILL
        assert spool.put(b"bundle", {"run_id": "aa"})  # and the next command goes on
    assert ended


def test_only_its_signer_withdraws_a_bundle(key: SigningKey) -> None:
    statement = parse(withdrawal("ab" * 32, key))
    signature, public = statement.pop("signature"), statement.pop("public_key")
    assert is_signed("withdrawal", canonical(statement), public, signature)
    assert not is_signed("bundle", canonical(statement), public, signature)
    assert not is_signed("withdrawal", canonical(statement), SigningKey.new().public, signature)


def test_the_key_is_made_once_and_is_the_users_alone() -> None:
    first = load_key()
    assert load_key().public == first.public
    assert key_path().stat().st_mode & 0o777 == 0o600
    assert first.public not in repr(first)


def test_a_key_that_others_could_have_written_is_not_used() -> None:
    load_key()
    key_path().chmod(0o666)
    with pytest.raises(InputError, match="cannot be used"):
        load_key()


def test_a_damaged_key_is_told() -> None:
    load_key()
    key_path().write_bytes(b"short")
    with pytest.raises(InputError, match="damaged"):
        load_key()


def test_a_fingerprint_is_for_people(key: SigningKey) -> None:
    assert len(signing.fingerprint(key.public).split()) == 4


_NONE = [
    "board.example.org",
    "ftp://x",
    "https://",
    "https://a:b@c",
    "https://c/?q",
    "//",
    "http://[",
    "http://a:b",
]


@pytest.mark.parametrize("text", _NONE)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="no address"):
        address_of(text, None)


def test_the_address_given_comes_before_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    assert address_of(None, None) is None
    assert address_of(None, "https://file/") == "https://file"
    monkeypatch.setenv("JOULEMARK_BOARD", "https://environment")
    assert address_of(None, "https://file") == "https://environment"
    assert address_of("https://given", "https://file") == "https://given"


def test_records_are_json_that_people_can_read(spool: Spool) -> None:
    digest = spool.put(b"1", {"run_id": "a"})
    record = spool.root / "records" / f"{digest}.json"
    assert orjson.loads(record.read_bytes()) == {"digest": digest, "run_id": "a"}

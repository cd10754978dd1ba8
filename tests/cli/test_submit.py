"""``bench opt-in|opt-out|submit|withdraw`` and ``verify``, as a user gives them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from doubles.board_server import Board, serving
from doubles.submitted_runs import SECRET, metered_run
from joulemark.bundles.submission.consent import TEXT, consent_path, read_consent
from joulemark.bundles.submission.spool import Spool
from joulemark.cli.__main__ import main
from joulemark.cli.submit import after_run
from joulemark.runs.view import summary_of

NOWHERE = "http://127.0.0.1:9"
Say = Callable[..., SimpleNamespace]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a board and a plug."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("home")))
        return metered_run(tmp_path_factory.mktemp("run") / "run", 12)


@pytest.fixture(autouse=True)
def no_board_of_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JOULEMARK_BOARD", raising=False)


@pytest.fixture
def board() -> Iterator[Board]:
    with serving() as made:
        yield made


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Give a command, and return its code and what it printed."""

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


def test_nothing_is_sent_without_consent(say: Say, run: Path, board: Board) -> None:
    told = say("bench", "submit", run, "--server", board.url)
    assert told.code == 2
    assert "bench opt-in" in told.err
    assert board.received == []
    assert Spool().waiting() == []


def test_opting_in_shows_the_text_and_is_kept(say: Say) -> None:
    assert say("bench", "opt-in", "--show").out.startswith(TEXT)
    assert not consent_path().exists()
    told = say("bench", "opt-in", "--server", f"{NOWHERE}/")
    assert TEXT in told.out
    assert "CC BY 4.0" in told.out
    assert read_consent().holds
    assert read_consent().server == NOWHERE
    assert json.loads(say("bench", "opt-in", "--show", "--json").out)["opted_in"] is True
    assert "withdraw" not in say("bench", "opt-out").out  # nothing was sent yet
    assert not read_consent().holds
    assert json.loads(say("bench", "opt-out", "--json").out)["opted_in"] is False


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b'{"given_utc":5,"version":1}', b"\xff"])
def test_a_damaged_consent_is_none(data: bytes) -> None:
    consent_path().parent.mkdir(parents=True)
    consent_path().write_bytes(data)
    assert not read_consent().holds


def test_submit_verify_withdraw(say: Say, run: Path, board: Board, tmp_path: Path) -> None:
    say("bench", "opt-in", "--server", board.url)
    told = json.loads(say("bench", "submit", run, "--json").out)
    assert [one["state"] for one in told["delivered"]] == ["sent"]
    assert told["waiting"] == []
    assert board.bundles() == [told["digest"]]
    sent = tmp_path / "sent.zip"
    sent.write_bytes(board.received[0][2])
    assert say("verify", sent).code == 0
    assert "takes a run back" in say("bench", "opt-out").out

    withdrawn = say("bench", "withdraw", run, "--json")
    assert withdrawn.code == 0
    path, _, body = board.received[1]
    assert path == f"/api/v1/submissions/{told['digest']}/withdrawals"
    assert json.loads(body)["bundle"] == told["digest"]
    assert say("bench", "withdraw", "ffffffffffff").code == 2


def test_offline_it_waits_and_the_next_submission_sends_it(say: Say, run: Path, board: Board) -> None:
    board.status = 503
    say("bench", "opt-in", "--server", board.url)
    told = say("bench", "submit", run)
    assert told.code == 0
    assert "1 waiting" in told.out
    board.status = 202
    assert say("bench", "submit").code == 0
    assert len(board.bundles()) == 2
    assert Spool().waiting() == []
    assert "nothing waits" in say("bench", "submit").out


def test_what_is_meant_for_one_board_goes_to_no_other(say: Say, run: Path, board: Board) -> None:
    say("bench", "opt-in", "--server", board.url)
    assert (
        f"1 waiting in {Spool().root} for {NOWHERE}" in say("bench", "submit", run, "--server", NOWHERE).out
    )
    with serving() as third:
        for arguments in ((), ("--server", board.url), ("--server", third.url)):
            told = say("bench", "submit", *arguments)
            assert NOWHERE in told.out
        assert third.received == []
    assert board.bundles() == []
    told = json.loads(say("bench", "submit", "--json").out)
    assert [(one["board"], one["state"]) for one in told["delivered"]] == [(NOWHERE, "away")]
    assert [one["board"] for one in told["waiting"]] == [NOWHERE]
    assert say("bench", "submit", run).code == 0  # named anew, it goes where that says
    assert len(board.bundles()) == 1
    assert Spool().waiting() == []


def test_what_was_never_sent_is_withdrawn_from_no_board(say: Say, run: Path, board: Board) -> None:
    say("bench", "submit", run, "--agree", "--server", NOWHERE)
    for _ in range(2):
        told = say("bench", "withdraw", run, "--server", board.url)
        assert "it had not been sent" in told.out
    assert board.received == []
    assert Spool().waiting() == []


def test_a_withdrawal_goes_to_the_board_that_has_the_run(say: Say, run: Path, board: Board) -> None:
    say("bench", "submit", run, "--agree", "--server", board.url)
    with serving() as other:
        say("bench", "opt-in", "--server", other.url)
        assert say("bench", "withdraw", run).code == 0
        assert other.received == []
    assert board.received[-1][0].endswith("/withdrawals")
    assert Spool().waiting() == []


def test_opting_in_names_the_board_and_the_one_before_and_says_whether_it_answers(
    say: Say, run: Path, board: Board
) -> None:
    told = say("bench", "opt-in", "--server", NOWHERE)
    assert told.code == 0
    assert f"runs go to {NOWHERE}\n" in told.out
    assert f"{NOWHERE} does not answer now (" in told.out
    say("bench", "submit", run)
    board.reply = {"lines": []}
    told = say("bench", "opt-in", "--server", board.url)
    assert f"runs go to {board.url}; before, they went to {NOWHERE}" in told.out
    assert f"1 still wait for {NOWHERE}" in told.out
    assert f"{board.url} answers" in told.out
    assert json.loads(say("bench", "opt-in", "--json").out)["board_answers"] is True
    board.reply = {"hello": "world"}
    assert "there is no board" in say("bench", "opt-in").out
    assert "answers there" not in say("bench", "opt-in", "--show").out  # it asks nobody
    assert consent_path().exists()


def test_a_preview_in_a_terminal_is_a_summary(say: Say, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.cli.submit._is_terminal", lambda: True)
    told = say("bench", "submit", run, "--preview")
    assert len(told.out.splitlines()) < 30
    assert "bundle.json" in told.out
    assert "left out: questions and answers" in told.out
    assert f"joulemark bench submit {run} --preview | less" in told.out
    assert json.loads(say("bench", "submit", run, "--preview", "--json").out)


def test_a_refusal_is_exit_code_3(say: Say, run: Path, board: Board) -> None:
    board.status, board.reply = 422, {"detail": "the telemetry was submitted before"}
    told = say("bench", "submit", run, "--agree", "--server", board.url)
    assert told.code == 3
    assert "submitted before" in told.out


def test_the_preview_is_what_is_sent(say: Say, run: Path, board: Board) -> None:
    told = say("bench", "submit", run, "--preview")
    assert told.code == 0
    assert SECRET not in told.out
    shown = json.loads(say("bench", "submit", run, "--preview", "--json").out)
    assert board.received == []
    assert Spool().waiting() == []
    say("bench", "submit", run, "--agree", "--server", board.url)
    with zipfile.ZipFile(io.BytesIO(board.received[0][2])) as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == shown
    for text in shown.values():
        assert text.rstrip("\n") in told.out


def test_a_file_is_written_verified_and_sent(say: Say, run: Path, board: Board, tmp_path: Path) -> None:
    out = tmp_path / "bundle.zip"
    assert say("bench", "submit", run, "--out", out).code == 0
    told = say("verify", out)
    assert told.code == 0
    assert "VERIFIED" in told.out
    assert "proves where a bundle comes from, not that" in told.out
    assert say("bench", "submit", out, "--agree", "--server", board.url).code == 0
    assert board.received[0][2] == out.read_bytes()


def test_verify_prints_every_figure_unrounded(say: Say, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "bundle.zip"
    say("bench", "submit", run, "--out", out)
    told = json.loads(say("verify", out, "--json").out)
    assert told["verified"] is True
    assert set(told["checks"].values()) == {"passed"}
    assert told["measurement_tier"] == "B"
    _, summary = summary_of(run)
    for name, value in summary.figures.items():
        assert told["recomputed"]["figures"][name]["value"] == value.value, name
    assert say("verify", out, "--key", told["public_key"]).code == 0
    assert say("verify", out, "--key", "00" * 32).code == 3


def test_what_does_not_verify_is_not_sent(say: Say, run: Path, board: Board, tmp_path: Path) -> None:
    out = tmp_path / "bundle.zip"
    say("bench", "submit", run, "--out", out)
    with zipfile.ZipFile(out) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["figures.json"] = members["figures.json"].replace(b'"duration_s":', b'"duration_s":1')
    from joulemark.bundles.submission.archive import write_archive

    out.write_bytes(write_archive(members))
    told = say("verify", out)
    assert told.code == 3
    assert "DOES NOT VERIFY" in told.out
    assert say("bench", "submit", out, "--agree", "--server", board.url).code == 3
    assert board.received == []


@pytest.mark.parametrize("what", ["missing", "folder", "text"])
def test_what_is_no_bundle_is_exit_code_2(say: Say, tmp_path: Path, what: str) -> None:
    path = tmp_path / what
    if what == "folder":
        path.mkdir()
    elif what == "text":
        path.write_text("hello")
    told = say("verify", path)
    assert told.code == 2
    assert told.err.startswith("error: ")
    assert "fix: " in told.err


def test_a_run_submits_itself_only_after_opting_in(
    say: Say, run: Path, board: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    _, summary = summary_of(run)
    after_run(run, summary)
    assert f"joulemark bench submit {run}" in capsys.readouterr().err
    assert board.received == []
    say("bench", "opt-in", "--server", board.url)
    after_run(run, summary)
    told = capsys.readouterr()
    assert told.out == ""  # the output may be a JSON document
    assert "arrived" in told.err
    assert len(board.bundles()) == 1


def test_a_submission_that_fails_never_fails_the_run(
    say: Say, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    say("bench", "opt-in", "--server", "http://127.0.0.1:9")
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    monkeypatch.setenv("XDG_DATA_HOME", str(blocked))
    _, summary = summary_of(run)
    after_run(run, summary)
    assert "not submitted" in capsys.readouterr().err

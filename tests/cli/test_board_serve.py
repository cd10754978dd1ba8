"""``joulemark board serve`` and ``board keys`` as a user gives them: a real process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import joulemark.cli.board_extra as extra
from joulemark.cli.__main__ import main
from joulemark.cli.board_database import named, opened

COMMAND = [sys.executable, "-m", "joulemark.cli"]


def _environment(folder: Path) -> dict[str, str]:
    homes = {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    return {**os.environ, **homes}


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, object]]]:
    """Start a board; yields its process and what it said of itself."""
    command = [*COMMAND, "board", "serve", "--port", "0", "--json", *arguments]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, process.stderr.read() if process.stderr else ""
            yield process, json.loads(line)
        finally:
            process.kill()


def _give(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=_environment(folder),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_ends_when_told_to(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as (process, told):
        with urllib.request.urlopen(f"{told['url']}/submit", timeout=20) as page:
            assert b"Submit a run" in page.read()
        process.send_signal(number)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert errors == ""
    assert (tmp_path / "board.sqlite").exists()


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = _give(tmp_path, "board", "serve", "--port", str(port))
    assert told.returncode == 2
    assert "another program does" in told.stderr
    assert f"--port {port + 1}" in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--database", "postgresql://u:s3cret@/n?unix_sock=/nowhere/x"), "cannot be used"),
        (("--database", "mysql://x/y"), "no database"),
        (("--moderator-key-file", "missing"), "cannot be read"),
        (("--public-url", "board.example.org"), "no address"),
        (("--host", "192.0.2.1"), "cannot listen"),
        (("--host", "192.0.2.1"), "fix: --host 127.0.0.1"),
        (("--database", "."), "that is a folder"),
        (("--database", "text"), "name the board's own file of SQLite"),
        (("--database", "text/board.sqlite"), "name a file in a folder"),
    ],
)
def test_bad_input_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    word: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("no database, but words that are long enough to be read as one")
    with pytest.raises(SystemExit) as end:
        main(["board", "serve", "--port", "0", *arguments])
    told = capsys.readouterr().err
    assert end.value.code == 2
    assert word in told
    assert "fix:" in told
    assert "s3cret" not in told


def test_keys_are_made_listed_and_revoked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with opened("board.sqlite", may_make=True):
        pass

    def give(*arguments: str) -> str:
        main(["board", "keys", *arguments])
        return capsys.readouterr().out

    made = json.loads(give("add", "Ada", "--json"))
    [listed] = json.loads(give("list", "--json"))
    assert (listed["name"], listed["role"], listed["revoked_at"]) == ("Ada", "moderator", None)
    assert made["key"] not in json.dumps(listed)
    assert made["key"].encode() not in (tmp_path / "board.sqlite").read_bytes()
    assert "revoked" in give("revoke", listed["id"])
    assert "revoked" in give("list")
    with pytest.raises(SystemExit) as end:
        give("revoke", listed["id"])
    assert end.value.code == 2
    assert "keys list" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["keys list", "keys add Ada", "keys revoke x", "rebuild", "worker --once"]
)
def test_a_database_that_is_misspelt_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["board", *command.split(), "--database", "bord.sqlite"])
    told = capsys.readouterr().err
    assert end.value.code == 2
    assert "there is no database bord.sqlite" in told
    assert "--database FILE|URL" in told
    assert list(tmp_path.iterdir()) == []


def test_an_import_says_that_it_made_a_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows").mkdir()
    for is_new in (True, False):
        with pytest.raises(SystemExit) as end:
            main(["board", "import", "rows", "--database", "new.sqlite"])
        assert end.value.code == 1  # no row was taken
        assert ("new.sqlite is a new board" in capsys.readouterr().out) == is_new


def test_a_database_is_named_without_its_password() -> None:
    assert named("board.sqlite") == ""
    assert named("my board.sqlite") == " --database 'my board.sqlite'"
    assert named("postgresql://u:s3cret@h/n") == " --database 'postgresql://u:***@h/n'"


def test_without_its_packages_it_says_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda name: None if name == "fastapi" else object())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["board", "serve"])
    assert end.value.code == 2
    assert "pip install 'joulemark[board]'" in capsys.readouterr().err

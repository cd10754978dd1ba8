"""``board build`` as a user gives it: exit codes, the report, and words for bad input."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.standing_boards import bundles
from joulemark.cli.__main__ import main

Build = Callable[..., tuple[int, str, str]]


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Build:
    """Give the command; returns exit code, output and errors."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["joulemark", "board", "build", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One good bundle, and a file that is none."""
    folder = tmp_path / "bundles"
    folder.mkdir()
    (folder / "good.zip").write_bytes(bundles()[4])
    (folder / "bad.zip").write_bytes(b"PK nonsense")
    return folder


def test_it_builds_tells_what_was_refused_and_strict_ends_with_3(
    build: Build, repository: Path, tmp_path: Path
) -> None:
    arguments = (tmp_path / "site", "--from", repository, "--cache", tmp_path / "cache")
    code, out, _ = build(*arguments)
    assert code == 0
    assert "1 of 2 runs accepted" in out
    assert "refused: bad.zip: " in out
    assert (tmp_path / "site" / "index.html").is_file()
    code, out, _ = build(*arguments, "--strict", "--json")
    assert code == 3
    report = json.loads(out)
    assert (report["accepted"], report["known_from_before"]) == (1, 2)
    assert [one["file"] for one in report["problems"]] == ["bad.zip"]
    (repository / "bad.zip").unlink()
    assert build(*arguments, "--strict")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("{tmp}/site", "--from", "{tmp}/absent"), "there is no"),
        (("{tmp}/full", "--from", "{tmp}/bundles"), "not replaced"),
        (("{tmp}/site", "--from", "mysql://user:secret@host/name"), "no database of a board"),
        (("{tmp}/site", "--from", "{tmp}/bundles", "--rows", "{tmp}/absent"), "there is no"),
        (
            ("{tmp}/site", "--from", "{tmp}/bundles", "--rows", "{tmp}/bundles/good.zip"),
            "cannot be read|holds no",
        ),
        (("{tmp}/site",), "--from"),
    ],
)
def test_bad_input_gets_2_and_a_word(
    build: Build, repository: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    code, _, errors = build(*(one.format(tmp=tmp_path) for one in arguments))
    assert code == 2
    assert any(part in errors for part in said.split("|"))
    assert "Traceback" not in errors
    assert "secret" not in errors
    assert (tmp_path / "full" / "letter.txt").read_text() == "dear"

"""A file is believed only where nobody else can have written it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from joulemark.files.own import NotOurs, read_own


@pytest.fixture
def path(tmp_path: Path) -> Path:
    own = tmp_path / "own"
    own.write_bytes(b"ours")
    own.chmod(0o600)
    return own


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o644, 0o755])
def test_what_others_may_read_at_most_is_ours(path: Path, mode: int) -> None:
    path.chmod(mode)
    assert read_own(path, most_bytes=4) == b"ours"


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_what_others_may_write_is_not(path: Path, mode: int) -> None:
    path.chmod(mode)
    with pytest.raises(NotOurs, match="others may write"):
        read_own(path, most_bytes=4)


def test_links_pipes_and_folders_are_not(path: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(path)
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "folder").mkdir()
    for name in ("link", "pipe", "folder"):
        with pytest.raises(NotOurs, match=r"link|plain file"):
            read_own(tmp_path / name, most_bytes=4)
    os.link(path, tmp_path / "other")
    with pytest.raises(NotOurs, match="another name"):
        read_own(path, most_bytes=4)


def test_no_more_is_read_than_is_wanted(path: Path) -> None:
    with pytest.raises(NotOurs, match="longer than 3 bytes"):
        read_own(path, most_bytes=3)


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_own(tmp_path / "nothing", most_bytes=3)

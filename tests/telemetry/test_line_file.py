from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from joulemark.telemetry.line_file import LineFile


def a_disk_with_room(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk take ``room`` more bytes; then it is full."""
    real_write, left = os.write, [room]

    def write(fd: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = real_write(fd, bytes(data[: left[0]]))
        left[0] -= written
        return written

    monkeypatch.setattr(os, "write", write)


@pytest.mark.parametrize("room", range(6))
def test_what_is_given_up_tears_no_other_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    path = tmp_path / "lines"
    lines = LineFile(path)
    lines.append(b"one\n")
    with monkeypatch.context() as patch:
        a_disk_with_room(room, patch)
        with pytest.raises(OSError, match="No space"):
            lines.append(b"two, lost\n")
    lines.give_up()
    lines.append(b"three\n")
    lines.close()
    begun = [b"two, lost"[:room]] if room else []
    assert path.read_bytes().splitlines() == [b"one", *begun, b"three"]


def test_what_is_kept_goes_on_at_the_same_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lines"
    lines = LineFile(path)
    with monkeypatch.context() as patch:
        a_disk_with_room(2, patch)
        with pytest.raises(OSError, match="No space"):
            lines.append(b"one\n")
    assert lines.pending_bytes == 2
    lines.append(b"two\n")
    lines.close()
    assert path.read_bytes() == b"one\ntwo\n"


def test_the_torn_line_of_an_earlier_life_stays_alone(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntw")
    lines = LineFile(path, permissions=0o600)
    lines.give_up()  # the newline that ends it is owed, whatever is given up
    lines.append(b"three\n")
    lines.close()
    assert path.read_bytes() == b"one\ntw\nthree\n"


def test_only_who_asks_for_syncs_in_the_background_gets_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = threading.Event()
    lines = LineFile(tmp_path / "lines", permissions=0o600)
    assert (tmp_path / "lines").stat().st_mode & 0o777 == 0o600
    before = threading.active_count()
    lines.append(b"one\n")
    lines.sync()
    assert threading.active_count() == before
    monkeypatch.setattr(os, "fsync", lambda fd: synced.set())
    lines.sync_soon()
    assert threading.active_count() == before + 1
    assert synced.wait(5)
    lines.close()
    assert threading.active_count() == before

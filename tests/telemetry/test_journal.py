from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.record.telemetry import Reading
from joulemark.telemetry.journal import JournalReader, TelemetryJournal, decode_reading, encode_reading

READING = Reading(1, 123, "nvml:0", "wall/psu/gpu:0", {"energy_j": 1.5}, 7, 99, ("gap",))

readings = st.builds(
    Reading,
    segment=st.integers(0, 9),
    t_ns=st.integers(0, 2**62),
    source=st.text(max_size=9),
    scope=st.text(max_size=9),
    values=st.dictionaries(st.text(max_size=5), st.floats(allow_nan=False, allow_infinity=False), max_size=3),
    read_ns=st.integers(0, 10**9),
    t_driver_ns=st.none() | st.integers(0, 2**62),
    flags=st.lists(st.text(max_size=9), max_size=2).map(tuple),
)


@given(readings)
def test_a_reading_survives_the_journal(reading: Reading) -> None:
    line = encode_reading(reading)
    assert line.count(b"\n") == 1
    assert decode_reading(line) == reading


@given(st.binary(max_size=80))
def test_any_bytes_are_a_reading_or_a_value_error(line: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(decode_reading(line), Reading)


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"{}",
        b'{"segment":1,"t_ns":1.5,"source":"a","scope":"b"}',
        b'{"segment":1,"t_ns":true,"source":"a","scope":"b"}',
        b'{"segment":1,"t_ns":1,"source":7,"scope":"b"}',
        b'{"segment":1,"t_ns":1,"source":"a","scope":"b","values":{"energy_j":null}}',
        b'{"segment":1,"t_ns":1,"source":"a","scope":"b","flags":"gap"}',
        b'{"segment":1,"t_ns":1,"source":"a","scope":"b","t_driver_ns":"x"}',
    ],
)
def test_another_shape_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        decode_reading(line)


def test_a_torn_last_line_is_closed_before_going_on(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.jsonl"
    path.write_bytes(encode_reading(READING) + encode_reading(READING)[:20])
    journal = TelemetryJournal(path)
    journal.append([READING])
    journal.close()
    reader = JournalReader(path)
    assert list(reader) == [READING, READING]
    assert reader.skipped == 1


def test_garbled_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.jsonl"
    path.write_bytes(
        b"\x00\xff garbage\n" + encode_reading(READING) + b"{}\n\n" + encode_reading(READING)[:-5]
    )
    reader = JournalReader(path)
    assert list(reader) == [READING]
    assert reader.skipped == 3
    assert list(reader) == [READING]
    assert reader.skipped == 3


def test_a_full_disk_keeps_the_rest_and_goes_on_at_the_same_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "telemetry.jsonl"
    journal = TelemetryJournal(path)
    journal.append([READING])
    line, real_write, room = encode_reading(READING), os.write, [30]

    def small_disk(fd: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = real_write(fd, bytes(data[: room[0]]))
        room[0] -= written
        return written

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", small_disk)
        with pytest.raises(OSError, match="No space left"):
            journal.append([READING])
        assert path.read_bytes() == line + line[:30]
        with pytest.raises(OSError, match="No space left"):
            journal.append([READING])
    journal.append([])
    journal.close()
    assert path.read_bytes() == 3 * line
    assert journal.dropped == 0


def test_what_does_not_fit_into_memory_either_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joulemark.telemetry.journal.MAX_PENDING_BYTES", 2 * len(encode_reading(READING)))
    journal = TelemetryJournal(tmp_path / "telemetry.jsonl")

    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            journal.append([READING] * 5)
    journal.close()
    assert journal.dropped == 3
    assert len(list(JournalReader(tmp_path / "telemetry.jsonl"))) == 2


def test_a_writer_killed_at_any_moment_leaves_whole_lines_but_the_last(tmp_path: Path) -> None:
    code = """
import sys, itertools
from pathlib import Path
from joulemark.record.telemetry import Reading
from joulemark.telemetry.journal import TelemetryJournal
journal = TelemetryJournal(Path(sys.argv[1]))
print("ready", flush=True)
for i in itertools.count():
    journal.append([Reading(0, i, "s", "wall", {"energy_j": float(i)})])
    if i % 100 == 0:
        journal.sync_soon()
"""
    path = tmp_path / "telemetry.jsonl"
    total = 0
    for life in range(4):
        with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.01 * (life + 1))
            process.send_signal(signal.SIGKILL)
        reader = JournalReader(path)
        found = [reading.t_ns for reading in reader]
        assert reader.skipped <= life + 1
        assert len(found) > total
        assert found[total:] == list(range(len(found) - total))
        total = len(found)

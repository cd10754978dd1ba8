"""A file of lines that only grows and survives a killed writer: what every journal is written with."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from joulemark.files.atomic import PUBLIC

_NEWLINE = b"\n"


class LineFile:
    """The writing end. One process, one thread of it.

    What cannot be written (full disk) is kept: the next `append` or `flush` goes on at the same byte, so no
    line is torn, unless `give_up` drops it. A process that is killed loses nothing that was written; to
    guard against the machine going down there is `sync`, which waits, and `sync_soon`, which does not.
    """

    def __init__(self, path: Path, permissions: int = PUBLIC) -> None:
        """Open or go on with ``path``; the torn last line of an earlier life gets its newline first."""
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, permissions)
        size = os.fstat(self._fd).st_size
        self._torn = size > 0 and os.pread(self._fd, 1, size - 1) != _NEWLINE
        self._pending = bytearray(_NEWLINE if self._torn else b"")
        self._wanted = threading.Event()
        self._closing = False
        self._syncer: threading.Thread | None = None

    @property
    def pending_bytes(self) -> int:
        """How much waits to be written."""
        return len(self._pending)

    def append(self, lines: bytes | bytearray) -> None:
        """Write whole lines, each with its newline. Raises ``OSError``; what is left is kept."""
        self._pending += lines
        self.flush()

    def flush(self) -> None:
        """Write what is pending. Raises ``OSError``."""
        while self._pending:
            written = os.write(self._fd, self._pending)
            if written:
                self._torn = self._pending[written - 1 : written] != _NEWLINE
                del self._pending[:written]

    def give_up(self) -> None:
        """Drop what could not be written; a line that was begun ends there, and readers skip it."""
        self._pending[:] = _NEWLINE if self._torn else b""

    def sync(self) -> None:
        """Force what was written to the disk. Raises ``OSError``."""
        os.fsync(self._fd)

    def sync_soon(self) -> None:
        """Have what was written forced to the disk by a thread of its own: an fsync takes milliseconds."""
        if self._syncer is None:
            self._syncer = threading.Thread(target=self._sync_loop, name="line-file-sync", daemon=True)
            self._syncer.start()
        self._wanted.set()

    def close(self) -> None:
        """Write and force everything, then close. Raises ``OSError`` after closing when that failed."""
        self._closing = True
        self._wanted.set()
        if self._syncer is not None:
            self._syncer.join()
        try:
            self.flush()
            self.sync()
        finally:
            os.close(self._fd)

    def _sync_loop(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if self._closing:
                return
            try:
                self.sync()
            except OSError:
                # The next write meets the same disk and reports it; this thread has nobody to tell.
                continue

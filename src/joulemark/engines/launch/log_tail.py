"""The end of a log, for a message."""

from __future__ import annotations

from pathlib import Path

_BYTES = 16_384


def log_tail(path: Path, lines: int = 12) -> str:
    """Return the last ``lines`` lines of a file; where it cannot be read, why not."""
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - _BYTES))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])
    except OSError as error:
        return f"(no log: {error.strerror or error})"

"""Where the logs of engines go that are started here, and how they end."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from joulemark.record.errors import InputError

_TAIL_BYTES = 16_384


class LogFolder:
    """A folder for logs: one that was chosen, or a temporary one where ``chosen`` is null."""

    def __init__(self, chosen: Path | None) -> None:
        self._chosen = chosen
        self._temporary: Path | None = None

    def open(self) -> Path:
        """Make the folder and return it; raises `InputError`."""
        if self._chosen is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="joulemark-engine-"))
            return self._temporary
        try:
            self._chosen.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"the folder {self._chosen} cannot be made",
                why=error.strerror or str(error),
                fix="give a folder that you may write to",
            ) from None
        return self._chosen

    def close(self, *, keep: bool) -> None:
        """Remove a temporary folder, unless its logs are to be read (``keep``)."""
        temporary, self._temporary = self._temporary, None
        if temporary is not None and not keep:
            shutil.rmtree(temporary, ignore_errors=True)


def log_tail(path: Path, lines: int = 12) -> str:
    """Return the last ``lines`` lines of a file; where it cannot be read, why not."""
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            return "\n".join(log.read().decode(errors="replace").splitlines()[-lines:])
    except OSError as error:
        return f"(no log: {error.strerror or error})"

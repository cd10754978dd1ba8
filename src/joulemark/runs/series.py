"""The runs of one command that asks several tasks: what is done already, so that the command can go on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

from joulemark.record.identity import config_hash
from joulemark.runs.layout import write_atomically


class Series:
    """Remembers which runs belong to an unfinished command, in a file below its runs directory.

    ``settings`` are what the user asked for: another command is another series. Once `finish` was called the
    same command begins anew.
    """

    def __init__(self, runs_dir: Path, settings: Mapping[str, object]) -> None:
        self._path = runs_dir / f".series-{config_hash(settings)[:16]}.json"
        self._runs = self._read()

    def known_run(self, part: str) -> Path | None:
        """Return the run directory that a part was last measured in; whether it still fits, the run tells."""
        named = self._runs.get(part)
        return None if named is None else Path(named)

    def note(self, part: str, root: Path) -> None:
        """Remember the run of a part; raises `InputError` where that cannot be written."""
        self._runs[part] = str(root.resolve())
        write_atomically(self._path, orjson.dumps(self._runs))

    def finish(self) -> None:
        """Forget the series: all of it is done."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> dict[str, str]:
        try:
            found = orjson.loads(self._path.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {part: root for part, root in found.items() if isinstance(root, str) and "\0" not in root}

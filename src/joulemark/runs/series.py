"""The runs of one command that asks several tasks: what is done already, so that the command can go on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

import joulemark
from joulemark.record.errors import InputError
from joulemark.record.identity import config_hash
from joulemark.runs.layout import RunLayout, write_atomically
from joulemark.runs.plan import RunPlan


class Series:
    """Remembers which runs belong to an unfinished command, in a file below its runs directory.

    ``settings`` are what the user asked for: another command is another series. Once `finish` was called the
    same command begins anew.
    """

    def __init__(self, runs_dir: Path, settings: Mapping[str, object]) -> None:
        self._path = runs_dir / f".series-{config_hash(settings)[:16]}.json"
        self._runs = self._read()

    def finished_run(self, part: str, plan: RunPlan) -> Path | None:
        """Return the run directory of a part that is complete, null for one that is still to do.

        A run of other items, of other settings or of another version is not this part.
        """
        named = self._runs.get(part)
        if named is None:
            return None
        try:
            manifest = RunLayout(Path(named)).read_manifest()
        except InputError:  # somebody took it away
            return None
        same = (
            manifest.task == plan.task_facts
            and manifest.sampling == plan.sampling
            and manifest.load == plan.load
            and manifest.repeats == plan.repeats
            and manifest.joulemark_version == joulemark.__version__
        )
        return Path(named) if same and manifest.state == "complete" else None

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
        return {part: root for part, root in found.items() if isinstance(root, str)}

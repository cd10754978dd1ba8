"""What a build worked out of bundles, kept for the next one: by bundle and by our own source.

A bundle that was examined by the same source is not examined again. The folder is its owner's alone; whoever
can write there can write the built pages too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson

from joulemark.board.intake.examine import examine
from joulemark.board.intake.examined import Examined, NotTaken
from joulemark.board.judging.facts import facts_of_json
from joulemark.board.standing.run_columns import RunColumns
from joulemark.bundles.submission.source_hash import source_hash
from joulemark.files.atomic import write_whole

_OURS = re.compile(r"source-[0-9a-f]{16}")
_BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError)


class WorkDone:
    """Examined bundles and their evidence. ``folder`` null keeps nothing; counts say what was made anew."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / f"source-{source_hash()[:16]}"
        self.n_examined = self.n_known = 0

    def examined(self, data: bytes, digest: str) -> Examined | NotTaken:
        """Return what a bundle comes to."""
        known = self._read(f"{digest}.json")
        if known is not None:
            try:
                found = _of_json(orjson.loads(known))
            except _BROKEN:
                found = None
            if found is not None:
                self.n_known += 1
                return found
        self.n_examined += 1
        made = examine(data)
        self._write(f"{digest}.json", orjson.dumps(_to_json(made)))
        return made

    def evidence(self, digest: str, make: Callable[[], str]) -> str:
        """Return the part of a run's page that its bundle alone gives."""
        known = self._read(f"{digest}.html")
        if known is not None:
            return known.decode()
        made = make()
        self._write(f"{digest}.html", made.encode())
        return made

    def forget_others(self) -> None:
        """Remove what another source of ours worked out: nothing of it is asked for again."""
        if self._folder is None:
            return
        for other in self._folder.parent.iterdir():
            if other != self._folder and _OURS.fullmatch(other.name) and not other.is_symlink():
                shutil.rmtree(other, ignore_errors=True)

    def _read(self, name: str) -> bytes | None:
        if self._folder is None:
            return None
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return None

    def _write(self, name: str, data: bytes) -> None:
        if self._folder is not None:
            write_whole(self._folder / name, data, make_folder=True)


def _to_json(made: Examined | NotTaken) -> dict[str, Any]:
    if isinstance(made, NotTaken):
        return {"check": made.check, "why": made.why}
    return {
        "facts": made.facts.to_json(),
        "columns": asdict(made.columns),
        "candidate": made.candidate,
        "marks": list(made.marks),
        "joulemark_version": made.joulemark_version,
        "order": made.order,
    }


def _of_json(found: dict[str, Any]) -> Examined | NotTaken:
    if "facts" not in found:
        return NotTaken(found["check"], found["why"])
    return Examined(
        facts=facts_of_json(found["facts"]),
        columns=RunColumns(**found["columns"]),
        candidate=found["candidate"],
        marks=tuple(found["marks"]),
        joulemark_version=found["joulemark_version"],
        order=found["order"],
    )

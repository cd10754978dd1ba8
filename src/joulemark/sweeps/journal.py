"""What a sweep keeps of itself: ``sweep.json``, replaced as a whole whenever something changes.

It holds no figure: those are in the runs, and computed anew from them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from joulemark.files.atomic import write_whole
from joulemark.files.locks import FileLock, LockHeld
from joulemark.record.errors import InputError
from joulemark.sweeps.setting import Setting

SWEEP_SCHEMA_VERSION = "1.1"
FILE, POINTS, LOCK, ASIDE = "sweep.json", "points", ".sweep.lock", ".invalid"
State = Literal["planned", "running", "partial", "done", "invalid", "failed", "skipped", "saturated"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PointRecord(_Part):
    """One point: what it is, how far it is, and why no further; ``invalid``: asked, by a client too late.

    ``name`` is its directory below ``points``, null for one that was skipped. ``detail`` is the end of the
    engine's log, where that said why. ``in_grid``: whether the grid as it was last asked for has it.
    ``run_id`` and ``config_hash`` are those of its run, empty where there was none yet (and in records of
    schema 1.0): a folder that holds another run gives this point no figures.
    """

    name: str | None
    values: dict[str, Setting]
    state: State = "planned"
    why: str = ""
    detail: str = ""
    command: str = ""
    launch: list[str] = Field(default_factory=list)
    in_grid: bool = True
    run_id: str = ""
    config_hash: str = ""


class SweepRecord(_Part):
    """A sweep: the grid as it was asked for, and its points in the order of measuring."""

    schema_version: str = SWEEP_SCHEMA_VERSION
    created_utc: str
    joulemark_version: str
    title: str = ""
    axes: dict[str, list[Setting]]
    base: dict[str, Setting | list[Setting]]
    skip: dict[str, str] = Field(default_factory=dict)
    points: list[PointRecord] = Field(default_factory=list)


class SweepJournal:
    """The file of one sweep's directory. Nothing is made until `save`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / FILE

    def run_dir(self, record: PointRecord) -> Path:
        """Return where a point's run lies."""
        assert record.name is not None
        return self.root / POINTS / record.name

    def set_aside(self, record: PointRecord) -> None:
        """Move a point's run out of the way of a new one, below `ASIDE`; raises `InputError`."""
        root = self.run_dir(record)
        place = self.root / ASIDE
        try:
            place.mkdir(exist_ok=True)
            n = next(n for n in itertools.count(1) if not (place / f"{record.name}-{n}").exists())
            root.rename(place / f"{record.name}-{n}")
        except OSError as error:
            raise InputError(
                f"{root} cannot be set aside to measure it again", why=error.strerror or str(error)
            ) from error

    def read(self) -> SweepRecord | None:
        """Return what is recorded, null where nothing is; raises `InputError` for a file that is none."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self.path} cannot be read", why=error.strerror or str(error)) from error
        try:
            found = SweepRecord.model_validate_json(data)
        except ValueError as error:
            raise InputError(
                f"{self.path} is no sweep that this version can read",
                why=str(error).splitlines()[0],
                fix="choose another directory with --out DIR",
            ) from error
        if found.schema_version.partition(".")[0] != SWEEP_SCHEMA_VERSION.partition(".")[0]:
            raise InputError(
                f"{self.path} is of schema {found.schema_version[:20]}",
                why="this version cannot read it",
                fix="choose another directory with --out DIR",
            )
        return found

    def save(self, record: SweepRecord) -> None:
        """Replace the file; raises `InputError` where that fails, and then the old one is as it was."""
        try:
            write_whole(self.path, record.model_dump_json(indent=1).encode() + b"\n")
        except OSError as error:
            raise InputError(
                f"{self.path} cannot be written",
                why=error.strerror or str(error),
                fix="free some space, then run the same command again",
            ) from error

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the directory and hold it for this process; raises `InputError` where another has it."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.root / LOCK)
        except LockHeld as held:
            raise InputError(
                f"{self.root} is in use",
                why=f"{held.who} is making this sweep",
                fix="wait for it, or end it, then run the same command again",
            ) from held
        except OSError as error:
            raise InputError(
                f"{self.root} cannot be written",
                why=error.strerror or str(error),
                fix="choose another place with --out DIR",
            ) from error
        with lock:
            yield

"""Where a run lies on disk: the files of a run directory, its lock and its atomic writes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from joulemark.files.atomic import PRIVATE, PUBLIC, write_whole
from joulemark.files.locks import FileLock, LockHeld
from joulemark.record.errors import InputError
from joulemark.record.manifest import Manifest

_EVALUATION = "code.json"  # what an evaluation of programs has, and no run
_WITH_WORDS = ("items.jsonl", "problems.jsonl", "engine.log")


class RunLayout:
    """The files of one run directory. Nothing is created until `create`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.manifest = root / "manifest.json"
        self.items_journal = root / "items.jsonl"
        self.telemetry_journal = root / "telemetry.jsonl"
        self.problems = root / "problems.jsonl"
        self.grades_journal = root / "grades.jsonl"
        self.programs = root / "code"
        self.items = root / "items.parquet"
        self.chunks = root / "chunks.parquet"
        self.telemetry = root / "telemetry.parquet"
        self.attribution = root / "attribution.parquet"
        self.checks = root / "attribution_checks.json"
        self.report = root / "report.html"
        self.engine_log = root / "engine.log"
        self.lock = root / ".lock"

    def create(self) -> None:
        """Make the directory; raises `InputError` where it cannot be made."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"the run directory {self.root} cannot be made",
                why=error.strerror or str(error),
                fix="choose another place with --out DIR",
            ) from error

    def read_manifest(self) -> Manifest:
        """Return the manifest; raises `InputError` where there is none or it is not one of ours."""
        try:
            data = self.manifest.read_bytes()
        except OSError as error:
            if (self.root / _EVALUATION).exists():
                raise InputError(
                    f"{self.root} holds an evaluation of programs, which is no run",
                    why="what `joulemark code eval` makes has commands of its own",
                    fix=f"joulemark code report {shlex.quote(str(self.root))}   # or `code compare DIR DIR`",
                ) from error
            raise InputError(
                f"no run at {self.root}",
                why=error.strerror or str(error),
                fix="`joulemark runs` lists the runs there are",
            ) from error
        try:
            return Manifest.model_validate_json(data)
        except ValidationError as error:
            raise InputError(
                f"{self.manifest} is not a manifest this version can read",
                why=_first_fault(error),
                fix="run the benchmark again into another directory with --out DIR",
            ) from error

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest atomically."""
        write_atomically(self.manifest, manifest.model_dump_json(indent=2).encode() + b"\n")


def _first_fault(error: ValidationError) -> str:
    """Say where it is not as it should be, and how; foreign names are quoted."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place!r}: {first['msg']}" if place else first["msg"]


def permissions(path: Path) -> int:
    """Return who may read and write a file of a run directory, less the umask.

    What holds words of questions and answers is the user's alone, and so is what a program says that reads
    them. All else holds figures, which are for passing on.
    """
    return PRIVATE if path.name in _WITH_WORDS else PUBLIC


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` so that a reader, or a crash, sees the old file or the new one, never half of one.

    Raises `InputError` where the place cannot be written.
    """
    try:
        write_whole(path, data, mode=permissions(path))
    except OSError as error:
        raise InputError(
            f"{path} cannot be written",
            why=error.strerror or str(error),
            fix="free some space or choose another place with --out DIR, then run the same command again",
        ) from error


@contextmanager
def locked(layout: RunLayout) -> Iterator[None]:
    """Hold the run directory for this process; the kernel lets go when it ends, however it ends.

    Raises `InputError` where another process holds it or the directory cannot be written.
    """
    try:
        lock = FileLock(layout.lock)
    except LockHeld as held:
        raise InputError(
            f"{layout.root} is in use",
            why=f"{held.who} is writing this run",
            fix="wait for it, or end it, then run the same command again",
        ) from held
    except OSError as error:
        raise InputError(
            f"{layout.root} cannot be written",
            why=error.strerror or str(error),
            fix="choose another place with --out DIR",
        ) from error
    with lock:
        yield

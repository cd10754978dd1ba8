"""The journal of an evaluation: rows of runs and, after them, the word that a problem is done.

A problem whose word is missing (the process was killed) counts for nothing and is done again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from joulemark.code.evaluation.job import Done
from joulemark.record.code_run import CodeRun
from joulemark.record.errors import InputError
from joulemark.telemetry.line_file import LineFile

FILE = "code.jsonl"
_RUN = TypeAdapter(CodeRun)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a journal holds: rows by problem, and why problems could not be used."""

    runs: dict[str, tuple[CodeRun, ...]]
    failures: dict[str, str]

    @property
    def done(self) -> frozenset[str]:
        """The problems that are done."""
        return frozenset((*self.runs, *self.failures))

    def all_runs(self) -> list[CodeRun]:
        """Return every row, by problem in the order in which they were done."""
        return [run for runs in self.runs.values() for run in runs]


class CodeJournal:
    """The writing end: `append` returns when a problem's rows are on the disk."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE
        try:
            self._lines = LineFile(self._path)
        except OSError as error:
            raise _refused(self._path, error) from error

    def append(self, done: Done) -> None:
        """Write all of a problem at once. Raises `InputError` where the disk is full."""
        lines = [_line({"run": asdict(run)}) for run in done.runs]
        lines.append(_line({"done": done.problem_id, "n_runs": len(done.runs), "failure": done.failure}))
        try:
            self._lines.append(b"".join(lines))
            self._lines.sync()
        except OSError as error:
            self._lines.give_up()
            raise _refused(self._path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


def read_journal(directory: Path) -> Recorded:
    """Return what a journal holds. Raises `InputError` for a file that is none."""
    path = directory / FILE
    runs: dict[str, tuple[CodeRun, ...]] = {}
    failures: dict[str, str] = {}
    pending: list[CodeRun] = []
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else []
    except OSError as error:
        raise _refused(path, error) from error
    for number, line in enumerate(lines, 1):
        entry = _entry(line)
        if entry is None:
            continue  # torn when the writer was killed
        try:
            if "run" in entry:
                pending.append(_RUN.validate_python(entry["run"]))
                continue
            problem, failure = str(entry["done"]), entry.get("failure")
            # rows before the last ``n_runs`` are of a life that was killed before it had said its last word
            n_runs = entry["n_runs"]
            mine = tuple(pending[len(pending) - n_runs :])
            if 0 <= n_runs <= len(pending):
                if failure is None:
                    runs[problem] = mine
                else:
                    failures[problem] = str(failure)
        except (ValidationError, KeyError, TypeError) as error:
            raise InputError(
                f"line {number} of {path} is no row of an evaluation",
                why=str(error).splitlines()[0],
                fix="restore the file, or evaluate anew into another directory with --into",
            ) from error
        pending = []
    return Recorded(runs, failures)


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return entry if isinstance(entry, dict) else None


def _line(entry: dict[str, Any]) -> bytes:
    return orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)


def _refused(path: Path, error: OSError) -> InputError:
    return InputError(
        f"{path} cannot be used",
        why=error.strerror or str(error),
        fix="make room or choose another directory with --into; what was written is kept",
    )

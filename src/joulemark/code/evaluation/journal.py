"""The journal of an evaluation: rows of runs and, after them, the word that a problem is done.

A problem whose word is missing (the process was killed) counts for nothing and is done again.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from joulemark.code.evaluation.job import Done
from joulemark.code.evaluation.writable import writable
from joulemark.record.code_run import CodeRun
from joulemark.record.errors import InputError
from joulemark.telemetry.line_file import LineFile

FILE = "code.jsonl"
CHANGED = "its rows are not as they were written: the command that made them does it again"
_DIGEST = "sha256"
_RUN = TypeAdapter(CodeRun)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a journal holds: rows by problem, and why problems could not be used.

    ``controls``: rows of no answer, by `Job.job_id`: of a program that does nothing, and A/A pairs.
    ``not_measured``: why some of what was wanted of a problem was not measured. ``unsound``: problems whose
    rows are not as they were written, or not of this evaluation, and how; they are in nothing else, and are
    done again.
    """

    runs: dict[str, tuple[CodeRun, ...]]
    failures: dict[str, str]
    controls: dict[str, tuple[CodeRun, ...]] = field(default_factory=dict)
    not_measured: dict[str, str] = field(default_factory=dict)
    unsound: dict[str, str] = field(default_factory=dict)

    @property
    def unusable(self) -> dict[str, str]:
        """Why problems are in no figure, by id."""
        return {**self.failures, **self.unsound}

    @property
    def done(self) -> frozenset[str]:
        """The jobs that are done: problems and controls."""
        return frozenset((*self.runs, *self.failures, *self.controls))

    def all_runs(self) -> list[CodeRun]:
        """Return every row, controls first, then by problem in the order in which they were done."""
        return [run for runs in (*self.controls.values(), *self.runs.values()) for run in runs]


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
        lines = [_line({"run": run}) for run in done.runs]
        word: dict[str, Any] = {"done": done.problem_id, "n_runs": len(done.runs), "failure": done.failure}
        word |= {"not_measured": done.not_measured, "is_control": done.is_control}
        word = writable(word)
        lines.append(_line({**word, _DIGEST: _digest(lines, word)}))
        try:
            self._lines.append(b"".join(lines))
            self._lines.sync()
        except OSError as error:
            self._lines.give_up()
            raise _refused(self._path, error) from error

    def close(self) -> None:
        """Close the file; all that was appended is on the disk already, so a full one ends nothing here."""
        with contextlib.suppress(OSError):
            self._lines.close()


def read_journal(directory: Path, *, must_have_digests: bool = False) -> Recorded:
    """Return what a journal holds. Raises `InputError` for a file that is none.

    ``must_have_digests``: rows without one are not as they were written; else where all of them lack it they
    are of before there were digests.
    """
    path = directory / FILE
    runs: dict[str, tuple[CodeRun, ...]] = {}
    failures: dict[str, str] = {}
    controls: dict[str, tuple[CodeRun, ...]] = {}
    not_measured: dict[str, str] = {}
    unsound: dict[str, str] = {}
    pending: list[CodeRun] = []
    written: list[bytes] = []
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else []
    except OSError as error:
        raise _refused(path, error) from error
    has_digests = must_have_digests or any(
        _DIGEST in (_entry(line) or {}) for line in reversed(lines) if b'"done":' in line
    )
    for number, line in enumerate(lines, 1):
        entry = _entry(line)
        if entry is None:
            continue  # torn when the writer was killed
        try:
            if "run" in entry:
                pending.append(_RUN.validate_python(entry["run"]))
                written.append(line + b"\n")
                continue
            problem, failure = str(entry["done"]), entry.get("failure")
            # rows before the last ``n_runs`` are of a life that was killed before it had said its last word
            n_runs = entry["n_runs"]
            mine = tuple(pending[len(pending) - n_runs :])
            if has_digests and not _is_as_written(entry, written):
                unsound[problem] = CHANGED
            elif 0 <= n_runs <= len(pending):
                if failure is not None:
                    failures[problem] = str(failure)
                elif entry.get("is_control"):
                    controls[problem] = mine
                else:
                    runs[problem] = mine
                if (why := entry.get("not_measured")) is not None:
                    not_measured[problem] = str(why)
        except (ValidationError, KeyError, TypeError) as error:
            raise InputError(
                f"line {number} of {path} is no row of an evaluation",
                why=str(error).splitlines()[0],
                fix="restore the file, or evaluate anew into another directory with --into",
            ) from error
        pending, written = [], []
    # what was written whole, before or after, stands
    lost = {
        name: why
        for name, why in unsound.items()
        if not any(name in one for one in (runs, failures, controls))
    }
    return Recorded(runs, failures, controls, not_measured, lost)


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return entry if isinstance(entry, dict) else None


def _line(entry: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # half of a character in what a program said
        plain = {name: asdict(one) if isinstance(one, CodeRun) else one for name, one in entry.items()}
        return orjson.dumps(writable(plain), option=orjson.OPT_APPEND_NEWLINE)


def _digest(lines: Sequence[bytes], word: Mapping[str, Any]) -> str:
    """Return the SHA-256 of rows as they are written and of the word after them."""
    said = orjson.dumps({**word}, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(b"".join([*lines, said])).hexdigest()


def _is_as_written(entry: Mapping[str, Any], written: Sequence[bytes]) -> bool:
    word = {name: value for name, value in entry.items() if name != _DIGEST}
    n_runs = word.get("n_runs")
    if not isinstance(n_runs, int) or not 0 <= n_runs <= len(written):
        return False
    return entry.get(_DIGEST) == _digest(written[len(written) - n_runs :], word)


def _refused(path: Path, error: OSError) -> InputError:
    return InputError(
        f"{path} cannot be used",
        why=error.strerror or str(error),
        fix="make room or choose another directory with --into; what was written is kept",
    )

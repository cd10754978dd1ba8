"""The rows of a set of problems, read within limits, with errors that name the row."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.code.inside.plain import MAX_DEPTH
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.syntax import NotPython, parse
from joulemark.record.errors import InputError
from joulemark.tasks.formats import FileFault, read_fields

MAX_FILE_BYTES = 1 << 30
"""Largest file that is read, unpacked."""
MAX_ID_CHARS = 200
PROBLEMS, SAMPLES = "problems", "samples"
SAMPLE_FORMS = (
    'a line of JSON a sample: {"task_id": "HumanEval/0", "solution": "def …"}; in place of solution '
    "(a program) also completion (the rest of the prompt) or answer (what a model said)"
)
_NAMED = {
    PROBLEMS: "joulemark code problems   # lists what can be named",
    SAMPLES: f"name the file of the programs: {SAMPLE_FORMS}",
}
_ANEW = {
    PROBLEMS: "take the file anew from where it was published",
    SAMPLES: f"write it as {SAMPLE_FORMS}",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row; ``place`` names it in messages. What it lacks raises `InputError`."""

    fields: Mapping[str, Any]
    place: str

    def fault(self, why: str, fix: str = "") -> InputError:
        """Return the error of a row that cannot be used."""
        return InputError(
            f"{self.place} cannot be used",
            why=why,
            fix=fix or "mend the row, or take the file anew from where it was published",
        )

    def text(self, name: str, *, may_be_empty: bool = False) -> str:
        """Return a field that must be a text."""
        value = self.fields.get(name)
        if not isinstance(value, str):
            found = "it is missing" if name not in self.fields else f"it is {_kind(value)}"
            raise self.fault(f'"{name}" must be a text, but {found}')
        if not may_be_empty and not value.strip():
            raise self.fault(f'"{name}" is empty')
        return value

    def source(self, name: str) -> str:
        """Return a field that must be Python source."""
        text = self.text(name)
        self.check_source(text, f'"{name}"')
        return text

    def check_source(self, text: str, what: str) -> None:
        """Raise `InputError` where ``text``, called ``what``, is no Python source."""
        try:
            parse(text)
        except NotPython as error:
            line = "" if error.line is None else f" in its line {error.line}"
            raise self.fault(f"{what} is no Python{line}: {error.why}") from error

    def name(self, name: str) -> str:
        """Return a field that must be a Python name."""
        value = self.text(name)
        if not value.isidentifier() or len(value) > MAX_ID_CHARS:
            raise self.fault(f'"{name}" must be a name of Python, but it is {value[:40]!r}')
        return value

    def identity(self, name: str) -> str:
        """Return a field that must be a short text or a whole number."""
        value = self.fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return str(value)
        text = self.text(name)
        if len(text) > MAX_ID_CHARS or "\n" in text:
            raise self.fault(f'"{name}" must be a short text, but it has {len(text)} characters')
        return text

    def texts(self, name: str, *, may_be_missing: bool = False) -> tuple[str, ...]:
        """Return a field that must be a list of texts."""
        value = self.fields.get(name)
        if value is None and may_be_missing:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.fault(f'"{name}" must be a list of texts')
        return tuple(value)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file holds: rows, or a JSON document that is no rows. ``revision``: SHA-256 of its bytes."""

    rows: tuple[Row, ...]
    revision: str


def read_rows(path: Path, *, holds: str = PROBLEMS) -> Contents:
    """Return the rows of a CSV, JSON or JSON lines file, gzipped or not. Raises `InputError`.

    ``holds``: what is looked for in it, for messages: `PROBLEMS` or `SAMPLES`.
    """
    data = read_bytes(path, holds=holds)
    name = path.name.removesuffix(".gz")
    try:
        rows = [Row(fields, f"{path}, {place}") for place, fields in read_fields(name, data, None)]
    except FileFault as fault:
        where = f"{path}, {fault.place}" if fault.place else str(path)
        raise InputError(f"{where} cannot be used", why=fault.why, fix=_ANEW[holds]) from fault
    if not rows:
        raise InputError(f"{path} holds no {holds}", why="it is empty", fix="name a file that has some")
    return Contents(tuple(rows), hashlib.sha256(data).hexdigest())


def read_document(path: Path, *, holds: str = PROBLEMS) -> Any:
    """Return the value of a JSON file, gzipped or not. Raises `InputError`."""
    data = read_bytes(path, holds=holds)
    if not data.strip():
        raise InputError(f"{path} holds no {holds}", why="it is empty", fix="name a file that has some")
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except RecursionError:
        raise _no_json(path, "nested too deep", holds) from None
    except ValueError as error:
        raise _no_json(path, str(error), holds) from error


def read_bytes(path: Path, *, holds: str = PROBLEMS) -> bytes:
    """Return the bytes of a file, unpacked where its name ends in ``.gz``. Raises `InputError`."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if path.name.lower().endswith(".gz"):
            with gzip.open(io.BytesIO(data)) as packed:
                data = packed.read(MAX_FILE_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} cannot be read", why=f"it is not gzip ({error})") from error
    except OSError as error:
        raise InputError(
            f"{path} cannot be read",
            why=error.strerror or str(error),
            fix=_NAMED[holds],
        ) from error
    if len(data) > MAX_FILE_BYTES:
        raise InputError(
            f"{path} cannot be read", why=f"it is larger than {MAX_FILE_BYTES >> 20} MiB", fix="split it"
        )
    return data


def make_problems(rows: Sequence[Row], make: Callable[[Row], Problem]) -> tuple[Problem, ...]:
    """Return a problem for each row. Raises `InputError`: for two rows of one id as well."""
    seen: dict[str, Row] = {}
    problems = []
    for row in rows:
        try:
            problem = make(row)
        except NotPython as error:
            raise row.fault(f"its text is no Python: {error.why}") from error
        except RecursionError:
            raise row.fault("its program is nested too deep") from None
        if problem.problem_id in seen:
            other = seen[problem.problem_id].place
            raise row.fault(f"its id {problem.problem_id!r} is that of {other} too", "keep one of them")
        seen[problem.problem_id] = row
        problems.append(problem)
    return tuple(problems)


def is_shallow(value: Any) -> bool:
    """Tell whether a JSON value is nested no deeper than plain data may be."""
    level = [value]
    for _ in range(MAX_DEPTH - 8):
        below: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                below += one.values()
            elif isinstance(one, list):
                below += one
        if not below:
            return True
        level = below
    return False


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return fields


def _no_json(path: Path, why: str, holds: str) -> InputError:
    return InputError(
        f"{path} cannot be used",
        why=f"it is not JSON ({why[:200]})",
        fix=_ANEW[holds],
    )


_KINDS = {
    type(None): "null",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), type(value).__name__)

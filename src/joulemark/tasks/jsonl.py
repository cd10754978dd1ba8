"""Reading a user's JSONL file, with errors that name the line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from joulemark.record.errors import InputError


@dataclass(frozen=True, slots=True)
class Line:
    """One object of a JSONL file; ``number`` counts from 1."""

    number: int
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class JsonLines:
    """A file's objects. ``revision``: SHA-256 (hex) of its bytes; ``expected``: what a line looks like."""

    name: str
    revision: str
    lines: tuple[Line, ...]
    expected: str

    def fault(self, number: int, why: str) -> InputError:
        """Return the error for line ``number``."""
        return InputError(
            f"{self.name}, line {number} cannot be used", why=why, fix=f"write each line as {self.expected}"
        )

    def text(self, line: Line, key: str) -> str:
        """Return a field that must be a text with something in it; raises `InputError`."""
        value = line.fields.get(key)
        if not isinstance(value, str) or not value.strip():
            found = "it is missing" if key not in line.fields else f"it is {json.dumps(value)[:60]}"
            raise self.fault(line.number, f'"{key}" must be a text, but {found}')
        if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
            raise self.fault(line.number, f'"{key}" holds half a character (a lone surrogate)')
        return value


def read_file(path: Path, *, expected: str) -> JsonLines:
    """Read a JSONL file. Raises `InputError` where it is missing, unreadable, empty or malformed."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"the file {path} cannot be read",
            why=error.strerror or str(error),
            fix=f"pass a JSONL file whose lines are {expected}",
        ) from error
    return parse(data, name=str(path), expected=expected)


def parse(data: bytes, *, name: str, expected: str) -> JsonLines:
    """Parse JSONL in UTF-8 (a byte order mark and blank lines are passed over). Raises `InputError`."""
    source = JsonLines(name, hashlib.sha256(data).hexdigest(), (), expected)
    lines = []
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            fields = json.loads(raw.decode())
        except UnicodeDecodeError as error:
            raise source.fault(number, f"byte {error.start + 1} is not UTF-8") from error
        except (json.JSONDecodeError, RecursionError, ValueError) as error:
            raise source.fault(number, f"it is not JSON ({error})") from error
        if not isinstance(fields, dict):
            raise source.fault(number, f"it is a JSON {type(fields).__name__}, not an object")
        lines.append(Line(number, fields))
    if not lines:
        raise InputError(
            f"{name} holds no items", why="the file is empty", fix=f"write each line as {expected}"
        )
    return JsonLines(name, source.revision, tuple(lines), expected)

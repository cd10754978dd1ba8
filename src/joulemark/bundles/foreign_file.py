"""Files of other tools, read whole: bytes with their digest, then lines of CSV or a JSON document."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from joulemark.bundles.foreign_row import ForeignRow
from joulemark.record.errors import InputError

MAX_BYTES = 256 << 20
_BINARY = (b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A text file: ``text`` without its byte order mark, ``sha256`` of its bytes, ``folder`` it lies in."""

    name: str
    folder: Path
    text: str
    sha256: str

    @property
    def is_json(self) -> bool:
        """Whether it looks like a JSON document."""
        return self.text.lstrip()[:1] in ("{", "[")

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return Path(self.name).stem

    def cited(self, publication: str) -> str:
        """Return how a row names where it is from: publication, file, and the digest of its bytes."""
        return f"{publication}; {self.name}, sha256 {self.sha256[:12]}"

    def refused(self, why: str, fix: str) -> InputError:
        """Return the error about the file as a whole."""
        return InputError(f"{self.name} cannot be imported", why=why, fix=fix)


def read_foreign(path: Path) -> ForeignFile:
    """Return a file's text; raises `InputError` for what is absent, too long, binary or no UTF-8."""
    name, fix = path.name or str(path), "name a CSV or JSON file as it was published"
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _refused(name, error.strerror or str(error), fix) from error
    if len(data) > MAX_BYTES:
        raise _refused(name, f"it is longer than {MAX_BYTES >> 20} MiB", fix)
    if data.startswith(_BINARY) or b"\0" in data:
        raise _refused(name, "it is binary, compressed, or no UTF-8", "save it as UTF-8 text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refused(name, f"line {line}: it is no UTF-8", "save it as UTF-8 text") from error
    return ForeignFile(name, path.absolute().parent, text, hashlib.sha256(data).hexdigest())


def csv_rows(file: ForeignFile) -> list[ForeignRow]:
    """Return the rows below a CSV file's header, each with its line; raises `InputError`."""
    reader = csv.reader(io.StringIO(file.text, newline=""), strict=True)
    columns: Sequence[str] = ()
    rows: list[ForeignRow] = []
    fix = "take the file as it was published"
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not columns:
                columns = _header(file, reader.line_num, cells)
                continue
            if len(cells) != len(columns):
                why = f"line {reader.line_num}: {len(cells)} cells under {len(columns)} columns"
                raise file.refused(why, fix)
            row = ForeignRow(file.name, f"line {reader.line_num}", dict(zip(columns, cells, strict=True)))
            rows.append(row)
    except csv.Error as error:
        raise file.refused(f"line {reader.line_num}: {error}", fix) from error
    if not columns:
        raise file.refused("it is empty", fix)
    if not rows:
        raise file.refused("there is no row below its header", fix)
    return rows


def _header(file: ForeignFile, line: int, cells: Sequence[str]) -> Sequence[str]:
    columns = [cell.strip() for cell in cells]
    twice = next((column for k, column in enumerate(columns) if column in columns[:k]), None)
    if twice is not None:
        raise file.refused(f"line {line}: two columns are named {twice!r}", "give each column its own name")
    return columns


def json_document(file: ForeignFile) -> dict[str, Any]:
    """Return a JSON file's object; raises `InputError`."""
    fix = "take the file as it was published"
    try:
        document = orjson.loads(file.text)
    except orjson.JSONDecodeError as error:
        raise file.refused(f"line {error.lineno}: {error.msg}", fix) from error
    if not isinstance(document, dict):
        raise file.refused("it holds no JSON object", fix)
    return document


def _refused(name: str, why: str, fix: str) -> InputError:
    return InputError(f"{name} cannot be imported", why=why, fix=fix)

"""Files of rates that change with time, as rows: CSV with a header, or JSON records. Bounded and checked."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from joulemark.record.errors import InputError

MAX_BYTES = 64 << 20
_BINARY = (b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"\xff\xfe", b"\xfe\xff")
_LISTS = ("data", "history", "forecast", "values", "prices", "series")


@dataclass(frozen=True, slots=True)
class RateTable:
    """Rows of one file. ``rows`` yields each once, by column, with its number: that of a line or a record.

    ``unit`` is what is numbered; ``option`` names the option that the file was given with, for errors.
    """

    name: str
    option: str
    columns: tuple[str, ...]
    unit: Literal["line", "record"]
    rows: Iterator[tuple[int, Mapping[str, Any]]]

    def refused(self, why: str, fix: str, number: int | None = None) -> InputError:
        """Return the error that says what is wrong with the file, and in which row."""
        where = "" if number is None else f"{self.unit} {number}: "
        return refused(self.name, self.option, where + why, fix)


def refused(name: str, option: str, why: str, fix: str) -> InputError:
    """Return the error about a file given with ``option``."""
    return InputError(f"{option} {name} cannot be used", why=why, fix=fix)


def read_text(path: Path, option: str) -> str:
    """Return a file's text, without a byte order mark; raises `InputError` for what is no text file."""
    name, fix = path.name or str(path), f"name a text file (CSV, JSON or TOML): {option} FILE"
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            size = f"it has {path.stat().st_size >> 20} MiB; {MAX_BYTES >> 20} MiB are read at most"
            raise refused(name, option, size, "cut it to the weeks around the run")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise refused(name, option, error.strerror or str(error), fix) from error
    if len(data) > MAX_BYTES:
        raise refused(
            name, option, f"it is longer than {MAX_BYTES >> 20} MiB", "cut it to the weeks around the run"
        )
    if data.startswith(_BINARY) or b"\0" in data:
        raise refused(
            name, option, "it is binary, compressed, or no UTF-8", f"save it as UTF-8 text: {option} FILE"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise refused(
            name, option, f"line {line}: it is no UTF-8", f"save it as UTF-8 text: {option} FILE"
        ) from error


def read_rows(path: Path, option: str) -> RateTable:
    """Return the rows of a CSV or JSON file; raises `InputError`, here or while they are read."""
    text = read_text(path, option)
    if text.lstrip()[:1] in ("{", "["):
        return _json(text, path.name, option)
    return _csv(text, path.name, option)


def _csv(text: str, name: str, option: str) -> RateTable:
    first = next((line for line in text[:65_536].splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    fix = "its first line names the columns, for instance: timestamp_utc,gco2e_per_kwh"
    header: Sequence[str] = ()
    try:
        header = next((row for row in reader if any(cell.strip() for cell in row)), ())
    except csv.Error as error:
        raise refused(name, option, f"line {reader.line_num}: {error}", fix) from error
    columns = tuple(cell.strip() for cell in header)
    if len(columns) < 2:
        raise refused(name, option, "it has no header of two columns or more", fix)

    def rows() -> Iterator[tuple[int, Mapping[str, Any]]]:
        try:
            for row in reader:
                if not any(cell.strip() for cell in row):
                    continue
                if len(row) != len(columns):
                    why = f"line {reader.line_num}: {len(row)} cells under {len(columns)} columns"
                    raise refused(name, option, why, "give every row as many cells as the header has")
                cells = (cell.strip() for cell in row)
                if delimiter == ";":  # where commas are decimal
                    cells = (c.replace(",", ".") if c.count(",") == 1 and "." not in c else c for c in cells)
                yield reader.line_num, dict(zip(columns, cells, strict=True))
        except csv.Error as error:
            raise refused(name, option, f"line {reader.line_num}: {error}", fix) from error

    return RateTable(name, option, columns, "line", rows())


def _json(text: str, name: str, option: str) -> RateTable:
    fix = 'write a list of records: [{"datetime": "2026-11-30T20:00Z", "carbonIntensity": 44}, …]'
    try:
        document = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise refused(name, option, f"line {error.lineno}: {error.msg}", fix) from error
    records = _records(document)
    if not records:
        raise refused(name, option, "it holds no list of records", fix)
    flat = [_flat(record) for record in records]
    columns = tuple(dict.fromkeys(column for record in flat for column in record))
    empty = dict.fromkeys(columns)
    rows = ((place, {**empty, **record}) for place, record in enumerate(flat, start=1))
    return RateTable(name, option, columns, "record", rows)


def _records(document: object) -> list[dict[str, Any]]:
    """Return the list of records that a document is or holds, at most two levels down."""
    for _ in range(3):
        if isinstance(document, list):
            return [record for record in document if isinstance(record, dict)] if document else []
        if not isinstance(document, dict):
            return []
        document = next((document[key] for key in _LISTS if isinstance(document.get(key), dict | list)), None)
    return []


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the fields of records inside it as ``outer.inner``, one level deep."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat |= {f"{key}.{inner}": one for inner, one in value.items()}
        else:
            flat[key] = value
    return flat

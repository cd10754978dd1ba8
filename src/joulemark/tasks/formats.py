"""From the bytes of a data file to its rows: JSON lines, JSON, CSV, TSV, Parquet, texts; plain or gzipped."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
MAX_UNPACKED_BYTES = 4 << 30
_BOM = b"\xef\xbb\xbf"

Fields = dict[str, object]


class FileFault(Exception):
    """A file, or a row of it (``place``), that cannot be read."""

    def __init__(self, why: str, place: str = "") -> None:
        super().__init__(why)
        self.why, self.place = why, place


def format_of(name: str) -> str | None:
    """Return which of `SUFFIXES` a file's name ends in, gzipped or not; null for none."""
    bare = name.lower().removesuffix(".gz")
    return next((suffix for suffix in SUFFIXES if bare.endswith(suffix)), None)


def read_fields(name: str, data: bytes, rows_key: str | None) -> Iterator[tuple[str, Fields]]:
    """Yield (place, fields) of each row; a file without a known suffix is read as JSON lines.

    Lines of a ``.txt`` that do not begin as JSON does are rows with a ``text``.
    ``rows_key`` is where a JSON document that is an object keeps its rows. Raises `FileFault`.
    """
    if name.lower().endswith(".gz"):
        data = _unpacked(data)
    kind = format_of(name)
    if kind == ".parquet":
        yield from _parquet(data)
    elif kind in (".csv", ".tsv"):
        yield from _tabbed(data) if kind == ".tsv" else _separated(data, ",")
    elif kind == ".json":
        yield from _json(data, rows_key)
    elif name.lower().removesuffix(".gz").endswith(".txt") and not data.lstrip(_BOM).lstrip().startswith(
        b"{"
    ):
        yield from _lines(data)
    else:
        yield from _json_lines(data)


def _unpacked(data: bytes) -> bytes:
    try:
        with gzip.open(io.BytesIO(data)) as file:
            unpacked = file.read(MAX_UNPACKED_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileFault(f"it is not gzip ({error})") from error
    if len(unpacked) > MAX_UNPACKED_BYTES:
        raise FileFault("it unpacks to more than 4 GiB")
    return unpacked


def _text(data: bytes) -> str:
    try:
        return data.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        raise FileFault(f"byte {error.start + 1} is not UTF-8") from error


def _lines(data: bytes) -> Iterator[tuple[str, Fields]]:
    for number, line in enumerate(_text(data).splitlines(), start=1):
        if line.strip():
            yield f"line {number}", {"text": line.strip()}


def _json_lines(data: bytes) -> Iterator[tuple[str, Fields]]:
    for number, raw in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        if not raw.strip():
            continue
        place = f"line {number}"
        try:
            fields = json.loads(raw.decode(), object_pairs_hook=_unique)
        except UnicodeDecodeError as error:
            raise FileFault(f"byte {error.start + 1} is not UTF-8", place) from error
        except (RecursionError, ValueError) as error:
            raise FileFault(f"it is not JSON ({error})", place) from error
        yield place, _object(fields, place)


def _json(data: bytes, rows_key: str | None) -> Iterator[tuple[str, Fields]]:
    """Read a document; several in a row are JSON lines under another name, as some data sets have them."""
    try:
        document = json.loads(_text(data), object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise FileFault(f"it is not JSON ({error})") from error
        yield from _json_lines(data)
        return
    except (RecursionError, ValueError) as error:
        raise FileFault(f"it is not JSON ({error})") from error
    if isinstance(document, dict) and rows_key is not None and rows_key in document:
        document = document[rows_key]
    rows = document if isinstance(document, list) else [document]
    for number, fields in enumerate(rows, start=1):
        place = f"item {number}"
        yield place, _object(fields, place)


def _unique(pairs: list[tuple[str, object]]) -> Fields:
    """Make an object; a key that stands twice has two values, and which one is meant nobody knows."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return fields


def _object(value: Any, place: str) -> Fields:
    if not isinstance(value, dict):
        raise FileFault(f"it is a JSON {type(value).__name__}, not an object", place)
    return value


def _tabbed(data: bytes) -> Iterator[tuple[str, Fields]]:
    """Read a TSV file: quoted as CSV is, or, where that cannot be, with quotes that mean themselves."""
    try:
        return iter(list(_separated(data, "\t")))
    except FileFault:
        return _separated(data, "\t", csv.QUOTE_NONE)


def _separated(
    data: bytes, separator: str, quoting: Literal[0, 3] = csv.QUOTE_MINIMAL
) -> Iterator[tuple[str, Fields]]:
    text = io.StringIO(_text(data), newline="")
    reader = csv.reader(text, delimiter=separator, strict=True, quoting=quoting)
    header: list[str] | None = None
    try:
        for cells in reader:
            place = f"line {reader.line_num}"
            if header is None:
                header = cells
                names = Counter(cells)
                doubled = [name for name, times in names.items() if times > 1][:3]
                if doubled:
                    raise FileFault(f"columns stand twice: {', '.join(doubled)}", place)
            elif cells:
                if len(cells) != len(header):
                    raise FileFault(f"it has {len(cells)} columns, and the header {len(header)}", place)
                yield place, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise FileFault(f"it is not CSV ({error})", f"line {reader.line_num}") from error


def _parquet(data: bytes) -> Iterator[tuple[str, Fields]]:
    import polars as pl

    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except Exception as error:  # polars raises whatever its reader does, panics included
        raise FileFault(f"it is not Parquet ({str(error).splitlines()[0][:120]})") from error
    for number, fields in enumerate(frame.iter_rows(named=True), start=1):
        yield f"row {number}", fields

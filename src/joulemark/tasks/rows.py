"""The rows of a data set, read from a file or a folder of the user's, with errors that name the row."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.record.errors import InputError
from joulemark.tasks.formats import SUFFIXES, FileFault, format_of, read_fields

_SPLITS = {
    "train": "train",
    "dev": "dev",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
}
_WORDS = re.compile(r"[A-Za-z]+")


class RowFault(Exception):
    """A row does not have what a definition wants of it; the text says what."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a data set: its place, the split it is, and what it is called (a subject, a sub-task)."""

    path: Path
    split: str
    name: str


@dataclass(frozen=True, slots=True)
class Row:
    """One row. ``place`` names it in messages; ``file`` and ``split`` are its source's name and split.

    ``folder`` is where its file lies, null where that is no place that a row may speak of.
    """

    fields: Mapping[str, object]
    place: str
    file: str
    split: str
    folder: Path | None = None

    def fault(self, why: str, fix: str) -> InputError:
        """Return the error of a row that cannot be used."""
        return InputError(f"{self.place} cannot be used", why=why, fix=fix)

    def text(self, name: str) -> str:
        """Return a field that must be a text with something in it; raises `RowFault`."""
        value = self.fields.get(name)
        if not isinstance(value, str) or not value.strip():
            found = "it is missing" if name not in self.fields else f"it is {value!r}"[:60]
            raise RowFault(f'"{name}" must be a text, but {found}')
        return value


@dataclass(frozen=True, slots=True)
class DataSet:
    """Rows in file order. ``revision``: SHA-256 (hex) of the bytes; ``origin`` names them in messages."""

    rows: tuple[Row, ...]
    revision: str
    origin: str

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits there are, in order of first appearance."""
        return tuple(dict.fromkeys(row.split for row in self.rows))


def read_path(path: Path, *, split: str, rows_key: str | None, expected: str) -> DataSet:
    """Read a data file, or every data file of a folder and its subfolders, in order of their names.

    The split of a file is told by its name or its folder's ("dev/law_dev.csv"), else it is ``split``.
    ``rows_key``: where a JSON document keeps its rows. Raises `InputError`.
    """
    files = [path]
    if path.is_dir():
        files = [p for p in sorted(path.rglob("*")) if p.is_file() and format_of(p.name) is not None]
        if not files:
            raise InputError(
                f"{path} holds no data file", why=f"none ends in {', '.join(SUFFIXES)}", fix="name the file"
            )
    sources = [Source(file, split_of(file, path) or split, _stem(file.name)) for file in files]
    return read_sources(sources, path.name, rows_key, expected)


def read_sources(files: Sequence[Source], origin: str, rows_key: str | None, expected: str) -> DataSet:
    """Read files whose splits are known; see `read_path`."""
    contents: list[tuple[Source, bytes]] = []
    for source in files:
        try:
            contents.append((source, source.path.read_bytes()))
        except OSError as error:
            raise InputError(
                f"the file {source.path} cannot be read",
                why=error.strerror or str(error),
                fix=f"pass a file whose rows are {expected}",
            ) from error
    return parse_contents(contents, origin, rows_key, expected)


def parse_contents(
    contents: Iterable[tuple[Source, bytes]], origin: str, rows_key: str | None, expected: str
) -> DataSet:
    """Parse files that were read; the revision is that of one file, or of the digests of several."""
    rows: list[Row] = []
    digests: list[str] = []
    for source, data in contents:
        file, name, split = source.path, source.name, source.split
        digests.append(hashlib.sha256(data).hexdigest())
        try:
            rows += [
                Row(f, f"{file}, {place}", name, split, file.parent)
                for place, f in read_fields(file.name, data, rows_key)
            ]
        except FileFault as fault:
            where = f"{file}, {fault.place}" if fault.place else str(file)
            raise InputError(
                f"{where} cannot be used", why=fault.why, fix=f"write each row as {expected}"
            ) from fault
    if not rows:
        raise InputError(f"{origin} holds no items", why="it is empty", fix=f"write each row as {expected}")
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    return DataSet(tuple(rows), whole, origin)


def _stem(name: str) -> str:
    return name.removesuffix(".gz").rpartition(".")[0] or name


def split_of(file: Path, root: Path) -> str | None:
    """Return the split that a file's name, or that of the nearest folder, speaks of; null for none."""
    inner = file.relative_to(root).parts if file != root else (file.name,)
    for part in reversed(inner):
        for word in reversed(_WORDS.findall(part.partition(".")[0].lower())):
            if word in _SPLITS:
                return _SPLITS[word]
    return None

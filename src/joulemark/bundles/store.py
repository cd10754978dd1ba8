"""Imported rows on disk: one file an import, named by what was imported, so that nothing is stored twice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from joulemark.bundles.published import row_key
from joulemark.files.atomic import remove_for_good, write_whole
from joulemark.record.errors import InputError
from joulemark.record.published import PUBLISHED_SCHEMA_VERSION, PublishedRow, PublishedRows

SUFFIX = ".published.json"
MAX_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Stored:
    """An import and where its rows lie; ``state`` is ``new``, ``unchanged`` or ``replaced``."""

    path: Path
    state: str
    rows: tuple[PublishedRow, ...]
    replaced: tuple[Path, ...] = ()


def store(document: PublishedRows, into: Path, *, stem: str, digest: str, replace: bool) -> Stored:
    """Write the rows into a folder, which is made; raises `InputError`.

    ``digest`` is that of the imported bytes. Rows of one configuration from two files are refused, unless
    ``replace`` removes the file that held them before: rows must not count twice.
    """
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", stem)[:100]
    path = into / f"{safe}-{digest}{SUFFIX}"
    keys = {row_key(row) for row in document.rows}
    others = [other for other in stored_files(into) if other != path]
    overlapping = [other for other in others if any(row_key(row) in keys for row in read_stored(other).rows)]
    if overlapping and not replace:
        same = next((other for other in overlapping if other.name.endswith(f"-{digest}{SUFFIX}")), None)
        if same is not None:  # the same bytes under another name
            return Stored(same, "unchanged", tuple(read_stored(same).rows))
        raise InputError(
            f"{into} already holds rows of these configurations",
            why=f"they are in {overlapping[0].name}, from another version of the file",
            fix="--replace takes the new rows in their place; or name another folder with --into",
        )
    before = tuple(read_stored(path).rows) if path.is_file() else None
    if before is None or before != tuple(document.rows):
        _write(path, document)
    for other in overlapping:
        remove_for_good(other)
    if overlapping:
        state = "replaced"
    elif before is None:
        state = "new"
    else:
        state = "unchanged" if before == tuple(document.rows) else "replaced"
    return Stored(path, state, tuple(document.rows), tuple(overlapping))


def stored_files(folder: Path) -> list[Path]:
    """Return the files of imported rows that lie in a folder itself, by name."""
    return sorted(path for path in folder.glob(f"*{SUFFIX}") if path.is_file())


def read_stored(path: Path) -> PublishedRows:
    """Return the rows of one import; raises `InputError` for a file that is none, or of a newer version."""
    fix = f"remove {path.name} and import the published file again"
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} cannot be read", why=f"it has over {MAX_BYTES >> 20} MiB", fix=fix)
        rows = PublishedRows.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} cannot be read", why=error.strerror or str(error), fix=fix) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{path} holds no imported rows", why=f"{where}: {first['msg']}", fix=fix) from error
    if rows.schema_version.partition(".")[0] != PUBLISHED_SCHEMA_VERSION.partition(".")[0]:
        raise InputError(
            f"{path} is of schema {rows.schema_version[:20]}", why="this version cannot read it", fix=fix
        )
    return rows


def _write(path: Path, document: PublishedRows) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, document.model_dump_json(indent=1).encode() + b"\n")
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(
            f"{path} cannot be written", why=why, fix="name another folder with --into"
        ) from error

"""Nested JSON of other tools, read with distrust: parts as rows whose errors name their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joulemark.bundles.foreign_file import ForeignFile
from joulemark.bundles.foreign_row import ForeignRow
from joulemark.record.errors import InputError

SECONDS = {"ms": 1e-3, "s": 1.0, "sec": 1.0, "us": 1e-6, "ns": 1e-9}


def part(file: ForeignFile, document: object, *path: str) -> ForeignRow:
    """Return the object at a path as a row, an empty one where there is none; raises `InputError`."""
    found: Any = document
    for k, name in enumerate(path):
        if found is None:
            break
        if not isinstance(found, Mapping):
            raise file.refused(f"{'.'.join(path[:k])}: it is no object", "take the file as the tool wrote it")
        found = found.get(name)
    if found is not None and not isinstance(found, Mapping):
        raise file.refused(f"{'.'.join(path)}: it is no object", "take the file as the tool wrote it")
    return ForeignRow(file.name, ".".join(path) or "the document", found or {})


def objects(file: ForeignFile, found: object, name: str) -> list[Mapping[str, Any]]:
    """Return a list of objects that must be there and hold one at least; raises `InputError`."""
    if not isinstance(found, list) or not found or not all(isinstance(one, Mapping) for one in found):
        raise file.refused(f"{name}: it is no list of objects", "take the file as the tool wrote it")
    return found


def needs_task(file: ForeignFile, task: str | None, example: str) -> str:
    """Return the task that was named; raises `InputError` where none was and the file cannot say it."""
    if task is None:
        raise file.refused("it does not say what was asked", f"name it: --task {example}")
    return task


def share_of(row: ForeignRow, name: str) -> float | None:
    """Return a share of 0 to 1, null where there is none; raises `InputError` for another number."""
    found = row.optional_number(name, positive=False)
    if found is not None and found > 1:
        raise row.refused(name, f"{found:g} is no share of 0 to 1")
    return found


def wrong_kind(file: ForeignFile, tool: str) -> InputError:
    """Return the error about a file that this tool did not write."""
    return file.refused(
        f"it is none that {tool} writes", "`joulemark import --help` names the kinds of files"
    )

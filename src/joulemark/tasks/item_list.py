"""A list of the items to ask: ids one a line, a JSON list, or what `joulemark frugal choose` wrote."""

from __future__ import annotations

from pathlib import Path

import orjson

from joulemark.record.errors import InputError

_FIX = "give a file with an item id a line, or one that `joulemark frugal choose` wrote"


def read_item_ids(path: Path) -> tuple[str, ...]:
    """Return the ids, each once. Raises `InputError` where there are none, or the file is something else."""
    try:
        data = path.read_bytes()
        ids = _of_json(data) if data.lstrip()[:1] in (b"{", b"[") else data.decode().splitlines()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{path} is no list of items", why=why or type(error).__name__, fix=_FIX) from error
    found = tuple(dict.fromkeys(one.strip() for one in ids if one.strip()))
    if not found:
        raise InputError(f"{path} names no item", why="it is empty", fix=_FIX)
    return found


def _of_json(data: bytes) -> list[str]:
    document = orjson.loads(data)
    ids = document.get("item_ids") if isinstance(document, dict) else document
    if not isinstance(ids, list) or not all(isinstance(one, str | int) for one in ids):
        raise ValueError("it has no list `item_ids`")
    return [str(one) for one in ids]

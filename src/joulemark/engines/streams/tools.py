"""Tool calls, put together from the parts of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from joulemark.engines.streams.decode import join


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for; ``arguments`` is JSON text as the model wrote it."""

    id: str | None
    name: str | None
    arguments: str


class ToolParts:
    """Collects the parts of calls, which belong together by their index."""

    def __init__(self) -> None:
        self._calls: list[tuple[Any, str | None, list[str], list[str]]] = []
        self._latest: dict[Any, int] = {}

    def add(self, index: Any, call_id: Any, name: Any, arguments: Any) -> None:
        """Add a part. An unhashable or missing ``index`` means: the latest call, unless an id starts one."""
        key = index if isinstance(index, int | str) else None
        call_id = join([call_id]) if isinstance(call_id, str) and call_id else None
        name = name if isinstance(name, str) else ""
        at = self._latest.get(key)
        # Some gateways give every call the index 0 and tell them apart by id; others make up a new id
        # for each part. Only a new id together with a name starts another call.
        fresh = at is not None and bool(call_id and name) and self._calls[at][1] not in (None, call_id)
        whole = at is not None and key is None and bool(name)
        if at is None or fresh or whole:
            at = self._latest[key] = len(self._calls)
            self._calls.append((key, call_id, [], []))
        elif call_id and self._calls[at][1] is None:
            self._calls[at] = (key, call_id, *self._calls[at][2:])
        _, _, names, parts = self._calls[at]
        if name and name not in names:
            names.append(name)
        parts.append(_argument_text(arguments))

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls in the order in which they began."""
        return tuple(ToolCall(i, join(names) or None, join(parts)) for _, i, names, parts in self._calls)


def _argument_text(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    if arguments is None:
        return ""
    try:
        return orjson.dumps(arguments).decode()
    except (TypeError, orjson.JSONEncodeError):
        return ""

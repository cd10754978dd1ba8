"""One event of a response body, framed but not decoded."""

from __future__ import annotations

from typing import NamedTuple


class Frame(NamedTuple):
    """The payload of one event.

    ``data`` holds the bytes of the data field (several ``data:`` lines joined with LF) or of the line.
    ``event`` is the event's name, empty where none was sent. ``bare`` marks a payload that did not come in
    a data field, as some servers send their errors.
    """

    data: bytes
    event: bytes = b""
    bare: bool = False

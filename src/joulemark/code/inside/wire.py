"""Messages over a socket: four bytes of length, then JSON. The same on both sides.

A message may announce bytes that follow it: inputs to a program's process, and from there results where the
parent asked for them as bytes.
"""

from __future__ import annotations

import json
import os
from typing import Any

MAX_MESSAGE_BYTES = 64 << 20  # of what a program sends: the parent has to hold it several times over
_HEADER = 4


class Closed(Exception):
    """The other side is gone."""


class Wire:
    """The child's end of the channel: blocking reads and writes on a descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        # A program may replace functions of modules; what these names were at the start is kept.
        self._read = os.read
        self._write = os.write

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        body = json.dumps(message, separators=(",", ":")).encode()
        self.send_bytes(len(body).to_bytes(_HEADER, "big") + body)

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are: a message has announced them."""
        left = memoryview(data)
        while left:
            left = left[self._write(self._descriptor, left) :]

    def receive(self) -> dict[str, Any]:
        """Wait for a message. Raises `Closed`."""
        size = int.from_bytes(self._exactly(_HEADER), "big")
        message: dict[str, Any] = json.loads(self._exactly(size))
        return message

    def receive_bytes(self, size: int) -> bytes:
        """Wait for so many bytes that follow a message. Raises `Closed`."""
        return self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        parts = []
        while size:
            part = self._read(self._descriptor, min(size, 1 << 20))
            if not part:
                raise Closed
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

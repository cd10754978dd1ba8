"""Incremental framing of newline-delimited JSON, and of a body that is one document."""

from __future__ import annotations

from joulemark.engines.streams.frame import Frame


class LineFramer:
    """Cuts a byte stream at LF; blank lines are nothing. Linear in the bytes fed, no limit for a line."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = bytearray()

    def cut(self, data: bytes) -> list[bytes]:
        """Take the bytes of one read and return the lines it completed."""
        held = self._held
        end = data.rfind(b"\n")
        if end < 0:
            held += data
            return []
        if held:
            held += data[:end]
            lines = bytes(held).split(b"\n")
            held.clear()
        else:
            lines = data[:end].split(b"\n")
        held += data[end + 1 :]
        return lines

    def rest(self) -> list[bytes]:
        """Return the line that the end of the stream left without its line end."""
        line = bytes(self._held)
        self._held.clear()
        return [line]

    @staticmethod
    def frames(line: bytes) -> list[Frame]:
        """Return the line as a frame; a blank one is nothing."""
        return [Frame(line)] if line.strip() else []


class BodyFramer:
    """Keeps everything: a body that is one JSON document has no events before its end."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held = bytearray()

    def cut(self, data: bytes) -> list[bytes]:
        """Take the bytes of one read; nothing is complete before the end."""
        self._held += data
        return []

    def rest(self) -> list[bytes]:
        """Return the whole body."""
        body = bytes(self._held)
        self._held.clear()
        return [body]

    @staticmethod
    def frames(body: bytes) -> list[Frame]:
        """Return the body as a frame; a blank one is nothing."""
        return [Frame(body)] if body.strip() else []

"""The incremental byte framer: what kind of body it is, then its frames."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from joulemark.engines.streams.frame import Frame
from joulemark.engines.streams.lines import BodyFramer, LineFramer
from joulemark.engines.streams.sse import SseFramer

_LEADING = b"\xef\xbb\xbf \t\r\n"


class BodyKind(StrEnum):
    """How a response body is cut into events."""

    SSE = "sse"
    NDJSON = "ndjson"
    JSON = "json"


def sniff(content_type: str | None, head: bytes) -> BodyKind | None:
    """Tell the kind of a body from its content type and its first bytes.

    The bytes decide between events and JSON, because proxies mislabel; the content type decides between
    one document and a document a line. Null while there is no byte that tells.
    """
    first = head.lstrip(_LEADING)[:1]
    if not first:
        return None
    if first not in b"{[":
        return BodyKind.SSE
    media = (content_type or "").partition(";")[0].strip().lower()
    return BodyKind.JSON if media == "application/json" else BodyKind.NDJSON


class Cutter(Protocol):
    """Cuts one kind of body: first into pieces, one an event, then reads the frames of a piece."""

    def cut(self, data: bytes) -> list[bytes]:
        """Take the bytes of one read and return the pieces that they completed."""
        ...

    def rest(self) -> list[bytes]:
        """End the stream and return what was left unfinished."""
        ...

    @staticmethod
    def frames(piece: bytes) -> list[Frame]:
        """Return the frames of one piece: none, or one (and a bare one before it)."""
        ...


CUTTERS: dict[BodyKind, Callable[[], Cutter]] = {
    BodyKind.SSE: SseFramer,
    BodyKind.NDJSON: LineFramer,
    BodyKind.JSON: BodyFramer,
}


class Framer:
    """Cuts the bytes of a response into frames, whatever its kind; the kind is sniffed.

    ``kind`` is null until the first telling byte came. A JSON body without a content type that says
    otherwise is framed line by line.
    """

    __slots__ = ("_content_type", "_cutter", "_head", "kind")

    def __init__(self, content_type: str | None = None) -> None:
        self._content_type = content_type
        self._head = b""
        self._cutter: Cutter | None = None
        self.kind: BodyKind | None = None

    def feed(self, data: bytes) -> list[Frame]:
        """Take the bytes of one read and return the frames that it completed, in order."""
        if self._cutter is None:
            data = self._head = self._head + data
            self.kind = sniff(self._content_type, data)
            if self.kind is None:
                return []
            self._cutter, self._head = CUTTERS[self.kind](), b""
        return _frames(self._cutter, self._cutter.cut(data))

    def finish(self) -> list[Frame]:
        """End the stream; return what was left unfinished: no frame, or one (and a bare one before it)."""
        return [] if self._cutter is None else _frames(self._cutter, self._cutter.rest())


def _frames(cutter: Cutter, pieces: list[bytes]) -> list[Frame]:
    return [frame for piece in pieces for frame in cutter.frames(piece)]

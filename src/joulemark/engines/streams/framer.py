"""The incremental byte framer: what kind of body it is, then its frames."""

from __future__ import annotations

from enum import StrEnum

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


_FRAMERS: dict[BodyKind, type[SseFramer] | type[LineFramer] | type[BodyFramer]] = {
    BodyKind.SSE: SseFramer,
    BodyKind.NDJSON: LineFramer,
    BodyKind.JSON: BodyFramer,
}


class Framer:
    """Cuts the bytes of a response into frames, whatever its kind; the kind is sniffed.

    ``kind`` is null until the first telling byte came. A JSON body without a content type that says
    otherwise is framed line by line.
    """

    __slots__ = ("_content_type", "_framer", "_head", "kind")

    def __init__(self, content_type: str | None = None, kind: BodyKind | None = None) -> None:
        self._content_type = content_type
        self._head = b""
        self._framer: SseFramer | LineFramer | BodyFramer | None = None
        self.kind: BodyKind | None = None
        if kind is not None:
            self._start(kind)

    def feed(self, data: bytes) -> list[Frame]:
        """Take the bytes of one read and return the frames that it completed, in order."""
        if self._framer is not None:
            return self._framer.feed(data)
        self._head += data
        kind = sniff(self._content_type, self._head)
        if kind is None:
            return []
        data, self._head = self._head, b""
        return self._start(kind).feed(data)

    def finish(self) -> list[Frame]:
        """End the stream; return what was left unfinished: no frame, or one (and a bare one before it)."""
        return [] if self._framer is None else self._framer.finish()

    def _start(self, kind: BodyKind) -> SseFramer | LineFramer | BodyFramer:
        self.kind = kind
        self._framer = framer = _FRAMERS[kind]()
        return framer

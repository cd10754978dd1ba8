"""Going through the reads of one exchange: framing, decoding, stamping."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from joulemark.engines.streams.decode import Undecodable, decode
from joulemark.engines.streams.dialect import read_object
from joulemark.engines.streams.draft import Draft
from joulemark.engines.streams.fault import bare_fault, text_fault
from joulemark.engines.streams.frame import Frame
from joulemark.engines.streams.framer import CUTTERS, BodyKind, sniff

DONE = b"[DONE]"
_HEAD_BYTES = 4096

Reads = Sequence[tuple[int, bytes]]


class Reader:
    """What the reads of one body say, in ``draft``, and when each JSON event came.

    ``stamps`` and ``coalesced`` have one entry a JSON event. ``done_t`` is the stamp of the read with
    ``[DONE]``. ``cut``: the last event is a part of one. ``blank``: nothing but white space came.
    ``streamed`` is false where the body is one JSON document. ``head`` are the first bytes.
    """

    def __init__(self, reads: Reads, content_type: str | None) -> None:
        self.draft = Draft()
        self.stamps: list[int] = []
        self.coalesced: list[bool] = []
        self.done_t: int | None = None
        self.cut = False
        self.streamed = True
        self.head = _head(reads)
        kind = sniff(content_type, self.head)
        self.blank = kind is None
        lines_stated = content_type is not None and ("ndjson" in content_type or "jsonl" in content_type)
        if kind is BodyKind.SSE:
            self._stream(reads, kind)
        elif kind is not None and (lines_stated or not self._whole(reads)):
            self._stream(reads, BodyKind.NDJSON)
            if not self.stamps:
                # Not a single line decoded: one document over several lines, or a piece of one.
                self.streamed = not self._whole(reads) and kind is not BodyKind.JSON

    def _whole(self, reads: Reads) -> bool:
        """Read the body as one document, if it is one."""
        try:
            document = decode(b"".join(data for _, data in reads))
        except Undecodable:
            return False
        self.cut = self.streamed = False
        self.draft = Draft()
        self.draft.event = 0
        read_object(document, b"", self.draft, whole_body=True)
        return True

    def _stream(self, reads: Reads, kind: BodyKind) -> None:
        cutter, draft = CUTTERS[kind](), self.draft
        cut, frames, loads = cutter.cut, cutter.frames, orjson.loads
        stamps, coalesced = self.stamps, self.coalesced
        events = kind is BodyKind.SSE
        t_ns, again = 0, False
        for stamp, data in reads:
            if not data:
                continue
            t_ns, again = stamp, False
            for piece in cut(data):
                # Nearly every event is one line with an object: it is spared the detours below.
                if events and piece.startswith(b"data: {") and b"\n" not in piece:
                    try:
                        obj = loads(piece[6:])
                    except orjson.JSONDecodeError:
                        pass
                    else:
                        draft.event += 1
                        if not draft.closed:
                            read_object(obj, b"", draft)
                        stamps.append(t_ns)
                        coalesced.append(again)
                        again = True
                        continue
                for frame in frames(piece):
                    if self._take(frame):
                        stamps.append(t_ns)
                        coalesced.append(again)
                        again = True
                    elif self.done_t is not None:
                        self.done_t = t_ns
                        return
        for frame in [frame for piece in cutter.rest() for frame in frames(piece)]:
            if self._take(frame, at_end=True):
                stamps.append(t_ns)
                coalesced.append(again)
            elif self.done_t is not None:
                self.done_t = t_ns

    def _take(self, frame: Frame, at_end: bool = False) -> bool:
        """Read one frame; true if it was a JSON event."""
        data, event, bare = frame
        if data[:1] == b"[" and data.strip() == DONE:
            self.done_t = 0
            return False
        draft = self.draft
        try:
            obj = orjson.loads(data)
        except orjson.JSONDecodeError:
            try:
                obj = decode(data)
            except Undecodable:
                self._undecodable(frame, at_end)
                return False
        if bare:
            # Not a data field: heard only if it is an error.
            fault = bare_fault(obj, frame)
            if fault is not None:
                draft.fail(fault)
            return False
        draft.event += 1
        if not draft.closed:
            read_object(obj, event, draft)
        return True

    def _undecodable(self, frame: Frame, at_end: bool) -> None:
        data = frame.data.strip()
        if not data or data.startswith(b":"):
            return  # a keep-alive that a proxy sent as data
        if frame.event == b"error" and not at_end:
            self.draft.fail(text_fault(data))
        elif frame.bare:
            return
        elif at_end:
            # A piece of the marker is no piece of the answer.
            self.cut = not DONE.startswith(data)
        else:
            self.draft.complain("an event could not be decoded")


def _head(reads: Reads) -> bytes:
    """Return the first bytes, white space before them left out, so that they tell the kind of body."""
    head = b""
    for _, data in reads:
        head = (head + data).lstrip(b" \t\r\n")
        if len(head) >= _HEAD_BYTES:
            break
    return head[:_HEAD_BYTES]

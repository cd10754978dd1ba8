"""Seeing the logical end of a stream in the hot path, before the socket closes."""

from __future__ import annotations

import re

from joulemark.engines.streams.decode import Undecodable, decode
from joulemark.engines.streams.sse import frames_of

_KEPT = 16 * 1024
"""Most bytes of an unfinished event that are kept; a longer one is judged by its beginning."""

_LAST = ("message_stop", "response.completed", "response.failed", "response.incomplete")
_LAST_EVENTS = frozenset(name.encode() for name in _LAST)
_LAST_TYPE_FIRST = re.compile(rb'\s*\{\s*"type"\s*:\s*"(?:%s)"' % b"|".join(map(re.escape, _LAST_EVENTS)))
# Within a JSON string the quotes would be escaped, so this matches a key only.
_DONE_KEYS = re.compile(rb'"done"\s*:\s*true\s*,\s*"done_reason"')


_BLANKS = (b"\n\n", b"\r\n\r\n")


class EndDetector:
    """Tells when a response has logically ended, though the server may hold the connection open.

    The end is a data field that is ``[DONE]`` and nothing else, a ``message_stop`` or final ``response.…``
    event, or an Ollama line with ``"done": true``. Such words inside a text are no end. A typical read
    costs a few substring searches; JSON is decoded only for an event that looks like the last. At most
    16 KiB and the latest read are kept.
    """

    __slots__ = ("_choices", "_held", "_lines", "_long", "_swallow_lf", "ended")

    def __init__(self) -> None:
        self.ended = False
        self._held = bytearray()
        self._long = False
        self._swallow_lf = False
        self._choices = False  # OpenAI's chunks, which only ``[DONE]`` ends
        self._lines: bool | None = None  # JSON lines rather than server-sent events; null before a byte tells

    def feed(self, data: bytes) -> bool:
        """Take the bytes of one read; true once the end was seen."""
        if not self._held and not self._swallow_lf:
            if self._choices:
                if data.endswith(_BLANKS) and b"[DONE]" not in data:
                    return self.ended
            elif self._lines is False:
                if data.endswith(_BLANKS) and not _may_end(data):
                    self._choices = b'"choices"' in data
                    return self.ended
            elif self._lines and data[-1:] == b"\n" and b"true" not in data:
                return self.ended
        if not self.ended and data:
            self._feed(data)
        return self.ended

    def _feed(self, data: bytes) -> None:
        if self._lines is None:
            # Kept as it came until the kind is known: JSON lines have no CR to be brought to LF.
            data = bytes(self._held) + data
            self._held.clear()
            first = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
            if not first:
                self._held += data[-_KEPT:]
                return
            self._lines = first in b"{["
        if self._lines:
            self._cut(data, b"\n")
            # The last line may come without its line end.
            if not self.ended and not self._long and self._held.endswith(b"}"):
                self.ended = _line_ends(bytes(self._held), beginning_only=False)
            return
        if self._swallow_lf:
            self._swallow_lf = False
            data = data.removeprefix(b"\n")
        if b"\r" in data:
            self._swallow_lf = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self._cut(data, b"\n\n")

    def _cut(self, data: bytes, separator: bytes) -> None:
        """Add ``data``, judge the events that it completed, and keep the rest."""
        held = self._held
        new = max(0, len(held) - len(separator) + 1)
        held += data
        last = held.rfind(separator, new)
        if last >= 0:
            complete = bytes(held[:last])
            if _line_may_end(complete) if self._lines else _may_end(complete):
                ends = _line_ends if self._lines else _event_ends
                for part in complete.split(separator):
                    if ends(part, beginning_only=self._long):
                        self.ended = True
                        break
                    self._long = False
            self._long = False
            del held[: last + len(separator)]
        if len(held) > _KEPT:
            # The last byte may be half of the separator.
            self._long = True
            del held[_KEPT // 2 : -1]


def _may_end(data: bytes) -> bool:
    """Whether ``data`` holds any word that an end has."""
    if b"[DONE]" in data or b"message_stop" in data:
        return True
    return b"response." in data and any(name in data for name in _LAST_EVENTS)


def _event_ends(block: bytes, *, beginning_only: bool) -> bool:
    if not _may_end(block):
        return False
    frames = frames_of(block.removeprefix(b"\xef\xbb\xbf"))
    if not frames or (frame := frames[-1]).bare or not frame.data:
        return False
    if frame.event in _LAST_EVENTS:
        return True
    if beginning_only:
        return _LAST_TYPE_FIRST.match(frame.data) is not None
    if frame.data.strip() == b"[DONE]":
        return True
    obj = _decoded(frame.data)
    return isinstance(obj, dict) and obj.get("type") in _LAST


def _line_may_end(data: bytes) -> bool:
    """Whether ``data`` holds both words that the last line has."""
    return b'"done"' in data and b"true" in data


def _line_ends(line: bytes, *, beginning_only: bool) -> bool:
    if not _line_may_end(line):
        return False
    if beginning_only:
        return _DONE_KEYS.search(line) is not None
    obj = _decoded(line)
    return isinstance(obj, dict) and obj.get("done") is True


def _decoded(data: bytes) -> object:
    try:
        return decode(data)
    except Undecodable:
        return None

"""Incremental framing of server-sent events (WHATWG HTML section 9.2) on bytes.

Work is linear in the bytes fed, whatever the size of the pieces: a search never starts again before the
bytes that are new, and no line has a size limit.
"""

from __future__ import annotations

from joulemark.engines.streams.frame import Frame

_BOM = b"\xef\xbb\xbf"
_BLANK = b"\n\n"


class SseFramer:
    """Cuts a byte stream into events; line ends may be LF, CRLF or CR and may be cut anywhere."""

    __slots__ = ("_at_start", "_held", "_swallow_lf")

    def __init__(self) -> None:
        self._held = bytearray()
        self._at_start = True
        self._swallow_lf = False

    def cut(self, data: bytes) -> list[bytes]:
        """Take the bytes of one read and return the lines, LF between them, of each event it completed."""
        # A server that uses CR or CRLF is brought to LF here, so that the search below is one for LF LF.
        # JSON escapes a CR inside a text, so this changes no payload.
        if self._swallow_lf and data:
            self._swallow_lf = False
            data = data.removeprefix(b"\n")
        if b"\r" in data:
            self._swallow_lf = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        held = self._held
        if held:
            seen = len(held)
            held += data
            end = held.rfind(_BLANK, seen - 1)
            if end < 0:
                return []
            blocks = bytes(held[:end]).split(_BLANK)
            del held[: end + 2]
        else:
            blocks = data.split(_BLANK)
            if rest := blocks.pop():
                held += rest
        if self._at_start and blocks:
            self._at_start = False
            blocks[0] = blocks[0].removeprefix(_BOM)
        return blocks

    def rest(self) -> list[bytes]:
        """End the stream and return the lines of the event that it left unfinished."""
        block = bytes(self._held)
        self._held.clear()
        return [block.removeprefix(_BOM) if self._at_start else block]

    @staticmethod
    def frames(block: bytes) -> list[Frame]:
        """Read the lines of one event."""
        return frames_of(block)


def frames_of(block: bytes) -> list[Frame]:
    """Read the lines of one event (LF line ends): its frame if it has a payload, after a bare one if any."""
    if block.startswith(b"data: ") and b"\n" not in block:
        return [Frame(block[6:])]
    frames: list[Frame] = []
    data: list[bytes] = []
    event = b""
    for line in block.split(b"\n"):
        name, _, value = line.partition(b":")
        if name == b"data":
            data.append(value.removeprefix(b" "))
        elif name == b"event":
            event = value.removeprefix(b" ")
        elif name == b"error":
            # Older llama.cpp servers send ``error: {…}`` as a field of its own.
            frames.append(Frame(value.removeprefix(b" "), b"error", bare=True))
        elif line.startswith(b"{"):
            # No field of the standard: some servers write a JSON error without ``data:`` into the stream.
            frames.append(Frame(line, bare=True))
    if data:
        frames.append(Frame(b"\n".join(data), event))
    return frames

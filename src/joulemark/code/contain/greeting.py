"""Who is at the other end of a channel: a process is known by the number that the kernel vouches for."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Callable

from joulemark.code.contain.vitals import Gone

_CREDENTIALS = struct.Struct("3i")


def sender_of(channel: socket.socket, timeout_s: float) -> tuple[bytes, int]:
    """Return the first bytes of a channel and the id, as this process sees it, of the process that sent them.

    Where the kernel does not tell, the process has to. Raises ``OSError``, ``ValueError``, `Gone`.
    """
    channel.settimeout(timeout_s)
    data, ancillary, _, _ = channel.recvmsg(1 << 16, socket.CMSG_SPACE(_CREDENTIALS.size))
    channel.setblocking(False)
    if not data:
        raise Gone("it ended at its start")
    if hasattr(socket, "SO_PASSCRED"):
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                return data, int(_CREDENTIALS.unpack(content[: _CREDENTIALS.size])[0])
    return data, int(json.loads(data[data.index(b"{") :])["pid"])


def receive_until(end: float) -> Callable[[], None]:
    """Return what a channel is to call while it waits: it raises `Gone` past ``end`` (monotonic, s)."""

    def look() -> None:
        if time.monotonic() > end:
            raise Gone("it did not start in time")

    return look

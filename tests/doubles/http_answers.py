"""Answers over HTTP as they go over the wire, for a `doubles.listeners.Listener`."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

Script = Callable[[socket.socket, threading.Event], None]


def saying(*parts: bytes, close: bool = True, seen: list[bytes] | None = None) -> Script:
    """Answer each request on a connection with the next part; ``seen`` takes the requests."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        for part in parts:
            received = b""
            while not received.endswith(b"\r\n\r\n"):
                more = connection.recv(65536)
                if not more:
                    return
                received += more
            if seen is not None:
                seen.append(received)
            connection.sendall(part)
        if close:
            connection.close()
        else:
            over.wait()

    return behave


def ok(body: bytes, *fields: bytes, status: bytes = b"200 OK") -> bytes:
    """An answer with its length and more header fields."""
    head = b"".join(field + b"\r\n" for field in (b"Content-Length: %d" % len(body), *fields))
    return b"HTTP/1.1 " + status + b"\r\n" + head + b"\r\n" + body

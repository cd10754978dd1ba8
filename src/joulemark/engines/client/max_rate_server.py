"""A server that streams as fast as its socket takes it; run as a script in a process of its own.

It writes its port as a line to standard output and ends when its standard input does. Standard library only,
so that it starts in milliseconds under ``python -I -S``.
"""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time

EVENTS_A_WRITE = 64
_EVENT = (
    b'data: {"id":"self-test","choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}]}\n\n'
)
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _stream(connection: socket.socket, duration_s: float) -> None:
    with connection, contextlib.suppress(OSError):
        request = b""
        while b"\r\n\r\n" not in request:
            data = connection.recv(65536)
            if not data:
                return
            request += data
        connection.sendall(_HEAD)
        burst = _chunk(_EVENT) * EVENTS_A_WRITE
        end = time.monotonic() + duration_s
        while time.monotonic() < end:
            connection.sendall(burst)
        connection.sendall(_chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")


def main() -> None:
    """Serve on a free port of the loopback; the argument is the seconds that each answer streams."""
    duration_s = float(sys.argv[1])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()

        def accept() -> None:
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=_stream, args=(connection, duration_s), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        sys.stdin.read()


if __name__ == "__main__":
    main()

"""What may listen on an engine's port and is none: it stays silent, babbles, or never ends."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable

Behaviour = Callable[[socket.socket, threading.Event], None]


class Listener:
    """Takes connections on a free port of ``host`` while its ``with`` block runs; each gets ``behaviour``."""

    def __init__(self, behaviour: Behaviour, host: str = "127.0.0.1") -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family)
        self._behaviour = behaviour
        self._over = threading.Event()
        self._connections: list[socket.socket] = []
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def __enter__(self) -> Listener:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._over.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in self._connections:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._connections.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            self._behaviour(connection, self._over)


def silent(connection: socket.socket, over: threading.Event) -> None:
    """Take the connection and say nothing."""
    over.wait()


def garbage(connection: socket.socket, over: threading.Event) -> None:
    """Speak another protocol."""
    connection.sendall(b"\x00\xff SSH-2.0-nothing\r\n" * 50)
    over.wait()


def endless(connection: socket.socket, over: threading.Event) -> None:
    """Answer with a body that has no end, as fast as it is taken."""
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + b'{"data":[')
    while not over.is_set():
        connection.sendall(b'{"id":"m"},' * 6000)


def trickling(connection: socket.socket, over: threading.Event) -> None:
    """Answer a byte at a time, for ever."""
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    while not over.is_set():
        connection.sendall(b" ")
        time.sleep(0.05)


def hasty(connection: socket.socket, over: threading.Event) -> None:
    """Hang up at once."""
    connection.close()

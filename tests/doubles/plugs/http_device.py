"""A small HTTP server on 127.0.0.1, as a plug runs one; subclasses say what it answers."""

from __future__ import annotations

import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """A request: ``path`` without the query, ``target`` with it; names in ``headers`` are lower-case."""

    target: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """An answer; ``status`` 0 hangs up without one."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"


HANG_UP = Reply(b"", 0)


class HttpDevice(ABC):
    """Serves while its ``with`` block runs. ``requests`` are all that came; ``connections`` counts them."""

    server_header = "double"

    def __init__(self) -> None:
        device = self
        self.requests: list[Asked] = []
        self.connections = 0

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                device.connections += 1
                super().setup()

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                query = {k: v[-1] for k, v in parse_qs(parts.query, keep_blank_values=True).items()}
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.path, parts.path, query, headers)
                device.requests.append(asked)
                reply = device.answer(asked)
                if reply.status == 0:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response_only(reply.status)
                date = (
                    {"Date": self.date_time_string(device.clock_s())} if device.clock_s() is not None else {}
                )
                fields = {"Server": device.server_header, "Content-Type": reply.content_type, **date}
                for name, value in {**fields, **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self.port: int = self._server.server_address[1]
        self.address = f"127.0.0.1:{self.port}"

    @abstractmethod
    def answer(self, asked: Asked) -> Reply:
        """What the device says."""

    def clock_s(self) -> float | None:
        """Unix time for the ``Date`` field; null for a device that sends none."""
        return None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

"""A board that takes bundles: as much of one as a submitting client can tell."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(slots=True)
class Board:
    """What it was sent, and how it answers: ``status`` with ``reply`` and ``headers``."""

    url: str = ""
    status: int = 202
    reply: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    received: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    def bundles(self) -> list[str]:
        """The digests of the bundles that it was sent, in order."""

        sent = [body for path, _, body in self.received if path.endswith("/submissions")]
        return [hashlib.sha256(body).hexdigest() for body in sent]


@contextmanager
def serving() -> Iterator[Board]:
    """Serve a board on a port of this machine."""
    board = Board()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            board.received.append((self.path, dict(self.headers), body))
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            answer = json.dumps(board.reply).encode()
            self.send_response(board.status)
            for name, value in board.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    board.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield board
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""An HTTP server on 127.0.0.1 for one client with a key.

Other users of the machine can reach the port while power is measured, so a stranger gets little to work with:
a short head, a short time, one of few connections. The key is looked at before anything else, and without it
nothing more is read.
"""

from __future__ import annotations

import contextlib
import io
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson

_MAX_CONNECTIONS = 256
_MAX_HEAD_BYTES = 16_384
_STRANGER_S = 10.0  # how long one who has not shown the key may be silent


class KeyedServer(ThreadingHTTPServer):
    """A thread a connection, and no more than a fixed number of them: others are closed at once."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, handler: type[KeyedHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._free = threading.BoundedSemaphore(_MAX_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give a connection its thread, or close it."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection until it ends."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep out of the log who went away: strangers could fill it."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class KeyedHandler(BaseHTTPRequestHandler):
    """Reads the head of a request and goes on only with the key: ``bearer``, as the header has it."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer is one write
    bearer: bytes

    def setup(self) -> None:
        """Begin a connection as a stranger's."""
        super().setup()
        self.connection.settimeout(_STRANGER_S)

    def parse_request(self) -> bool:
        """Tell whether a request is to be answered; one that is not has been told so, and is not read on."""
        head = self._head()
        if head is None:
            self.requestline, self.request_version = "", self.protocol_version  # for `send_response`
            return self.refuse(431, "the head of the request is too long")
        wire, self.rfile = self.rfile, io.BytesIO(head)
        try:
            if not super().parse_request():
                return False
        finally:
            self.rfile = wire
        if not secrets.compare_digest(self.headers.get("authorization", "").encode(), self.bearer):
            return self.refuse(401, "the key is missing or wrong")
        self.connection.settimeout(None)
        return True

    def _head(self) -> bytes | None:
        """Return the lines after the first one up to the empty one; null where they are too many."""
        head = bytearray()
        while len(head) < _MAX_HEAD_BYTES:
            line = self.rfile.readline(_MAX_HEAD_BYTES)
            head += line
            if line in (b"\r\n", b"\n", b""):
                return bytes(head)
        return None

    def answer(self, status: int, told: dict[str, Any]) -> None:
        """Send ``told`` as JSON."""
        data = orjson.dumps(told)
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def refuse(self, status: int, message: str) -> bool:
        """Say why and end the connection: what was not read must not be taken for the next request."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.answer(status, {"error": {"message": message}})
        return False

    def log_message(self, *_args: object) -> None:
        """Log nothing."""

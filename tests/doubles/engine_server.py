"""A server that answers by method and path, as the engines behind ``--engine URL`` do."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class EngineServer:
    """Serves from a thread while its ``with`` block runs; it binds the loopback.

    ``routes`` maps ``"GET /path"`` to a JSON value, to a text, to (status, either), or to a function from the
    request's JSON to (status, either). A text that begins with ``data:`` is a stream of events, one that
    begins with ``{`` and has lines is a stream of JSON lines. ``seen`` are the requests: (route, headers,
    JSON body).
    """

    def __init__(self, routes: dict[str, Any]) -> None:
        self.routes = routes
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> EngineServer:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, route: str, headers: dict[str, str], body: dict[str, Any]) -> tuple[int, Any]:
        self.seen.append((route, headers, body))
        found = self.routes.get(route, (404, {"error": {"message": "no such page"}}))
        if callable(found):
            found = found(body)
        return found if isinstance(found, tuple) else (200, found)


def _content_type(text: str) -> str:
    if text.startswith("data:"):
        return "text/event-stream"
    return "application/x-ndjson" if text.startswith("{") and "\n" in text else "application/json"


def _handler(server: EngineServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _answer(self, body: dict[str, Any]) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, answer = server.answer(f"{self.command} {self.path}", headers, body)
            text = answer if isinstance(answer, str) else json.dumps(answer)
            kind = _content_type(text)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args: object) -> None:
            pass

    return Handler

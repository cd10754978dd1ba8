"""A small web server for one page: no visitor can hold it up, and no foreign web page can read it.

A page that is bound to this machine alone is still within reach of every browser on it: a web page may have
its own name resolve to 127.0.0.1 (DNS rebinding) and would then read what is served there as its own. Such a
request names that other host, so it is refused.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from joulemark.meters.http.page_name import means_this_machine

LONGEST_S = 10.0
"""How long a visitor may take, from connecting to the last byte."""
MOST = 16
"""How many visitors there may be at once; beyond them the oldest has to leave."""
_HARD_LIMIT = 2 * MOST  # with those that were asked to leave and have not yet
_LOOK_S = 0.25

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class PageServer:
    """Serves a WSGI application from threads of its own until `close`."""

    def __init__(self, app: App, host: str, port: int) -> None:
        """Bind and begin; port 0 takes a free one. Raises ``OSError`` where it cannot."""
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        self._server = _Server(family, address, app)
        self.port: int = self._server.server_port
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_LOOK_S,), name="page-server", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop serving; whoever is still being answered is cut off."""
        self._server.shutdown()
        self._server.server_close()
        self._server.end_all()
        self._thread.join()


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128  # a crowd must not make a visitor's first packet be dropped

    def __init__(self, family: int, address: Any, app: App) -> None:
        self.address_family = family
        self._since_s: dict[socket.socket, float] = {}  # of each visitor that is there, when it came
        self._asked_to_leave: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__(address, _Handler)
        bound = ipaddress.ip_address(str(self.server_address[0]).partition("%")[0])
        self.set_app(_for_this_machine(app) if bound.is_loopback else app)

    def server_bind(self) -> None:
        """Bind without asking the network for a name, as the base class does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread; where there are too many visitors the oldest is asked to leave."""
        with self._guard:
            full = len(self._since_s) >= _HARD_LIMIT
            if not full:
                self._since_s[request] = time.monotonic()
                staying = [one for one in self._since_s if one not in self._asked_to_leave]
                for one in staying[: max(0, len(staying) - MOST)]:
                    self._ask_to_leave(one)
        if full:
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread can be started
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, whoever ends it."""
        with self._guard:
            self._since_s.pop(request, None)
            self._asked_to_leave.discard(request)
            super().shutdown_request(request)

    def service_actions(self) -> None:
        """Called all the time: end what takes too long, however slowly it still sends or reads."""
        with self._guard:
            for request, since_s in self._since_s.items():
                if time.monotonic() - since_s > LONGEST_S:
                    self._ask_to_leave(request)

    def end_all(self) -> None:
        """Cut everybody off."""
        with self._guard:
            for request in self._since_s:
                self._ask_to_leave(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a visitor that went away or was sent away."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def _ask_to_leave(self, request: socket.socket) -> None:
        """Wake the thread of a visitor: its next read or write is at an end."""
        self._asked_to_leave.add(request)
        with contextlib.suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)


class _Handler(WSGIRequestHandler):
    timeout = LONGEST_S

    def log_message(self, format: str, *args: object) -> None:
        """Log no requests."""

    def address_string(self) -> str:
        return str(self.client_address[0])


def _for_this_machine(app: App) -> App:
    """Return ``app`` behind a check that a request names this machine as its host, or names none."""

    def checked(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        named = environ.get("HTTP_HOST")
        if named is None or means_this_machine(_without_port(str(named).strip())):
            return app(environ, start_response)
        start_response("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8")])
        return [b"this page is for this machine: ask for it as localhost or 127.0.0.1\n"]

    return checked


def _without_port(named: str) -> str:
    if named.startswith("["):
        return named[1:].partition("]")[0]
    return named.rpartition(":")[0] if named.count(":") == 1 else named

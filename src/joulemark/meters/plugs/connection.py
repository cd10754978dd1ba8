"""A GET over HTTP/1.1 that ends in time: one kept-alive connection to one device.

A socket's timeout counts anew with every byte, so a server that drips could hold a reader for ever. Here a
`Deadline` covers the whole exchange: looking the name up, connecting, TLS, sending and every receive. Nothing
is redirected and no proxy is asked, for a plug stands in one's own network and gets a password.
"""

from __future__ import annotations

import queue
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import httptools

from joulemark.meters.plugs.endpoint import Endpoint

REQUEST_S = 2.0
MAX_BODY = 64 * 1024
_MAX_RECEIVED = MAX_BODY + 32 * 1024  # status line, header fields and chunk sizes included
_RECEIVE = 16 * 1024


class Unanswered(Exception):
    """No usable answer came; the message is a reason code such as ``timeout`` or ``too_large``."""


class Deadline:
    """The real time that is left for an exchange; a virtual clock does not move sockets."""

    def __init__(self, seconds: float = REQUEST_S) -> None:
        self._end = time.monotonic() + seconds

    def left_s(self) -> float:
        """Return the seconds that are left; raises `Unanswered` (``timeout``) when there are none."""
        left_s = self._end - time.monotonic()
        if left_s <= 0:
            raise Unanswered("timeout")
        return left_s


@dataclass(slots=True)
class Answer:
    """What the server said. Names in ``headers`` are lower-case; of one that came twice the first holds."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class Connection:
    """One connection, made when it is needed and kept while the server keeps it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._socket: socket.socket | None = None
        self._addresses: list[tuple[Any, ...]] = []

    def get(self, path: str, deadline: Deadline, headers: dict[str, str] | None = None) -> Answer:
        """Ask for ``path`` (with its query, already quoted). Raises `Unanswered`.

        A kept connection may have been closed meanwhile: when not one byte came, it is asked once more on a
        new one.
        """
        kept = self._socket is not None
        request = self._request(path, headers or {})
        try:
            return self._exchange(request, deadline)
        except _NothingCame as error:
            self.close()
            if not kept:
                raise Unanswered("closed") from error
        except Unanswered:
            self.close()
            raise
        try:
            return self._exchange(request, deadline)
        except _NothingCame as error:
            self.close()
            raise Unanswered("closed") from error
        except Unanswered:
            self.close()
            raise

    def close(self) -> None:
        """Hang up; the next request connects again."""
        kept, self._socket = self._socket, None
        if kept is not None:
            kept.close()

    def _request(self, path: str, headers: dict[str, str]) -> bytes:
        fields = {
            "Host": self.endpoint.authority,
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Connection": "keep-alive",
            **headers,
        }
        lines = [f"GET {self.endpoint.prefix}{path} HTTP/1.1", *(f"{k}: {v}" for k, v in fields.items())]
        if any(not line.isprintable() for line in lines):
            raise Unanswered("malformed_request")  # a line break in a password would end the header field
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")

    def _exchange(self, request: bytes, deadline: Deadline) -> Answer:
        connected = self._socket or self._connect(deadline)
        self._socket = connected
        incoming = _Incoming()
        try:
            connected.settimeout(deadline.left_s())
            connected.sendall(request)
            while not incoming.complete:
                connected.settimeout(deadline.left_s())
                incoming.feed(connected.recv(_RECEIVE))
        except TimeoutError as error:
            raise Unanswered("timeout") from error
        except OSError as error:
            if incoming.received:
                raise Unanswered("cut_off") from error
            raise _NothingCame from error
        if not incoming.keep:
            self.close()
        return incoming.answer

    def _connect(self, deadline: Deadline) -> socket.socket:
        endpoint = self.endpoint
        if not self._addresses:
            self._addresses = _resolve(endpoint.host, endpoint.port, deadline)
        reason = "unreachable"
        for family, kind, protocol, _, address in self._addresses:
            connecting = socket.socket(family, kind, protocol)
            try:
                connecting.settimeout(deadline.left_s())
                connecting.connect(address)
                connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if endpoint.scheme == "https":
                    connecting.settimeout(deadline.left_s())
                    return ssl.create_default_context().wrap_socket(connecting, server_hostname=endpoint.host)
                return connecting
            except BaseException as error:
                connecting.close()
                if not isinstance(error, OSError):
                    raise
                reason = _connect_reason(error)
        self._addresses = []  # the name may mean another address by now
        raise Unanswered(reason)


class _NothingCame(Exception):
    """The connection ended before the first byte of an answer."""


class _Surplus(Exception):
    """A second answer began, though one was asked for."""


class _Incoming:
    """The answer as it arrives; callbacks are those of `httptools.HttpResponseParser`."""

    def __init__(self) -> None:
        self.answer = Answer()
        self.complete, self.keep, self.received = False, False, 0
        self._parser = httptools.HttpResponseParser(self)
        self._headers_done = False

    def feed(self, data: bytes) -> None:
        """Take what came; empty data is the end of the stream."""
        if not data:
            return self._end()
        self.received += len(data)
        if self.received > _MAX_RECEIVED:
            raise Unanswered("too_large")
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as error:
            raise Unanswered("not_http") from error
        except httptools.HttpParserCallbackError as error:
            if isinstance(error.__context__, Unanswered):
                raise error.__context__ from None
            if not isinstance(error.__context__, _Surplus):
                raise Unanswered("not_http") from error
        except httptools.HttpParserError as error:
            raise Unanswered("not_http") from error
        return None

    def _end(self) -> None:
        if not self.received:
            raise _NothingCame
        length_known = {"content-length", "transfer-encoding"} & self.answer.headers.keys()
        if not self._headers_done or length_known:
            raise Unanswered("cut_off")
        self.complete = True  # HTTP/1.0 style: the end of the stream is the end of the body

    def on_message_begin(self) -> None:
        self.keep = False
        if self.complete:  # more than was asked for: what follows is not this answer
            raise _Surplus

    def on_header(self, name: bytes, value: bytes) -> None:
        self.answer.headers.setdefault(name.decode("latin-1").lower(), value.decode("latin-1").strip())

    def on_headers_complete(self) -> None:
        self._headers_done = True
        self.answer.status = self._parser.get_status_code()

    def on_body(self, body: bytes) -> None:
        self.answer.body += body
        if len(self.answer.body) > MAX_BODY:
            raise Unanswered("too_large")

    def on_message_complete(self) -> None:
        if 100 <= self.answer.status < 200:  # an interim answer; the real one follows
            self.answer, self._headers_done = Answer(), False
            return
        self.complete = True
        self.keep = bool(self._parser.should_keep_alive())


def _connect_reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, ConnectionRefusedError):
        return "connection_refused"
    return "tls_failed" if isinstance(error, ssl.SSLError) else "unreachable"


def _resolve(host: str, port: int, deadline: Deadline) -> list[tuple[Any, ...]]:
    """Look a name up without waiting longer than the deadline: the system's resolver knows no timeout."""
    found: queue.SimpleQueue[list[tuple[Any, ...]] | OSError] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            found.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except (OSError, UnicodeError) as error:
            found.put(error if isinstance(error, OSError) else OSError(str(error)))

    threading.Thread(target=look_up, daemon=True, name="look-up").start()
    try:
        answer = found.get(timeout=deadline.left_s())
    except queue.Empty:
        raise Unanswered("timeout") from None
    if isinstance(answer, OSError):
        raise Unanswered("name_unknown") from answer
    return answer

"""One client's connection: HTTP/1.1 requests in, answers out, every byte as it is given."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import cast
from urllib.parse import parse_qs, urlsplit

import httptools

_MOST_BODY_BYTES = 64 << 20
_MOST_HEAD_BYTES = 64 << 10
_MOST_UNSENT_BYTES = 64 << 20
_MOST_QUEUED = 64


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came; ``query`` has the first value of each name, header names are lower-case.

    ``last``: the connection is to end with its answer.
    """

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    last: bool = False


@dataclass(slots=True)
class _Incoming:
    url: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    parts: list[bytes] = field(default_factory=list)
    n_bytes: int = 0


class Connection(asyncio.Protocol):
    """A connection that answers one request after another.

    ``handle`` is called with each request and this connection as the `Line` of its answer; it may set
    ``on_gone``, which is called when the client goes before the answer's end. ``common`` are headers of
    every answer. ``on_open`` and ``on_close`` are told of its life.
    """

    def __init__(
        self,
        handle: Callable[[Request, Connection], None],
        common: Mapping[str, str],
        on_open: Callable[[Connection], None],
        on_close: Callable[[Connection], None],
    ) -> None:
        self._handle, self._common = handle, common
        self._on_open, self._on_close = on_open, on_close
        self._parser = httptools.HttpRequestParser(self)
        self._incoming = _Incoming()
        self._requests: deque[Request] = deque()
        self._transport: asyncio.Transport | None = None
        self._busy = self._chunked = self._last = self._spoilt = False
        self.on_gone: Callable[[], None] | None = None
        self.closes = False

    # -- an answer ------------------------------------------------------------------------------------------

    def head(
        self,
        status: int,
        content_type: str,
        *,
        length: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Write the head of an answer: of ``length`` bytes, or of chunks."""
        self._chunked = length is None
        fields = {
            "Content-Type": content_type,
            **({"Transfer-Encoding": "chunked"} if length is None else {"Content-Length": str(length)}),
            **self._common,
            **(headers or {}),
        }
        if self._chunked:
            fields["Cache-Control"] = "no-cache"
        if self._last:
            fields["Connection"] = "close"
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self._send(f"HTTP/1.1 {status} {_phrase(status)}\r\n{lines}\r\n".encode("latin-1"))

    def write(self, data: bytes) -> None:
        """Write a part of the body, as a chunk of its own where the body is chunked."""
        if data:
            self._send(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data)

    def end(self) -> None:
        """End the answer, and the connection with it where that was to be; else take the next request."""
        if self._chunked:
            self._send(b"0\r\n\r\n")
        self.on_gone, self._busy = None, False
        done = self.closes or self._last or (self._spoilt and not self._requests)
        if self._transport is not None and done:
            self._transport.close()
        else:
            self._take_next()

    def hang_up(self) -> None:
        """End the connection in the middle of whatever it carries."""
        if self._transport is not None:
            self._transport.abort()

    def reply(
        self, status: int, content_type: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        """Write a whole answer."""
        self.head(status, content_type, length=len(body), headers=headers)
        self.write(body)
        self.end()

    def _send(self, data: bytes) -> None:
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        transport.write(data)
        if transport.get_write_buffer_size() > _MOST_UNSENT_BYTES:
            transport.abort()  # a client that asks and does not read would fill the memory

    # -- a request ------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Read what came; anything but HTTP ends the connection, after the answers that are due."""
        if self._spoilt:
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._spoilt = True
            if not self._busy:
                self.hang_up()

    def on_url(self, url: bytes) -> None:
        """Keep the request's address."""
        self._incoming.url += url
        self._grown(len(url), _MOST_HEAD_BYTES)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header."""
        self._incoming.headers[name.decode("latin-1").lower()] = value.decode("latin-1")
        self._grown(len(name) + len(value), _MOST_HEAD_BYTES)

    def on_headers_complete(self) -> None:
        """Tell a client that waits for it to go on with the body."""
        self._incoming.n_bytes = 0
        if self._incoming.headers.get("expect", "").lower() == "100-continue":
            self._send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, body: bytes) -> None:
        """Keep a part of the body."""
        self._incoming.parts.append(body)
        self._grown(len(body), _MOST_BODY_BYTES)

    def on_message_complete(self) -> None:
        """Queue the request; it is answered when those before it are."""
        came, self._incoming = self._incoming, _Incoming()
        last = not self._parser.should_keep_alive()
        parts = urlsplit(came.url.decode("latin-1"))
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        method = self._parser.get_method().decode("latin-1")
        body = b"".join(came.parts)
        self._requests.append(Request(method, parts.path or "/", query, came.headers, body, last))
        if len(self._requests) > _MOST_QUEUED:
            self.hang_up()
        elif not self._busy:
            self._take_next()

    def _take_next(self) -> None:
        if self._requests and not self._busy:
            self._busy, self.closes = True, False
            request = self._requests.popleft()
            self._last = request.last
            self._handle(request, self)

    def _grown(self, n_bytes: int, most: int) -> None:
        self._incoming.n_bytes += n_bytes
        if self._incoming.n_bytes > most:
            self.hang_up()

    # -- what the transport says ----------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send small writes at once."""
        self._transport = cast(asyncio.Transport, transport)
        sock = transport.get_extra_info("socket")
        if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._on_open(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever was answering."""
        self._transport = None
        gone, self.on_gone = self.on_gone, None
        if gone is not None:
            gone()
        self._on_close(self)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Simulated"

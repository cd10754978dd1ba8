"""Connections that do not wait for ever: for a head, for a body, or for a client that does not read."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_CRLF = "\r\n"


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds for a request's head, for its body, for an answer to be read.

    The body's is longer than what the application waits, which answers in words. ``head_bytes`` is the most
    of a head; ``connections``: of one address at once, null where all come from one proxy.
    """

    head_s: float = 10.0
    body_s: float = 75.0
    answer_s: float = 60.0
    head_bytes: int = 64 * 1024
    connections: int | None = 100


class PatientProtocol(HttpToolsProtocol):
    """A connection with deadlines. ``patience`` is a class attribute: the server makes the instances."""

    patience = Patience()
    by_address: ClassVar[Counter[str]] = Counter()

    _timer: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _address: str | None = None
    _reads_head = False
    _reads = False
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a head; one connection too many of an address is closed at once."""
        super().connection_made(transport)
        most = self.patience.connections
        if most is not None and self.client is not None:
            self._address = self.client[0]
            self.by_address[self._address] += 1
            if self.by_address[self._address] > most:
                self._close(429, "Too Many Requests")
                return
        self._arm(self.patience.head_s, self._late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._disarm()
        self._read_again()
        if self._address is not None:
            self.by_address[self._address] -= 1
            if self.by_address[self._address] <= 0:
                del self.by_address[self._address]
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in what arrived."""
        if self.transport.is_closing():
            return
        idle = not self._reads and (self.cycle is None or self.cycle.response_complete)
        if idle and self._timer is None:
            self._arm(self.patience.head_s, self._late)
        if idle or self._reads_head:
            self._head_bytes += len(data)
            if self._head_bytes > self.patience.head_bytes and not self._has_body(data):
                self._close(431, "Request Header Fields Too Large")
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._reads = self._reads_head = True
        if self._timer is None:
            self._arm(self.patience.head_s, self._late)

    def on_headers_complete(self) -> None:
        """A head is whole: its body has a time of its own."""
        self._reads_head, self._head_bytes = False, 0
        self._arm(self.patience.body_s, self._abort)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._reads = False
        self._disarm()
        super().on_message_complete()

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self.patience.answer_s, self._abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self._read_again()

    def _has_body(self, data: bytes) -> bool:
        """Tell whether a head ends within ``data``: what follows is a body, which has limits of its own."""
        return b"\r\n\r\n" in data[: self.patience.head_bytes]

    def _arm(self, seconds: float, then: Callable[[], None]) -> None:
        self._disarm()
        self._timer = self.loop.call_later(seconds, then)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _read_again(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _late(self) -> None:
        if self._reads_head:
            self._close(408, "Request Timeout")
        else:
            self.transport.close()  # nothing was asked

    def _abort(self) -> None:
        self.transport.abort()

    def _close(self, status: int, phrase: str) -> None:
        head = (f"HTTP/1.1 {status} {phrase}", "Content-Length: 0", "Connection: close", "", "")
        self.transport.write(_CRLF.join(head).encode())
        self.transport.close()


def patient(patience: Patience) -> type[PatientProtocol]:
    """Return the class of a server's connections."""
    made: dict[str, Any] = {"patience": patience, "by_address": Counter()}
    return type("BoardProtocol", (PatientProtocol,), made)

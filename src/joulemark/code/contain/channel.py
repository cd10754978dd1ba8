"""The parent's end of the channel to a program: nothing that comes from there is believed to be well-formed.

A message is four bytes of length, then JSON; one that is half sent, endless, huge or deep costs its sender
its run, and the parent a bounded time and memory. Bytes that follow one are never read here, only passed on.
"""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from joulemark.code.contain.ended import Ended
from joulemark.code.inside.plain import MAX_PARTS, n_parts
from joulemark.code.inside.wire import MAX_MESSAGE_BYTES
from joulemark.record.code_run import Outcome

LOOK_S = 0.02  # how often limits are looked at while a program runs
_T = TypeVar("_T")
_HEADER = 4
_PART_BYTES = 1 << 20


class Closed(Exception):
    """The other end is closed."""


class Channel:
    """Sends and takes messages without ever waiting for longer than until the next look."""

    def __init__(self, wire: socket.socket) -> None:
        wire.setblocking(False)
        self._wire = wire
        self._received = bytearray()
        self._readable, self._writable = select.poll(), select.poll()  # no limit on the number of descriptors
        self._readable.register(wire, select.POLLIN)
        self._writable.register(wire, select.POLLOUT)

    def took(self, data: bytes) -> None:
        """Count ``data`` as received: it was read from the socket before."""
        self._received += data

    def send(
        self, message: Mapping[str, Any], look: Callable[[], None], following: Iterable[bytes] = ()
    ) -> None:
        """Send a message and the bytes ``following`` it, which it has to announce.

        ``look`` is called every `LOOK_S` and may raise. Raises `Closed`.
        """
        body = json.dumps(message, separators=(",", ":")).encode()
        self._send(len(body).to_bytes(_HEADER, "big") + body, look)
        for data in following:
            self._send(data, look)

    def _send(self, data: bytes, look: Callable[[], None]) -> None:
        left = memoryview(data)
        look_at = time.monotonic() + LOOK_S
        while left:
            try:
                left = left[self._wire.send(left) :]
            except BlockingIOError:
                self._writable.poll(LOOK_S * 1000)
            except OSError as error:
                raise Closed from error
            if left and time.monotonic() > look_at:
                look()
                look_at = time.monotonic() + LOOK_S

    def receive(
        self, look: Callable[[], None], sample: Callable[[], None] | None = None, step_s: float = LOOK_S
    ) -> dict[str, Any]:
        """Wait for a message. Raises `Closed`, and `Ended` for what is no message.

        ``look`` is called every `LOOK_S`, also while bytes keep coming, and may raise; ``sample`` every
        ``step_s``, whatever comes.
        """
        return self._wait_for(self._taken, look, sample, step_s)

    def receive_bytes(self, size: int, look: Callable[[], None]) -> bytes:
        """Wait for so many bytes that a message has announced. Raises `Closed`; ``look`` as in `receive`."""
        return self._wait_for(lambda: self._taken_bytes(size), look)

    def _wait_for(
        self,
        taken: Callable[[], _T | None],
        look: Callable[[], None],
        sample: Callable[[], None] | None = None,
        step_s: float = LOOK_S,
    ) -> _T:
        now = time.monotonic()
        look_at, sample_at = now + LOOK_S, now + step_s
        while True:
            if (found := taken()) is not None:
                return found
            if self._readable.poll(step_s * 1000):
                self._read()
            now = time.monotonic()
            if sample is not None and now >= sample_at:
                sample()
                sample_at = time.monotonic() + step_s
            if now > look_at:
                look()
                look_at = time.monotonic() + LOOK_S

    def is_silent(self) -> bool:
        """Tell whether nothing has come that was not asked for."""
        if not self._received and self._readable.poll(0):
            try:
                self._read()
            except Closed:
                return True  # to be found out by the next message that is wanted
        return not self._received

    def close(self) -> None:
        """Close it."""
        self._wire.close()

    def _read(self) -> None:
        try:
            part = self._wire.recv(_PART_BYTES)  # descriptors that were sent along are closed by the kernel
        except BlockingIOError:
            return
        except OSError as error:
            raise Closed from error
        if not part:
            raise Closed
        self._received += part

    def _taken_bytes(self, size: int) -> bytes | None:
        if len(self._received) < size:
            return None
        data = bytes(memoryview(self._received)[:size])
        del self._received[:size]
        return data

    def _taken(self) -> dict[str, Any] | None:
        """Return a message that has arrived as a whole; raises `Ended` where it is none."""
        if len(self._received) < _HEADER:
            return None
        size = int.from_bytes(self._received[:_HEADER], "big")
        if size > MAX_MESSAGE_BYTES:
            raise Ended(Outcome.BROKE_PROTOCOL, "it sent what is no message")
        if len(self._received) < _HEADER + size:
            return None
        body = bytes(memoryview(self._received)[_HEADER : _HEADER + size])
        del self._received[: _HEADER + size]
        if n_parts(body) > MAX_PARTS:
            raise Ended(Outcome.OVER_OUTPUT, "it sent more than can be read")
        try:
            message = json.loads(body) if body.isascii() else None
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise Ended(Outcome.BROKE_PROTOCOL, "it sent what is no message")
        return message

"""One connection: its reads go to the answer that it carries, one answer at a time."""

from __future__ import annotations

import asyncio
import select
import socket
from collections.abc import Callable
from time import monotonic_ns
from typing import cast

from joulemark.engines.client.answer import Answer

DRAIN_S = 1.0  # how long the rest of a message may take after the end of its stream
DRAIN_BYTES = 1 << 16
_GRACE_S = 0.05  # a loop that was held up fires its timers before it reads what came meanwhile


class Connection(asyncio.Protocol):
    """A keep-alive connection.

    ``on_free`` is called when it may carry the next request, ``on_lost`` when it died. ``t_free`` is when its
    latest answer was over (monotonic ns), 0 before there was one.
    """

    def __init__(self, on_free: Callable[[Connection], None], on_lost: Callable[[Connection], None]) -> None:
        self._on_free, self._on_lost = on_free, on_lost
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._answer: Answer | None = None
        self._over: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._drain_room = 0
        self._t_eof: int | None = None
        self.t_free = 0
        self.closed: asyncio.Future[None] = self._loop.create_future()

    # -- hot path ----------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Stamp a read and hand it to the answer."""
        t_ns = monotonic_ns()
        answer = self._answer
        if answer is None:
            self.abort()  # nobody asked: what comes next could not be told from the next answer
        elif answer.t_end is not None:
            self._drain(answer, data)
        elif answer.take(t_ns, data):
            self._finish(answer)

    # -- a request ---------------------------------------------------------------------------------------

    def usable(self) -> bool:
        """Tell whether an idle connection can take a request: alive, with nothing unread.

        The kernel may know of a closing that the loop has not read yet.
        """
        transport = self._transport
        if transport is None or transport.is_closing():
            return False
        poll = select.poll()
        poll.register(transport.get_extra_info("socket").fileno(), select.POLLIN)
        return not poll.poll(0)

    async def roundtrip(
        self, request: bytes, *, stall_timeout_s: float, total_timeout_s: float, max_bytes: int
    ) -> Answer:
        """Write ``request`` and return its answer when that is over, whole or failed.

        Raises only when cancelled; the connection is then gone.
        """
        transport = self._transport
        over = self._over = self._loop.create_future()
        t_sent = monotonic_ns()
        answer = self._answer = Answer(t_sent, max_bytes)
        if transport is None or transport.is_closing():
            answer.fail(t_sent, "reset", "the connection closed before the request could be sent")
            return answer
        transport.write(request)
        self._watch(answer, stall_timeout_s, total_timeout_s, graced=False)
        try:
            await over
        except asyncio.CancelledError:
            self.abort()
            raise
        return answer

    def abort(self) -> None:
        """Drop the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _watch(self, answer: Answer, stall_s: float, total_s: float, *, graced: bool) -> None:
        """Fail an answer that stalls. One timer an answer: it looks at the last stamp when it fires."""
        now = monotonic_ns()
        stall_left_s = stall_s - (now - answer.t_last) / 1e9
        total_left_s = total_s - (now - answer.t_sent) / 1e9
        if min(stall_left_s, total_left_s) > 0:
            wait_s, graced = min(stall_left_s, total_left_s), False
        elif not graced:
            wait_s, graced = _GRACE_S, True
        else:
            if total_left_s <= 0:
                answer.fail(now, "timeout", f"the answer was not over after {total_s:g} s")
            else:
                answer.fail(now, "stall", f"nothing came for {stall_s:g} s")
            self._finish(answer)
            return
        self._timer = self._loop.call_later(
            wait_s, lambda: self._watch(answer, stall_s, total_s, graced=graced)
        )

    # -- the end of an answer ----------------------------------------------------------------------------

    def _finish(self, answer: Answer) -> None:
        self._stop_timer()
        if self._over is not None and not self._over.done():
            self._over.set_result(None)
        if answer.complete:
            self._free(answer)
        elif answer.error is not None:
            self.abort()
        else:  # the stream said its last word; the message's own end often comes in the next read
            self._drain_room = DRAIN_BYTES
            self._timer = self._loop.call_later(DRAIN_S, self.abort)

    def _drain(self, answer: Answer, data: bytes) -> None:
        self._drain_room -= len(data)
        if answer.drain(data):
            self._stop_timer()
            self._free(answer)
        elif self._drain_room < 0:
            self.abort()

    def _free(self, answer: Answer) -> None:
        transport = self._transport
        self._answer = self._over = None
        answer.release()
        if not answer.keep_alive or transport is None or transport.get_write_buffer_size() > 0:
            self.abort()
        else:
            self.t_free = monotonic_ns()
            self._on_free(self)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # -- what the transport says -------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport and send small requests at once."""
        self._transport = cast(asyncio.Transport, transport)
        sock = transport.get_extra_info("socket")
        if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def eof_received(self) -> None:
        """Stamp the end of the stream; the transport then closes."""
        self._t_eof = monotonic_ns()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the answer with what was received."""
        self._stop_timer()
        answer, self._answer = self._answer, None
        if answer is not None:
            if answer.t_end is None:
                answer.lost(self._t_eof or monotonic_ns(), exc)
            if self._over is not None and not self._over.done():
                self._over.set_result(None)
            answer.release()
        self._transport = self._over = None
        if not self.closed.done():
            self.closed.set_result(None)
        self._on_lost(self)

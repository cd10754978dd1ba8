"""One answer on its way from the simulated server to the client, and what goes wrong with it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Protocol

from joulemark.simulate.http.answers import Answer
from joulemark.simulate.http.faults import Fault
from joulemark.simulate.http.writer import AnswerWriter, Spent
from joulemark.simulate.request import Finished

_PING_S = 2.0


class Line(Protocol):
    """Where an answer is written to."""

    def head(self, status: int, content_type: str, *, length: int | None = None) -> None:
        """Write the head of an answer: of ``length`` bytes, or of chunks."""
        ...

    def write(self, data: bytes) -> None:
        """Write a part of the body."""
        ...

    def end(self) -> None:
        """End the answer; the connection may carry another request."""
        ...

    def hang_up(self) -> None:
        """End the connection in the middle of whatever it carries."""
        ...


class Answering:
    """Takes tokens as they are made (`Sink`) and writes them to a line, a fault in the way.

    ``let_go`` is called when the answer is broken off, with the reason; ``done`` when it was made, with what
    the server says of it.
    """

    def __init__(
        self,
        answer: Answer,
        writer: AnswerWriter,
        line: Line,
        *,
        stream: bool,
        tokens_a_chunk: int,
        fault: Fault | None,
        let_go: Callable[[str], None],
        done: Callable[[Finished], Spent],
    ) -> None:
        self._answer, self._writer, self._line = answer, writer, line
        self._stream, self._tokens_a_chunk, self._fault = stream, tokens_a_chunk, fault
        self._let_go, self._done = let_go, done
        self._loop = asyncio.get_running_loop()
        self._made = self._sent = 0
        self._held: deque[Callable[[], None]] | None = None  # what a stalled line has not let through
        self._waiting: deque[Callable[[], None]] = deque()  # what a slow line has not let through yet
        self._timers: list[asyncio.TimerHandle] = []
        self._over = False

    @property
    def is_over(self) -> bool:
        """Whether no token is waited for any more."""
        return self._over

    def begin(self) -> None:
        """Write what comes before the first token."""
        if self._stream:
            self._out(lambda: self._line.head(200, self._writer.content_type))
            if opening := self._writer.opening():
                self._out(lambda: self._line.write(opening))
            if self._writer.ping():
                self._timers.append(self._loop.call_later(_PING_S, self._ping))
        self._break_down()

    def token(self) -> None:
        """Take the next token."""
        if self._over:
            return
        self._made += 1
        due = self._made == 1 or self._made - self._sent >= self._tokens_a_chunk
        if self._stream and (due or self._made == self._answer.tokens):
            data = self._writer.tokens(self._sent, self._made)
            self._sent = self._made
            if data:
                self._out(lambda: self._line.write(data))
        if self._made < self._answer.tokens:
            self._break_down()

    def finished(self, finished: Finished) -> None:
        """Take the end."""
        spent = self._done(finished)
        if self._over:
            return
        self._over = True
        if self._stream:
            ending = self._writer.ending(spent)
            self._out(lambda: self._line.write(ending))
        else:
            document = self._writer.whole(spent)
            self._out(lambda: self._line.head(200, "application/json", length=len(document)))
            self._out(lambda: self._line.write(document))
        self._out(self._line.end)

    def gone(self) -> None:
        """The client went away."""
        self._stop_timers()
        if not self._over:
            self._over = True
            self._let_go("client_gone")

    # -- faults ---------------------------------------------------------------------------------------------

    def _break_down(self) -> None:
        fault = self._fault
        if fault is None or self._over or self._made != self._breaks_at(fault):
            return
        if fault.kind == "stall":
            self._held = deque()
            if fault.for_s is not None:
                self._timers.append(self._loop.call_later(fault.for_s, self._release))
        elif fault.kind == "cut":
            self._over = True
            self._let_go("cut")
            self._out(self._line.hang_up)
        elif fault.kind == "error":
            self._over = True
            self._let_go("error")
            message = "the simulated engine stopped: a fault was asked for"
            failure = (self._writer.failure if self._stream else self._writer.whole_failure)(message)
            if not self._stream:
                self._out(lambda: self._line.head(500, "application/json", length=len(failure)))
            self._out(lambda: self._line.write(failure))
            self._out(self._line.end)

    def _breaks_at(self, fault: Fault) -> int:
        """Return after how many tokens: before the last one at the latest, else nothing would break."""
        if fault.after is None:
            return self._answer.tokens // 2
        return min(fault.after, self._answer.tokens - 1)

    def _release(self) -> None:
        held, self._held = self._held, None
        for act in held or ():
            self._out(act)

    def _out(self, act: Callable[[], None]) -> None:
        """Do something to the line, unless it is stalled; a slow line gets it later, in the same order."""
        if self._held is not None:
            self._held.append(act)
        elif self._fault is not None and self._fault.kind == "slow":
            self._waiting.append(act)
            self._timers.append(self._loop.call_later(self._fault.by_s, self._next))
        else:
            act()

    def _ping(self) -> None:
        if not self._over and self._made == 0:
            self._out(lambda: self._line.write(self._writer.ping()))
            self._timers.append(self._loop.call_later(_PING_S, self._ping))

    def _next(self) -> None:
        if self._waiting:
            self._waiting.popleft()()

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self._waiting.clear()

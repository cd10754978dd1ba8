"""The simulated server on the machine's monotonic clock: its steps end when they are due."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic_ns
from typing import Protocol

from joulemark.record.percentile import percentile
from joulemark.simulate.books import ByCause
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.request import Finished, SimRequest
from joulemark.simulate.server import SimulatedServer

_REMEMBERED = 4096  # steps whose lateness is kept


class Sink(Protocol):
    """Who waits for the tokens of a request."""

    def token(self) -> None:
        """Take the next token."""
        ...

    def finished(self, finished: Finished) -> None:
        """Take the end, after the last token."""
        ...


class LiveServer:
    """Runs a `SimulatedServer` against the clock of the event loop's machine.

    ``t0_ns`` is the monotonic stamp of the start. The server's own clock begins there and goes ``speed``
    times as fast: with 1 its stamps are monotonic ones. A loop that wakes late gives tokens late, and the
    next step is none the later for it; `late_ns` tells how late. ``on_step`` is called after each look at
    the clock. Belongs to the loop that runs it.
    """

    def __init__(
        self,
        config: ServerConfig,
        *,
        speed: float = 1.0,
        on_step: Callable[[SimulatedServer], None] | None = None,
    ) -> None:
        self.t0_ns = monotonic_ns()
        self.speed = speed
        self.server = SimulatedServer(config, self.t0_ns)
        self.prompt_tokens = self.generated_tokens = self.steps = 0
        self._late_ns: deque[int] = deque(maxlen=_REMEMBERED)
        self._sinks: dict[str, tuple[SimRequest, Sink]] = {}
        self._on_step = on_step
        self._timer: asyncio.TimerHandle | None = None
        self._looking = False

    # -- two clocks -----------------------------------------------------------------------------------------

    def server_ns(self, t_ns: int) -> int:
        """Return the server's time at a monotonic stamp."""
        return t_ns if self.speed == 1.0 else self.t0_ns + round((t_ns - self.t0_ns) * self.speed)

    def monotonic_of(self, server_ns: int) -> int:
        """Return the monotonic stamp at which the server has a time."""
        return server_ns if self.speed == 1.0 else self.t0_ns + round((server_ns - self.t0_ns) / self.speed)

    # -- requests -------------------------------------------------------------------------------------------

    def submit(self, request: SimRequest, sink: Sink) -> None:
        """Let a request arrive now; raises ``InputError`` as `SimulatedServer.submit` does."""
        self.server.submit(request, max(self.server_ns(monotonic_ns()), self.server.now_ns))
        self._sinks[request.request_id] = (request, sink)
        self.catch_up()

    def abort(self, request_id: str) -> None:
        """Let a request go whose client went away; of no effect where it has ended."""
        if self._sinks.pop(request_id, None) is not None:
            self.server.abort(request_id)
            self._set_timer()

    def close(self) -> None:
        """Look at the clock no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # -- the clock ------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """Give out all steps that are due, and wait for the next."""
        if self._looking:
            return
        self._looking = True
        try:
            while (step := self.server.advance(self.server_ns(monotonic_ns()))) is not None:
                self.steps += 1
                self._late_ns.append(monotonic_ns() - self.monotonic_of(step.t1_ns))
                self.generated_tokens += len(step.tokens)
                for request_id, is_first, _ in step.tokens:
                    found = self._sinks.get(request_id)
                    if found is None:
                        continue
                    if is_first:
                        self.prompt_tokens += found[0].prompt_tokens
                    found[1].token()
                for finished in step.finished:
                    found = self._sinks.pop(finished.request.request_id, None)
                    if found is not None:
                        found[1].finished(finished)
        finally:
            self._looking = False
        if self._on_step is not None:
            self._on_step(self.server)
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due_ns = self.server.next_event_ns
        if due_ns is not None:
            wait_s = max(0.0, (self.monotonic_of(due_ns) - monotonic_ns()) * 1e-9)
            self._timer = asyncio.get_running_loop().call_later(wait_s, self.catch_up)

    # -- what can be told -----------------------------------------------------------------------------------

    def late_s(self, percent: float) -> float | None:
        """Return a percentile of how late tokens were given, of the latest steps; null before the first."""
        if not self._late_ns:
            return None
        return percentile(sorted(self._late_ns), percent) * 1e-9

    def energy_j(self, device: int, t_ns: int) -> float:
        """Return the true joules of a device from the start to a monotonic stamp that has been."""
        self.catch_up()
        return self.server.energy_j(device, self.server_ns(t_ns))

    def between(self, t0_ns: int, t1_ns: int, device: int | None = None) -> ByCause:
        """Return the true joules between two monotonic stamps that have been, by cause."""
        self.catch_up()
        return self.server.books().by_cause(self.server_ns(t0_ns), self.server_ns(t1_ns), device)

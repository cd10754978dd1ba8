"""A source whose reads may hang: it is read in a thread of its own, so that it delays nobody else's.

Each such source has a `SamplerLoop` to itself. An edge is asked for and not waited for: the reading carries
the time that it took, and the arithmetic bounds what that leaves open.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from joulemark.record.clock import Clock
from joulemark.record.telemetry import Reading
from joulemark.telemetry.sampler import SamplerLoop, SourcePlan

LEAVE_S = 5.0  # how long the end of a segment waits for a meter that is being read
READ_ON_S = (
    2.0  # nobody waits longer, or twice for so long, for a value to show what was drawn before the end
)


class BackgroundReader:
    """Reads one slow source on its own schedule until stopped. Rows wait here for `take_rows`.

    Values may be ``age_s`` old when they are read: so long it is read on after the stop, if that is no more
    than `READ_ON_S`.
    """

    def __init__(
        self,
        plan: SourcePlan,
        clock: Clock,
        segment: int,
        *,
        first_flags: Sequence[str] = (),
        age_s: float = 0.0,
        slept_ns: Callable[[], int] | None = None,
    ) -> None:
        """``slept_ns`` and ``first_flags`` as of `SamplerLoop`."""
        self._clock, self._period_ns = clock, plan.poll_ns
        self._read_on_ns = round(age_s * 1e9) if age_s <= READ_ON_S else 0
        self._loop = SamplerLoop([plan], clock, segment, first_flags=first_flags, slept_ns=slept_ns)
        self._lock = threading.Lock()
        self._rows: list[Reading] = []
        self._wake = threading.Event()
        self._edge_wanted = self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"read-{plan.name}", daemon=True)
        self._thread.start()

    def request_edge(self) -> None:
        """Have the source read soon, no sooner than it may be."""
        self._edge_wanted = True
        self._wake.set()

    def take_rows(self) -> list[Reading]:
        """Return the readings since the last call."""
        with self._lock:
            rows, self._rows = self._rows, []
        return rows

    @property
    def latest(self) -> dict[str, Reading]:
        """The last reading, by the source's name; empty before the first."""
        return dict(self._loop.latest)

    def request_stop(self) -> None:
        """Have the thread take its last readings, begun after this call, and leave; `join` waits for it."""
        self._stopping = True
        self._wake.set()

    def join(self, timeout_s: float) -> None:
        """Wait for the last readings; a read that hangs is left behind."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        self._loop.start()
        last_ns = self._clock.now_ns()
        self._keep()
        while not self._stopping:
            due_ns = self._loop.due_ns()
            if self._edge_wanted:
                due_ns = min(due_ns, last_ns + self._period_ns)
            wait_s = (due_ns - self._clock.now_ns()) * 1e-9
            if wait_s > 0:
                self._wake.wait(wait_s)
                self._wake.clear()
                continue
            if self._edge_wanted:
                self._edge_wanted = False
                self._loop.edge()
            else:
                self._loop.tick()
            last_ns = self._clock.now_ns()
            self._keep()
        self._loop.edge()
        self._keep()
        self._read_on()
        self._loop.close()

    def _read_on(self) -> None:
        """Read until what is shown is younger than the stop, and a counter then until it has changed again.

        Both together bound from above what was drawn in a window that ended with the stop.
        """
        if not self._read_on_ns:
            return
        young_ns = self._clock.now_ns() + self._read_on_ns
        while self._tick_before(young_ns):
            pass
        self._loop.edge()
        self._keep()
        while self._loop.watching and self._tick_before(young_ns + self._read_on_ns):
            pass

    def _tick_before(self, until_ns: int) -> bool:
        """Wait and read what is due; false, without a reading, once it is ``until_ns``."""
        due_ns = min(until_ns, self._loop.due_ns())
        self._clock.sleep_s(max(0, due_ns - self._clock.now_ns()) * 1e-9)
        if self._clock.now_ns() >= until_ns:
            return False
        self._loop.tick()
        self._keep()
        return True

    def _keep(self) -> None:
        rows = self._loop.take_rows()
        with self._lock:
            self._rows += rows

"""When each source is read: polls, edge reads on demand, and the follow-ups that close an edge's bound.

The loop owns no process and no real clock: `sampler_main` runs it in a process of its own, the tests and
the planner run it on virtual time.

After an edge read every counter is *watched*: it is read again at an eighth of its longest update period
until its value differs from that of the edge read (or three periods have passed). The first changed value
belongs to an update after the edge, which bounds the energy at the edge from above by monotonicity alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from joulemark.meters.source import Source, SourceLost
from joulemark.record.clock import Clock
from joulemark.record.telemetry import Quantity, Reading
from joulemark.telemetry.cadence import GAP_POLLS, POLL_JITTER, latest_look_ns
from joulemark.telemetry.row_flags import GAP, LOST, SLEPT

WATCH_STEPS_PER_UPDATE = 8
MIN_WATCH_STEP_NS = 500_000  # below this a sleep costs more than it resolves
WATCH_UPDATES = 3  # how long a change is looked for after an edge, in longest update periods
LEAST_GAP_NS = 1_000_000_000
IDLE_NS = 1_000_000_000  # between two looks where there is nothing to read
SLEEP_NS = 500_000_000
RETRY_FIRST_NS = 200_000_000
RETRY_LAST_NS = 30_000_000_000
GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True)
class SourcePlan:
    """How one source is to be read. ``update_max_ns`` is null for a source without an energy counter."""

    name: str
    scope: str
    poll_ns: int
    update_max_ns: int | None
    open: Callable[[], Source]


@dataclass(slots=True)
class _Sampled:
    """A source and where it stands in its schedule. Stamps in monotonic ns."""

    plan: SourcePlan
    source: Source | None = None
    polls: int = 0
    next_poll_ns: int = 0
    last_t_ns: int | None = None
    watch_value_j: float | None = None
    watch_until_ns: int = 0
    next_watch_ns: int | None = None
    retry_ns: int | None = None
    backoff_ns: int = RETRY_FIRST_NS
    pending_flags: set[str] = field(default_factory=set)

    def due_ns(self) -> int:
        """When this source wants to be read next."""
        if self.retry_ns is not None:
            return self.retry_ns
        return self.next_poll_ns if self.next_watch_ns is None else min(self.next_poll_ns, self.next_watch_ns)


class SamplerLoop:
    """Reads sources when they are due. Rows collect until `take_rows`; nothing here writes or waits.

    ``first_flags`` mark the first reading of every source (``sampler_lost`` after a restart).
    ``slept_ns`` tells how long the machine has slept since boot, null where the system does not say.
    """

    def __init__(
        self,
        plans: Sequence[SourcePlan],
        clock: Clock,
        segment: int,
        *,
        first_flags: Sequence[str] = (),
        slept_ns: Callable[[], int] | None = None,
    ) -> None:
        self._clock, self._segment = clock, segment
        self._sampled = [_Sampled(plan, pending_flags=set(first_flags)) for plan in plans]
        self._rows: list[Reading] = []
        self._slept_ns = slept_ns
        self._slept_seen_ns = slept_ns() if slept_ns else 0
        self._start_ns = clock.now_ns()
        self._latest_look_ns = min(
            (latest_look_ns(plan.update_max_ns) for plan in plans if plan.update_max_ns is not None),
            default=0,
        )
        self.latest: dict[str, Reading] = {}

    def start(self) -> None:
        """Open every source and take the guaranteed first sample."""
        for sampled in self._sampled:
            self._schedule_poll(sampled, self._clock.now_ns())
        self.edge()

    def due_ns(self) -> int:
        """When `tick` has something to do next."""
        return min((sampled.due_ns() for sampled in self._sampled), default=self._clock.now_ns() + IDLE_NS)

    def calm_from_ns(self) -> int:
        """Return from when on an edge may wait until `due_ns` instead of being read at once; 0: no edge may.

        Only while counters are watched is something read so soon, and no later than every counter forgives.
        """
        return self.due_ns() - self._latest_look_ns if self.watching else 0

    def tick(self) -> None:
        """Read what is due."""
        self._notice_sleep()
        for sampled in self._sampled:
            if sampled.due_ns() <= self._clock.now_ns():
                self._read(sampled)

    def edge(self) -> int:
        """Read everything now, start the watches and return the stamp right after the reads."""
        self._notice_sleep()
        for sampled in self._sampled:
            if sampled.retry_ns is not None and sampled.retry_ns > self._clock.now_ns():
                continue
            reading = self._read(sampled)
            if reading is not None:
                self._watch(sampled, reading)
        return self._clock.now_ns()

    @property
    def watching(self) -> bool:
        """Whether some counter has yet to change since the last edge."""
        return any(sampled.next_watch_ns is not None for sampled in self._sampled)

    def take_rows(self) -> list[Reading]:
        """Return the readings since the last call."""
        rows, self._rows = self._rows, []
        return rows

    def close(self) -> None:
        """Release every driver."""
        for sampled in self._sampled:
            self._drop(sampled)

    def _read(self, sampled: _Sampled) -> Reading | None:
        plan = sampled.plan
        try:
            if sampled.source is None:
                sampled.source = plan.open()
            reading = _finite(sampled.source.read(self._segment))
        except Exception as error:  # one source must never take the others down with it
            self._lose(sampled, error)
            return None
        if sampled.retry_ns is not None:
            sampled.retry_ns, sampled.backoff_ns = None, RETRY_FIRST_NS
        slept_meanwhile = self._notice_sleep()
        flags = sampled.pending_flags
        if sampled.last_t_ns is not None and reading.t_ns - sampled.last_t_ns > max(
            GAP_POLLS * plan.poll_ns, LEAST_GAP_NS
        ):
            flags.add(GAP)
        if flags:
            reading = replace(reading, flags=tuple(sorted({*reading.flags, *flags})))
            # of a read that a suspend broke off, nobody knows on which side of it the value was taken
            sampled.pending_flags = {SLEPT} if slept_meanwhile else set()
        sampled.last_t_ns = reading.t_ns
        self._note_watch(sampled, reading)
        if sampled.next_poll_ns <= reading.t_ns:
            self._schedule_poll(sampled, reading.t_ns)
        self._rows.append(reading)
        self.latest[plan.name] = reading
        return reading

    def _watch(self, sampled: _Sampled, reading: Reading) -> None:
        update_ns, value = sampled.plan.update_max_ns, reading.values.get(Quantity.ENERGY_J)
        if update_ns is None or value is None:
            return
        sampled.watch_value_j = value
        sampled.watch_until_ns = reading.t_ns + WATCH_UPDATES * update_ns
        sampled.next_watch_ns = reading.t_ns + self._step_ns(update_ns)

    def _note_watch(self, sampled: _Sampled, reading: Reading) -> None:
        """End the watch when the counter has changed; else set the next look."""
        update_ns = sampled.plan.update_max_ns
        if sampled.next_watch_ns is None or update_ns is None:
            return
        value = reading.values.get(Quantity.ENERGY_J)
        changed = value is not None and value != sampled.watch_value_j
        if changed or reading.t_ns >= sampled.watch_until_ns:
            sampled.next_watch_ns = None
        else:
            sampled.next_watch_ns = reading.t_ns + self._step_ns(update_ns)

    @staticmethod
    def _step_ns(update_ns: int) -> int:
        return max(update_ns // WATCH_STEPS_PER_UPDATE, MIN_WATCH_STEP_NS)

    def _schedule_poll(self, sampled: _Sampled, now_ns: int) -> None:
        """Set the next poll on a grid of the poll period, moved within it by a low-discrepancy sequence."""
        period_ns = sampled.plan.poll_ns
        sampled.polls = max(sampled.polls, (now_ns - self._start_ns) // period_ns)
        sampled.next_poll_ns = now_ns
        while sampled.next_poll_ns <= now_ns:
            sampled.polls += 1
            shift = POLL_JITTER * (sampled.polls * GOLDEN % 1 - 0.5)
            sampled.next_poll_ns = self._start_ns + round((sampled.polls + shift) * period_ns)

    def _lose(self, sampled: _Sampled, error: Exception) -> None:
        reason = str(error) if isinstance(error, SourceLost) else f"{type(error).__name__} {error}"
        now_ns = self._clock.now_ns()
        plan = sampled.plan
        row = Reading(self._segment, now_ns, plan.name, plan.scope, flags=(f"{LOST}:{reason}"[:200],))
        if sampled.retry_ns is not None:  # a second failure: open it afresh next time
            self._drop(sampled)
        sampled.next_watch_ns = None
        sampled.retry_ns = now_ns + sampled.backoff_ns
        sampled.backoff_ns = min(2 * sampled.backoff_ns, RETRY_LAST_NS)
        self._rows.append(row)
        self.latest[plan.name] = row

    @staticmethod
    def _drop(sampled: _Sampled) -> None:
        source, sampled.source = sampled.source, None
        if source is not None:
            try:
                source.close()
            except Exception:  # a lost driver may fail to close; there is nothing left to release
                return

    def _notice_sleep(self) -> bool:
        """Have the next reading of every source flagged where the machine slept since the last call."""
        if self._slept_ns is None:
            return False
        before_ns, self._slept_seen_ns = self._slept_seen_ns, self._slept_ns()
        if self._slept_seen_ns - before_ns <= SLEEP_NS:
            return False
        for sampled in self._sampled:
            sampled.pending_flags.add(SLEPT)
        return True


def _finite(reading: Reading) -> Reading:
    """Drop values that are no numbers and say so; JSON cannot hold them and arithmetic must not."""
    if all(map(math.isfinite, reading.values.values())):
        return reading
    good = {name: value for name, value in reading.values.items() if math.isfinite(value)}
    bad = tuple(f"{name}:not_finite" for name in reading.values if name not in good)
    return replace(reading, values=good, flags=(*reading.flags, *bad))

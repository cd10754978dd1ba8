"""When the next request is sent: the three ways of a load behind one protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic_ns
from typing import Protocol

from joulemark.runs.wanted import Conversation

_LEAD_IN_NS = 20_000_000  # before the first request is due
# Timers of an event loop tick in milliseconds; where that is too coarse the rest is waited for in short turns
# of the loop, in which it goes on receiving.
_TIMER_NS = 1_500_000


class Asker(Protocol):
    """What a pacing drives."""

    @property
    def stopped(self) -> bool:
        """Whether nothing more is to be begun."""
        ...

    async def admit(self, conversation: Conversation) -> int:
        """Let a conversation begin, once the devices are cool; returns the ns that a pause took."""
        ...

    async def converse(
        self, conversation: Conversation, t_scheduled: int | None = None, t_ready: int | None = None
    ) -> None:
        """Ask an admitted conversation, turn by turn.

        ``t_scheduled``: when it is due (monotonic ns); ``t_ready``: when the load let it be sent.
        """
        ...


class Pacing(Protocol):
    """Sends conversations in their order; returns when all were answered."""

    async def run(self, conversations: Sequence[Conversation], asker: Asker) -> None:
        """Drive ``asker`` until everything was asked or it stopped."""
        ...


@dataclass(frozen=True, slots=True)
class Workers:
    """A closed loop: ``concurrency`` conversations at a time; with a ramp they begin one after the other."""

    concurrency: int = 1
    ramp_s: float = 0.0

    async def run(self, conversations: Sequence[Conversation], asker: Asker) -> None:
        """Let each worker take the next conversation when its last one is over."""
        waiting = iter(conversations)  # shared, so that the order of asking is the plan's
        async with asyncio.TaskGroup() as group:
            for number in range(self.concurrency):
                group.create_task(self._work(waiting, asker, number * self.ramp_s / self.concurrency))

    async def _work(self, waiting: Iterator[Conversation], asker: Asker, delay_s: float) -> None:
        if delay_s:
            await asyncio.sleep(delay_s)
        for conversation in waiting:
            if asker.stopped:
                return
            await asker.admit(conversation)
            await asker.converse(conversation)


@dataclass(slots=True)
class Timetable:
    """An open loop: each conversation is begun when it is due, whatever is still unanswered.

    ``due_ns`` maps positions to nanoseconds from some start. At most ``cap`` conversations are under way: one
    that is due while there are as many waits for its turn, and keeps the time at which it was due.
    ``tolerance_s`` is how late a request may be. ``held_up`` counts the conversations that waited for a turn.
    """

    due_ns: Mapping[int, int]
    cap: int
    tolerance_s: float
    held_up: int = 0

    async def run(self, conversations: Sequence[Conversation], asker: Asker) -> None:
        """Begin each conversation at its time."""
        if not conversations:
            return
        free = asyncio.Semaphore(self.cap)
        waited = False
        start = monotonic_ns() + _LEAD_IN_NS - self.due_ns[conversations[0][0].position]
        async with asyncio.TaskGroup() as group:
            for conversation in conversations:
                full = free.locked()
                await free.acquire()
                t_free = monotonic_ns()
                # after a wait the next ones find places, and are late for the same reason
                waited = full or (waited and t_free > start + self.due_ns[conversation[0].position])
                self.held_up += waited
                await self._until(start + self.due_ns[conversation[0].position])
                if asker.stopped:
                    return
                paused_ns = await asker.admit(conversation)
                start += paused_ns  # the timetable waits too, or all that was missed would come at once
                t_due = start + self.due_ns[conversation[0].position]
                # only a wait for its turn is the load's; all other lateness is the client's
                t_ready = max(t_due, t_free + paused_ns) if waited else t_due
                task = group.create_task(asker.converse(conversation, t_due, t_ready))
                task.add_done_callback(lambda _: free.release())

    async def _until(self, t_ns: int) -> None:
        margin_ns = _TIMER_NS if self.tolerance_s * 1e9 < 2 * _TIMER_NS else 0
        if (wait_ns := t_ns - margin_ns - monotonic_ns()) > 0:
            await asyncio.sleep(wait_ns / 1e9)
        while monotonic_ns() < t_ns:  # a timer may also fire a little early
            await asyncio.sleep(0)

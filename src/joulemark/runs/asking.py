"""The asking itself: questions to the engine as the load has them, each answer stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from joulemark.engines.ask import RetryPolicy, exchanges
from joulemark.meters.thermal import Advice
from joulemark.record.errors import InputError
from joulemark.record.item import Item, ItemRow, Phase
from joulemark.record.window_name import WindowName
from joulemark.runs.edged_client import EdgedClient
from joulemark.runs.journal import ItemJournal
from joulemark.runs.metering import Metering
from joulemark.runs.observe import Place, Recorder
from joulemark.runs.observer import Observer
from joulemark.runs.pacing import Pacing, Workers
from joulemark.runs.plan import RunPlan
from joulemark.runs.segment import OpenSegment
from joulemark.runs.stop import StopDecision
from joulemark.runs.stopping import Stopping
from joulemark.runs.storing import EngineGone, Request, Storing
from joulemark.runs.transcript import Transcripts
from joulemark.runs.wanted import Conversation, Wanted, conversations

__all__ = ["Asking", "EngineGone", "TooHot"]


class TooHot(InputError):
    """The device stayed too hot for too long."""


@dataclass(slots=True)
class Asking:
    """Asks what is wanted as ``pacing`` has it (null: as many at a time as the plan's closed loop says).

    ``items`` are the answers that count, earlier segments' included, whose ``rows`` hold what was said in
    conversations. ``late`` is told of each request that had a time: when the load let it be sent, and when it
    was. Lead requests go first; the window ``measure`` opens when the first request that counts is let
    through, whatever is then in flight. ``stopping`` may end the asking early, null where nothing does.
    """

    plan: RunPlan
    client: EdgedClient
    journal: ItemJournal
    metering: Metering
    observer: Observer
    segment: OpenSegment
    recorder: Recorder
    items: list[Item]
    rows: Sequence[ItemRow] = ()
    pacing: Pacing | None = None
    stopping: Stopping | None = None
    late: Callable[[int, int], None] = lambda t_ready, t_sent: None
    _in_flight: int = 0
    _edge: asyncio.Task[None] | None = None
    _gate: asyncio.Lock = field(default_factory=asyncio.Lock)
    _begun: set[int] = field(init=False)
    _ends: bool | None = None
    _storing: Storing = field(init=False)
    _transcripts: Transcripts = field(init=False)

    def __post_init__(self) -> None:
        plan = self.plan
        self._begun = {item.index for item in self.items}
        self._storing = Storing(
            plan.engine,
            self.journal,
            self.recorder,
            self.observer,
            self.items,
            self.stopping,
            self.metering.so_far if self.stopping is not None else None,
        )
        self._transcripts = Transcripts(plan.task.questions, self.rows)

    async def warm_up(self) -> None:
        """Send the warm-up requests: the first questions, ungraded, stored under phase ``warmup``."""
        task, n = self.plan.task, self.plan.warmups
        asked = task.questions[:n] if task.warm_up is None else (task.warm_up,) * n
        for number, question in enumerate(asked):
            round_ = 0 if task.warm_up is None else number
            request, body = self._prepared(Wanted(question, number, round_, phase=Phase.WARMUP))
            await self._send(request, body)
            row = await self._storing.write(request)
            if request.error is not None:
                raise EngineGone(
                    "the engine did not answer the warm-up request",
                    why="; ".join(row.texts.errors) if row.texts else request.error,
                    fix="try the engine by hand with the same model name, or raise --timeout",
                )

    async def run(self, questions: Sequence[Wanted]) -> StopDecision | None:
        """Ask ``questions``; returns why asking ended early, or null when all were asked.

        Raises `EngineGone` and `TooHot`; whatever was answered by then is stored.
        """
        pacing = self.pacing or Workers(self.plan.load.concurrency or 1)
        try:
            async with asyncio.TaskGroup() as group:
                storing = group.create_task(self._storing.run())
                await pacing.run(conversations(questions), self)
                await self._storing.flush()
                storing.cancel()
        except BaseExceptionGroup as failures:
            raise _first(failures) from None
        await self._storing.finish()
        if self._edge is not None:
            await self._edge
        return self._storing.stopped

    def last_t_end(self) -> int:
        """Return when the last stored answer of this segment ended; 0 where there is none."""
        ends = (item.t_end for item in self.items if item.segment == self.segment.index)
        return max(ends, default=0)

    def close(self) -> None:
        """Wait until everything that was answered is on the disk, then close the journal."""
        measuring = self.segment.window_name == WindowName.MEASURE
        self._storing.close(self.segment.now_ns(), overlapped=measuring and self.plan.load.overlaps)

    @property
    def stopped(self) -> bool:
        """Whether a stop rule has ended the asking.

        Once every question is begun there is none to be saved, and what is left of their repeats is asked.
        """
        if self._ends is None and self._storing.stopped is not None:
            self._ends = len(self._begun) < len(self.plan.task.questions)
        return bool(self._ends)

    async def admit(self, conversation: Conversation) -> int:
        """Let a request through when the device is cool enough; a pause begins when nothing is in flight.

        Returns the ns that the pause took.
        """
        async with self._gate:
            hot = self.metering.heat() is not Advice.GO
            paused_ns = await self._pause() if hot else 0
            self._in_flight += 1
            if conversation[0].phase == Phase.MEASURE and self.segment.window_name == WindowName.WARMUP:
                self._open_measured()
        return paused_ns

    async def converse(
        self, conversation: Conversation, t_scheduled: int | None = None, t_ready: int | None = None
    ) -> None:
        """Ask an admitted conversation turn by turn; a later turn is due when the one before was answered."""
        for number, turn in enumerate(conversation):
            if number:
                if self.stopped:
                    return
                await self.admit(conversation)
            request, body = self._prepared(turn, t_scheduled)
            if turn.phase == Phase.MEASURE:
                self._begun.add(turn.index)
            self._storing.begin(request)
            try:
                await self._send(request, body)
            finally:
                self._in_flight -= 1
            if t_ready is not None and not number and turn.phase == Phase.MEASURE:
                self.late(t_ready, request.exchanges[0].t_begin)
            if turn.question.session is not None:
                await self._storing.read([request])
                if request.error is None:
                    answer = request.read().reply.text
                    self._transcripts.answered(turn.question, request.place.key_repeat, answer)
            if self.plan.load.overlaps:
                await self._storing.put(request)
            else:
                await self._storing.store([request])
            t_scheduled = None if t_scheduled is None else request.exchanges[-1].t_end

    def _prepared(self, wanted: Wanted, t_scheduled: int | None = None) -> tuple[Request, bytes]:
        """Return a request as it is about to be sent, and its body."""
        plan, question = self.plan, wanted.question
        sampling = plan.sampling
        budget = question.max_tokens or sampling.max_tokens
        place = Place(wanted.index, wanted.repeat, self.segment.index, wanted.phase, t_scheduled)
        body = plan.engine.request_body(
            self._transcripts.messages(question, place.key_repeat),
            max_tokens=budget,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            seed=None if sampling.seed is None else sampling.seed + wanted.repeat,
            exact_length=question.exact_length,
        )
        return Request(question, place, self.segment.now_ns(), budget), body

    async def _send(self, request: Request, body: bytes) -> None:
        request.exchanges = await exchanges(self.client, body, RetryPolicy(retries=self.plan.retries))

    def _open_measured(self) -> None:
        """Open the measured window while the load is on: nothing waits for the disk or the meters."""
        self.segment.stamp_window(WindowName.MEASURE)
        self._storing.save_soon(self.segment.save)
        self._edge = asyncio.create_task(self.metering.edge())

    async def _pause(self) -> int:
        while self._in_flight:
            await asyncio.sleep(0.05)
        began_ns, interrupted = self.segment.now_ns(), self.segment.window_name
        self.observer.note("paused: the device is too hot")
        self.segment.open_window(WindowName.PAUSE)
        while (advice := self.metering.heat()) is Advice.PAUSE:
            await asyncio.sleep(1.0)
        if advice is Advice.STOP:
            self.segment.close_window()
            raise TooHot(
                "the device stayed too hot",
                why="thermal throttling did not end within the pause",
                fix="improve the cooling, then run the same command: it goes on where this one stopped",
            )
        await self.metering.edge()
        self.segment.open_window(interrupted or WindowName.MEASURE)
        return self.segment.now_ns() - began_ns


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the error that ended the workers: one cause usually fails them all."""
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first

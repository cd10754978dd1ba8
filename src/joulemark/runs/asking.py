"""The asking itself: questions to the engine in order, each answer stored before the next is believed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from joulemark.engines.ask import CONNECTION_ERRORS, RetryPolicy, ask
from joulemark.engines.exchange import Endpoint
from joulemark.meters.thermal import Advice
from joulemark.record.errors import InputError
from joulemark.record.item import Item, ItemRow, Phase
from joulemark.runs.edged_client import EdgedClient
from joulemark.runs.journal import ItemJournal
from joulemark.runs.metering import Metering
from joulemark.runs.observe import Place, Recorder
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.runs.segment import OpenSegment
from joulemark.runs.stop import StopDecision
from joulemark.runs.wanted import Wanted
from joulemark.tasks.task import Question

# So many broken connections without an answer between them ask whether the engine is still there.
_ASK_AFTER = 3
_LISTENS_WITHIN_S = 5.0


class EngineGone(InputError):
    """The engine stopped being there in the middle of a run."""


class TooHot(InputError):
    """The device stayed too hot for too long."""


@dataclass(slots=True)
class _OpenRequest:
    question: Question
    place: Place
    t_begin: int
    t_end: int | None = None


@dataclass(slots=True)
class Asking:
    """Asks what is wanted, sequentially or with ``plan.concurrency`` requests in flight.

    ``items`` are the answers that count, earlier segments' included. Rows of requests whose connection broke
    are held back until the engine is seen alive again: if it is gone they are no answers of the model, and
    the resumed run asks them again.
    """

    plan: RunPlan
    client: EdgedClient
    journal: ItemJournal
    metering: Metering
    observer: Observer
    segment: OpenSegment
    recorder: Recorder
    items: list[Item]
    _held: list[ItemRow] = field(default_factory=list)
    _stopped: StopDecision | None = None
    _in_flight: int = 0
    # Every request from its sending until its row is on the disk.
    _open: dict[tuple[str, int], _OpenRequest] = field(default_factory=dict)
    _gate: asyncio.Lock = field(default_factory=asyncio.Lock)
    # Storing waits for the disk; the loop that stamps must not. One thread keeps the order.
    _writer: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "journal"))

    async def warm_up(self) -> None:
        """Send the warm-up requests: the first questions, ungraded, stored under phase ``warmup``."""
        for number, question in enumerate(self.plan.task.questions[: self.plan.warmups]):
            row = await self._ask_one(Wanted(question, number, 0), phase=Phase.WARMUP)
            error = row.item.attempts[-1].error
            if error is not None:
                raise EngineGone(
                    "the engine did not answer the warm-up request",
                    why="; ".join(row.texts.errors) if row.texts else error,
                    fix="try the engine by hand with the same model name, or raise --timeout",
                )
            await self._write(row)

    async def run(self, questions: Sequence[Wanted]) -> StopDecision | None:
        """Ask ``questions``; returns why asking ended early, or null when all were asked.

        Raises `EngineGone` and `TooHot`; whatever was answered by then is stored.
        """
        waiting = iter(questions)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.plan.concurrency):
                    group.create_task(self._work(waiting))
        except BaseExceptionGroup as failures:
            raise _first(failures) from None
        if self._held and not await _listens(self.plan.engine.endpoint):
            raise EngineGone(
                "the engine went away at the end of the run",
                why=f"the last {len(self._held)} requests lost their connection, and nobody listens",
                fix="start it again, then run the same command: it goes on where this one stopped",
            )
        await self._release_held()
        return self._stopped

    def last_t_end(self) -> int:
        """Return when the last stored answer of this segment ended; 0 where there is none."""
        ends = (item.t_end for item in self.items if item.segment == self.segment.index)
        return max(ends, default=0)

    def close(self) -> None:
        """Wait until everything handed over is on the disk, then close the journal.

        Requests that were open, and overlapped answers that count, leave their stretch of time: they drew
        energy too. A request that was alone in flight lies after the last answer, outside the window.
        """
        self._writer.shutdown(wait=True)
        try:
            if self.plan.concurrency > 1:
                for cut in self._open.values():
                    t_end = cut.t_end or self.segment.now_ns()
                    self.journal.append(self.recorder.abandoned(cut.question, cut.place, cut.t_begin, t_end))
        finally:
            self.journal.close()

    async def _work(self, waiting: Iterator[Wanted]) -> None:
        for place in waiting:  # the workers share one iterator, so the order of asking is the plan's
            if self._stopped is not None:
                return
            await self._pass_gate()
            try:
                row = await self._ask_one(place, phase=Phase.MEASURE)
            finally:
                self._in_flight -= 1
            await self._store(row)

    async def _pass_gate(self) -> None:
        """Let a request through when the device is cool enough; a pause begins when nothing is in flight."""
        async with self._gate:
            if self.metering.heat() is not Advice.GO:
                await self._pause()
            self._in_flight += 1

    async def _ask_one(self, wanted: Wanted, *, phase: str) -> ItemRow:
        plan, question = self.plan, wanted.question
        sampling = plan.sampling
        budget = question.max_tokens or sampling.max_tokens
        body = plan.engine.request_body(
            question.messages,
            max_tokens=budget,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            seed=None if sampling.seed is None else sampling.seed + wanted.repeat,
        )
        place = Place(wanted.index, wanted.repeat, self.segment.index, phase)
        request = _OpenRequest(question, place, self.segment.now_ns())
        if phase == Phase.MEASURE:
            self._open[question.item_id, wanted.repeat] = request
        answer = await ask(self.client, body, RetryPolicy(retries=plan.retries))
        request.t_end = answer.exchange.t_end
        return await asyncio.get_running_loop().run_in_executor(
            self._writer, self.recorder.row, question, place, answer, budget
        )

    async def _store(self, row: ItemRow) -> None:
        error = row.item.attempts[-1].error
        if error is not None and self.plan.engine.died():
            raise EngineGone(
                "the engine's process ended in the middle of the run",
                why=f"a request met {error}; the end of its log, where there is one, is in the run directory",
                fix="run the same command: it goes on where this one stopped",
            )
        if error in CONNECTION_ERRORS:
            self._held.append(row)
            if len(self._held) < _ASK_AFTER:
                return
            if not await _listens(self.plan.engine.endpoint):
                raise EngineGone(
                    "the engine went away in the middle of the run",
                    why=f"{len(self._held)} requests lost their connection ({error}), and nobody listens",
                    fix="start it again, then run the same command: it goes on where this one stopped",
                )
            # It is there and breaks connections: these requests failed, and count as failed.
            await self._release_held()
            return
        await self._release_held()
        await self._keep(row)

    async def _release_held(self) -> None:
        held, self._held = self._held, []
        for row in held:
            await self._keep(row)

    async def _keep(self, row: ItemRow) -> None:
        await asyncio.get_running_loop().run_in_executor(self._writer, self._record, row)
        self.observer.item(row.item)
        if self._stopped is None and self.plan.stop_rules:
            ordered = sorted(self.items, key=lambda item: (item.repeat, item.index))
            for rule in self.plan.stop_rules:
                self._stopped = self._stopped or rule.decide(ordered)

    def _record(self, row: ItemRow) -> None:
        """Store an answer and count it: in one step of the writer, which no cancellation can part."""
        self.journal.append(row)
        self.items.append(row.item)
        del self._open[row.item.key]

    async def _write(self, row: ItemRow) -> None:
        await asyncio.get_running_loop().run_in_executor(self._writer, self.journal.append, row)

    async def _pause(self) -> None:
        while self._in_flight:
            await asyncio.sleep(0.05)
        self.observer.note("paused: the device is too hot")
        self.segment.open_window("pause")
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
        self.segment.open_window("measure")


async def _listens(endpoint: Endpoint) -> bool:
    """Tell whether anybody accepts a connection where the engine was."""
    connecting = asyncio.open_connection(endpoint.host, endpoint.port)
    try:
        _, writer = await asyncio.wait_for(connecting, _LISTENS_WITHIN_S)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the error that ended the workers: one cause usually fails them all."""
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first

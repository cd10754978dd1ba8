"""The asking itself: questions to the engine in order, each answer stored before the next is believed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from joulemark.engines.ask import RetryPolicy, ask
from joulemark.engines.client import StreamClient
from joulemark.meters.thermal import Advice
from joulemark.record.errors import InputError
from joulemark.record.item import Item, ItemRow
from joulemark.runs.journal import ItemJournal
from joulemark.runs.metering import Metering
from joulemark.runs.observe import grade, item_row
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.runs.segment import OpenSegment
from joulemark.runs.stop import StopDecision
from joulemark.runs.wanted import Wanted

# So many broken connections in a row mean that the engine is gone, not that it answers badly.
_GONE_AFTER = 3
_CONNECTION_ERRORS = frozenset({"refused", "reset", "cut", "dns", "tls"})


class EngineGone(InputError):
    """The engine stopped being there in the middle of a run."""


class TooHot(InputError):
    """The device stayed too hot for too long."""


@dataclass(slots=True)
class Asking:
    """Asks what is wanted, sequentially or with ``plan.concurrency`` requests in flight.

    Rows of requests whose connection broke are held back until the engine is seen alive again: if it is
    gone they are no answers of the model, and the resumed run asks them again.
    """

    plan: RunPlan
    client: StreamClient
    journal: ItemJournal
    metering: Metering
    observer: Observer
    segment: OpenSegment
    commitment_key: bytes
    items: list[Item] = field(default_factory=list)
    _held: list[ItemRow] = field(default_factory=list)
    _stopped: StopDecision | None = None

    async def warm_up(self) -> None:
        """Send the warm-up requests: the first questions, ungraded, stored under phase ``warmup``."""
        for number, question in enumerate(self.plan.task.questions[: self.plan.warmups]):
            # A negative repeat keeps the key of a warm-up apart from the answers that count.
            place = Wanted(question, number, -1 - self.segment.index)
            row = await self._ask_one(place, phase="warmup")
            if row.item.attempts and row.item.attempts[-1].error is not None:
                error = row.item.attempts[-1].error
                raise EngineGone(
                    "the engine did not answer the warm-up request",
                    why=error,
                    fix="try the engine by hand with the same model name, or raise --timeout",
                )
            self.journal.append(row)

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
        self._release_held()
        return self._stopped

    def last_t_end(self) -> int:
        """Return when the last stored answer of this segment ended; 0 where there is none."""
        return max((item.t_end for item in self.items), default=0)

    async def _work(self, waiting: Iterator[Wanted]) -> None:
        for place in waiting:  # the workers share one iterator, so the order of asking is the plan's
            if self._stopped is not None:
                return
            await self._wait_until_cool()
            row = await self._ask_one(place, phase="measure")
            self._store(row)

    async def _ask_one(self, place: Wanted, *, phase: str) -> ItemRow:
        plan, question = self.plan, place.question
        sampling = plan.sampling
        body = plan.engine.request_body(
            question.messages,
            max_tokens=question.max_tokens or sampling.max_tokens,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            seed=None if sampling.seed is None else sampling.seed + max(place.repeat, 0),
        )
        sequential = plan.concurrency == 1
        if sequential:
            await self.metering.edge()
        answer = await ask(self.client, body, RetryPolicy(retries=plan.retries))
        if sequential:
            await self.metering.edge()
        score = grade(plan.task.scorer, question, answer.reply) if phase == "measure" else None
        return item_row(
            question,
            answer.exchange,
            answer.reply,
            answer.attempts,
            score,
            index=place.index,
            repeat=place.repeat,
            segment=self.segment.index,
            phase=phase,
            commitment_key=self.commitment_key,
        )

    def _store(self, row: ItemRow) -> None:
        error = row.item.attempts[-1].error if row.item.attempts else None
        if error is not None and error.split(":")[0] in _CONNECTION_ERRORS:
            self._held.append(row)
            if len(self._held) >= _GONE_AFTER or self.plan.engine.died():
                raise EngineGone(
                    "the engine went away in the middle of the run",
                    why=f"{len(self._held)} requests in a row lost their connection ({error})",
                    fix="start it again, then run the same command: it goes on where this one stopped",
                )
            return
        if error is not None and self.plan.engine.died():
            raise EngineGone(
                "the engine's process ended in the middle of the run",
                why=error,
                fix="see its log in the run directory, then run the same command: it goes on from here",
            )
        self._release_held()
        self._keep(row)

    def _release_held(self) -> None:
        for row in self._held:
            self._keep(row)
        self._held.clear()

    def _keep(self, row: ItemRow) -> None:
        self.journal.append(row)
        self.items.append(row.item)
        self.observer.item(row.item)
        if self._stopped is None and self.plan.stop_rules:
            ordered = sorted(self.items, key=lambda item: (item.repeat, item.index))
            for rule in self.plan.stop_rules:
                self._stopped = self._stopped or rule.decide(ordered)

    async def _wait_until_cool(self) -> None:
        advice = self.metering.heat()
        if advice is Advice.GO:
            return
        self.observer.note("paused: the device is too hot")
        self.segment.open_window("pause")
        try:
            while (advice := self.metering.heat()) is Advice.PAUSE:
                await asyncio.sleep(1.0)
        finally:
            self.segment.open_window("measure")
        if advice is Advice.STOP:
            raise TooHot(
                "the device stayed too hot",
                why="thermal throttling did not end within the pause",
                fix="improve the cooling, then run the same command: it goes on where this one stopped",
            )


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the error that ended the workers: one cause usually fails them all."""
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first

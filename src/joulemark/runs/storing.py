"""From an answer to the disk: rows made, held back while the engine is in doubt, and written in batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic_ns
from typing import TypeVar

from joulemark.engines.ask import CONNECTION_ERRORS, Asked, read_asked
from joulemark.engines.engine import Engine
from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.metrics.run_view import RunView
from joulemark.record.errors import InputError
from joulemark.record.item import Item, ItemRow, Phase
from joulemark.runs.journal import ItemJournal
from joulemark.runs.observe import Place, Recorder
from joulemark.runs.observer import Observer
from joulemark.runs.stop import StopDecision
from joulemark.runs.stopping import Stopping
from joulemark.tasks.task import Question

T = TypeVar("T")

# So many broken connections without an answer between them ask whether the engine is still there.
_ASK_AFTER = 3
_LISTENS_WITHIN_S = 5.0
_GOING_S = 0.5  # an engine that ends breaks its connections before it stops listening
_AT_ONCE = 64  # rows that one write to the disk takes
_WAITING = 256  # answers that wait for it; beyond them the load does
_AGAIN = "start it again, then run the same command: it goes on where this one stopped"


class EngineGone(InputError):
    """The engine stopped being there in the middle of a run."""


@dataclass(slots=True)
class Request:
    """A request from its sending until its row is on the disk.

    ``exchanges`` are its attempts, none while it is in flight.
    """

    question: Question
    place: Place
    t_begin: int
    budget: int
    exchanges: tuple[Exchange, ...] = ()
    _asked: Asked | None = None

    @property
    def key(self) -> tuple[str, int]:
        """The key of its row."""
        return self.question.item_id, self.place.key_repeat

    def read(self) -> Asked:
        """Return what became of it, read once."""
        if self._asked is None:
            self._asked = read_asked(self.exchanges)
        return self._asked

    @property
    def error(self) -> str | None:
        """How its last attempt failed, null where it was answered."""
        return self.read().attempts[-1].error

    def span(self, t_ns: int) -> tuple[int, int]:
        """Return when it was sent and ended (monotonic ns); ``t_ns`` where it is in flight."""
        return self.t_begin, self.exchanges[-1].t_end if self.exchanges else t_ns


@dataclass(slots=True)
class Storing:
    """Keeps the answers of a segment. ``items`` are those that count, earlier segments' included.

    Rows of requests whose connection broke are held back until the engine is seen alive again: if it is gone
    they are no answers of the model, and the resumed run asks them again.
    """

    engine: Engine
    journal: ItemJournal
    recorder: Recorder
    observer: Observer
    items: list[Item]
    stopping: Stopping | None = None
    so_far: Callable[[Sequence[Item], Sequence[Item]], Callable[[], RunView]] | None = None
    _held: list[Request] = field(default_factory=list)
    _open: dict[tuple[str, int], Request] = field(default_factory=dict)
    _saving: list[asyncio.Future[None]] = field(default_factory=list)
    _answered: asyncio.Queue[Request] = field(default_factory=lambda: asyncio.Queue(_WAITING))
    # Storing waits for the disk; the loop that stamps must not. One thread keeps the order.
    _writer: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "journal"))

    @property
    def stopped(self) -> StopDecision | None:
        """Why asking ends early, null where it does not."""
        return None if self.stopping is None else self.stopping.decision

    def begin(self, request: Request) -> None:
        """Note a request that is about to be sent."""
        self._open[request.key] = request

    async def run(self) -> None:
        """Store what `put` hands over, as much at once as there is, until cancelled; raises `EngineGone`."""
        while True:
            batch = [await self._answered.get()]
            while len(batch) < _AT_ONCE and not self._answered.empty():
                batch.append(self._answered.get_nowait())
            await self.read(batch)
            await self.store(batch)
            for _ in batch:
                self._answered.task_done()

    async def put(self, request: Request) -> None:
        """Hand over an answered request to be stored soon."""
        await self._answered.put(request)

    async def read(self, requests: Sequence[Request]) -> None:
        """Read answers where no stream waits for its stamp meanwhile."""
        await self._in_writer(lambda: [request.read() for request in requests])

    async def flush(self) -> None:
        """Wait until everything that was handed over is stored; raises `InputError` for a full disk."""
        await self._answered.join()
        for saving in self._saving:
            await saving

    async def store(self, batch: Sequence[Request]) -> None:
        """Store answered requests, and tell of them; raises `EngineGone` after storing what is an answer."""
        ready: list[Request] = []
        try:
            for request in batch:
                ready += await self._believed(request)
        finally:
            await self._record(ready)

    async def finish(self) -> None:
        """Store what is held back, if the engine is still there; raises `EngineGone` if it is not."""
        if self._held and not await _is_there(self.engine.endpoint):
            raise EngineGone(
                "the engine went away at the end of the run",
                why=f"the last {len(self._held)} requests lost their connection, and nobody listens",
                fix=_AGAIN,
            )
        await self._record(self._released())

    async def write(self, request: Request) -> ItemRow:
        """Make the row of an answered request and store it; nothing of it is held back, nor told."""
        return (await self._in_writer(lambda: self._keep([request])))[0]

    def save_soon(self, save: Callable[[], None]) -> None:
        """Have ``save`` done before any row of a request that is answered from now on is stored."""
        self._saving.append(asyncio.get_running_loop().run_in_executor(self._writer, save))

    def close(self, t_ns: int, *, overlapped: bool) -> None:
        """Store what was answered, then close the journal.

        Requests that were open at ``t_ns`` leave their stretch of time, where they ``overlapped`` answers
        that count: they drew energy too. A request that was alone in flight lies after the last answer,
        outside the window.
        """
        self._writer.shutdown(wait=True)
        try:
            self._keep([one for one in self._open.values() if one.exchanges and one.error is None])
            if overlapped:
                abandoned = self.recorder.abandoned
                self.journal.extend(
                    [abandoned(one.question, one.place, *one.span(t_ns)) for one in self._open.values()]
                )
        finally:
            self.journal.close()

    async def _believed(self, request: Request) -> list[Request]:
        """Return the requests whose rows may be stored now that this one was answered or failed."""
        if request.error is not None and self.engine.died():
            raise EngineGone(
                "the engine's process ended in the middle of the run",
                why=f"a request met {request.error}; the end of its log, where there is one, is in the run"
                " directory",
                fix="run the same command: it goes on where this one stopped",
            )
        if request.error not in CONNECTION_ERRORS:
            return [*self._released(before_ns=request.t_begin), request]
        self._held.append(request)
        if len(self._held) < _ASK_AFTER:
            return []
        if not await _is_there(self.engine.endpoint):
            raise EngineGone(
                "the engine went away in the middle of the run",
                why=f"{len(self._held)} requests lost their connection ({request.error}), and nobody listens",
                fix=_AGAIN,
            )
        # It is there and breaks connections: these requests failed, and count as failed.
        return self._released()

    def _released(self, before_ns: int | None = None) -> list[Request]:
        """Return what is held back no longer: all, or what had failed before an answered request was sent.

        An answer to a request that was in flight already tells nothing of an engine that breaks connections.
        """
        held, self._held = self._held, []
        released: list[Request] = []
        for request in held:
            in_doubt = before_ns is not None and request.span(before_ns)[1] > before_ns
            (self._held if in_doubt else released).append(request)
        return released

    async def _record(self, requests: Sequence[Request]) -> None:
        if not requests:
            return
        rows = await self._in_writer(lambda: self._keep(requests))
        counted = [row.item for row in rows if row.item.phase == Phase.MEASURE]
        for item in counted:
            self.observer.item(item)
        if self.stopping is not None:
            self.stopping.finished.add(counted)
            await self._decide(self.stopping)

    async def _decide(self, stopping: Stopping) -> None:
        """Let the rule look, where a stream that waits for its stamp is not held up."""
        if not stopping.due or self.so_far is None:
            return
        t_ns = monotonic_ns()
        abandoned = self.recorder.abandoned
        in_flight = [abandoned(one.question, one.place, *one.span(t_ns)).item for one in self._open.values()]
        # the writer adds to the items, and is where the rule looks
        so_far = self.so_far(self.items, in_flight)
        await self._in_writer(lambda: stopping.decide(so_far))
        if told := stopping.told:
            self.observer.standing(told, stopping.enough)

    def _keep(self, requests: Sequence[Request]) -> list[ItemRow]:
        """Store answers and count them: in one step of the writer, which no cancellation can part."""
        rows = [self.recorder.row(one.question, one.place, one.read(), one.budget) for one in requests]
        if rows:
            self.journal.extend(rows)
        self.items += [row.item for row in rows if row.item.phase == Phase.MEASURE]
        for request in requests:
            self._open.pop(request.key, None)
        return rows

    async def _in_writer(self, job: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, job)


async def _is_there(endpoint: Endpoint) -> bool:
    """Tell whether somebody listens where the engine was, and goes on doing so."""
    if not await _listens(endpoint):
        return False
    await asyncio.sleep(_GOING_S)
    return await _listens(endpoint)


async def _listens(endpoint: Endpoint) -> bool:
    connecting = asyncio.open_connection(endpoint.host, endpoint.port)
    try:
        _, writer = await asyncio.wait_for(connecting, _LISTENS_WITHIN_S)
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True

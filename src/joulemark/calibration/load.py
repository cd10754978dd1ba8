"""A small even load on an engine: so many requests at once, busy for a given share of the time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.engines.ask import attempt
from joulemark.engines.client import StreamClient
from joulemark.engines.engine import Engine
from joulemark.record.errors import InputError
from joulemark.record.reason import Reason

REQUEST_S = 0.5  # how long a request should take, so that a window holds many
FEWEST_TOKENS, MOST_TOKENS = 8, 512
FIRST_TOKENS = 24
_LONGEST_REST_S = 30.0
_TIMEOUT_S = 120.0
_QUESTION = (
    "Write a long, plain description of a harbour town in the morning: the ships, the market, the streets, "
    "the weather and the people. Do not stop before you are told to."
)


@dataclass(frozen=True, slots=True)
class Request:
    """One request of the load: stamps (monotonic ns), output tokens (null where they are not told)."""

    t_sent: int
    t_end: int
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Share:
    """What of the requests lies in a window.

    ``utilisation``: the share of the window in which a request was in flight. ``tokens_per_s`` counts the
    tokens of a request that reaches over an end by its share of time inside; null with ``reason``.
    """

    utilisation: float
    tokens_per_s: float | None
    reason: str = ""


def share_of(requests: Sequence[Request], t0: int, t1: int) -> Share:
    """Return what of ``requests`` lies between ``t0`` and ``t1`` (monotonic ns)."""
    busy_ns, reached = 0, t0
    tokens: float | None = 0.0
    for request in sorted(requests, key=lambda one: one.t_sent):
        begin, end = max(request.t_sent, t0), min(request.t_end, t1)
        if end <= begin:
            continue
        busy_ns += max(0, end - max(begin, reached))
        reached = max(reached, end)
        if tokens is not None:
            whole_ns = request.t_end - request.t_sent
            tokens = None if request.tokens is None else tokens + request.tokens * (end - begin) / whole_ns
    duration_s = (t1 - t0) * 1e-9
    if tokens is None:
        return Share(busy_ns / (t1 - t0), None, Reason.NOT_REPORTED.text)
    return Share(busy_ns / (t1 - t0), tokens / duration_s)


class EngineLoad:
    """Asks one engine, from its making until `close`; `make_resident` first loads the model."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._client = StreamClient(engine.endpoint, stall_timeout_s=_TIMEOUT_S, total_timeout_s=_TIMEOUT_S)
        self._tokens = FIRST_TOKENS
        self._requests: list[Request] = []
        self._going = False
        self._workers: list[asyncio.Task[None]] = []

    async def make_resident(self) -> None:
        """Ask once, so that the model is loaded, and again to see how much an answer of half a second holds.

        Raises `InputError` where the engine does not answer.
        """
        await self._ask()
        request = await self._ask()
        taken_s = (request.t_end - request.t_sent) * 1e-9
        wanted = round((request.tokens or self._tokens) * REQUEST_S / max(taken_s, 1e-3))
        self._tokens = min(MOST_TOKENS, max(FEWEST_TOKENS, wanted))

    def begin(self, concurrency: int, duty: float) -> None:
        """Keep ``concurrency`` requests going, each resting so long that it is busy ``duty`` of the time."""
        self._requests, self._going = [], True
        self._workers = [asyncio.create_task(self._work(duty)) for _ in range(concurrency)]

    async def end(self) -> list[Request]:
        """Let the requests in flight finish and return all; raises `InputError` where the engine failed."""
        self._going = False
        workers, self._workers = self._workers, []
        await asyncio.gather(*workers)
        return self._requests

    async def close(self) -> None:
        """Stop asking at once."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._workers = []
        await self._client.aclose()

    async def _work(self, duty: float) -> None:
        while self._going:
            request = await self._ask()
            self._requests.append(request)
            busy_s = (request.t_end - request.t_sent) * 1e-9
            rest_s = min(_LONGEST_REST_S, busy_s * (1 - duty) / duty)
            # in small steps, so that the end of a window is not waited for
            while rest_s > 0 and self._going:
                await asyncio.sleep(min(rest_s, 0.1))
                rest_s -= 0.1

    async def _ask(self) -> Request:
        body = self._engine.request_body([("user", _QUESTION)], max_tokens=self._tokens)
        exchange, reply = await attempt(self._client, body)
        if reply.error is not None:
            what = "the engine went away" if self._engine.died() else "the engine failed on a small request"
            why = self._engine.endpoint.conceal(exchange.detail or reply.error.message)
            raise InputError(what, why=why, fix="see the engine's own log, then calibrate again")
        return Request(exchange.t_sent, exchange.t_end, reply.completion_tokens)

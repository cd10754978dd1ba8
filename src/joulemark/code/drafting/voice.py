"""An engine that is asked one question after another, from code that is not asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

from joulemark.engines.ask import CONNECTION_ERRORS, Asked, RetryPolicy, ask
from joulemark.engines.client.loop import new_event_loop
from joulemark.engines.client.stream_client import StreamClient
from joulemark.engines.engine import Engine
from joulemark.record.content import Message
from joulemark.record.errors import InputError

_CUT = "length"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question. ``error``: why there is no answer; ``tokens``: null where not reported."""

    text: str
    seconds: float
    tokens: int | None = None
    finish_reason: str | None = None
    error: str | None = None

    @property
    def was_cut(self) -> bool:
        """Whether the answer ended because it used up its tokens."""
        return self.finish_reason == _CUT


Ask = Callable[[Sequence[Message], int], Answer]
"""Asks the engine: messages, and the number of the question, which makes a given seed another one."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How an engine is asked, as `joulemark.record.manifest.Sampling` has it, and how patiently."""

    max_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int | None = None
    retries: int = 2
    timeout_s: float = 600.0


class Voice:
    """An engine, started and ready to be asked, while its ``with`` block runs."""

    def __init__(self, engine: Engine, manner: Manner) -> None:
        self._engine, self._manner = engine, manner
        self._runner = asyncio.Runner(loop_factory=new_event_loop)
        self._client: StreamClient | None = None

    def __enter__(self) -> Voice:
        try:
            self._runner.run(self._start())
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._engine.describe().model

    @property
    def kind(self) -> str:
        """The engine's kind."""
        return self._engine.describe().kind

    def ask(self, messages: Sequence[Message], number: int) -> Answer:
        """Ask. Raises `InputError` where the engine is gone; a request that it refuses is in the answer."""
        manner, client = self._manner, self._client
        if client is None:
            raise RuntimeError("the engine has not been started")
        body = self._engine.request_body(
            messages,
            max_tokens=manner.max_tokens,
            temperature=manner.temperature,
            top_p=manner.top_p,
            seed=None if manner.seed is None else manner.seed + number,
        )
        asked = self._runner.run(ask(client, body, RetryPolicy(retries=manner.retries)))
        error = self._error(asked)
        reply, first = asked.reply, asked.attempts[0]
        return Answer(
            text=reply.text if error is None else "",
            seconds=(asked.attempts[-1].t_end - first.t_sent) * 1e-9,
            tokens=reply.completion_tokens,
            finish_reason=reply.finish_reason,
            error=error,
        )

    def _error(self, asked: Asked) -> str | None:
        code = asked.attempts[-1].error
        if code is None:
            return None
        why = self._engine.endpoint.conceal(asked.sentences[-1] if asked.sentences else code)
        if code in CONNECTION_ERRORS or self._engine.died():
            raise InputError(
                "the engine went away",
                why=why,
                fix="start it again, then give the same command",
            )
        return why

    async def _start(self) -> None:
        await self._engine.start()
        timeout_s = self._manner.timeout_s
        self._client = StreamClient(
            self._engine.endpoint, stall_timeout_s=timeout_s, total_timeout_s=timeout_s
        )

    async def _stop(self) -> None:
        if self._client is not None:
            await self._client.aclose()
        await self._engine.stop()

    def _close(self) -> None:
        try:
            self._runner.run(self._stop())
        finally:
            self._runner.close()

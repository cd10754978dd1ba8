"""One question to an engine: every attempt is kept, so that no retry hides its time or its energy."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Protocol

from joulemark.engines.exchange import Exchange
from joulemark.engines.streams import Fault, Reply, parse
from joulemark.record.item import CLOSED, Attempt

CONNECTION_ERRORS = frozenset({"refused", "reset", "cut", "dns", "tls"})
"""Codes of a connection that failed, which says nothing of the model; a stall or a timeout may."""
# A certificate that is not believed now will not be believed in a second either.
_WORTH_RETRYING = CONNECTION_ERRORS - {"tls"}


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When and how often to try again.

    Only 429, 5xx and failed connections (but for TLS) are tried again, ``retries`` times at most. The wait
    doubles from ``backoff_s`` up to ``backoff_max_s`` seconds; a longer ``Retry-After`` wins, and one beyond
    ``retry_after_max_s`` ends the trying, for asking earlier would be of no use.
    """

    retries: int = 0
    backoff_s: float = 1.0
    backoff_max_s: float = 60.0
    retry_after_max_s: float = 120.0

    def wait_s(self, tried: int, exchange: Exchange) -> float | None:
        """Return the seconds to wait after the attempt number ``tried`` (from 1), null to give up."""
        if tried > self.retries or not _worth_retrying(exchange):
            return None
        backoff_s = min(self.backoff_max_s, self.backoff_s * 2.0 ** min(tried - 1, 32))
        asked_s = retry_after_s(exchange.headers.get("retry-after"), time.time())
        if asked_s is None:
            return backoff_s
        return None if asked_s > self.retry_after_max_s else max(asked_s, backoff_s)


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of a question: the last attempt's exchange and reply, and all attempts in order.

    ``sentences`` say what happened, one a failed attempt in order. They may name hosts and carry a server's
    words, so they stay on this machine; an attempt's ``error`` is a code only.
    """

    exchange: Exchange
    reply: Reply
    attempts: tuple[Attempt, ...]
    sentences: tuple[str, ...] = ()


class Exchanger(Protocol):
    """What sends a request: a `StreamClient`, or something around one."""

    async def exchange(self, body: bytes) -> Exchange:
        """Send ``body`` to the engine's endpoint; failures are in what is returned."""
        ...


async def attempt(client: Exchanger, body: bytes) -> tuple[Exchange, Reply]:
    """Ask once. Raises nothing but cancellation: failures are in what is returned."""
    exchange = await client.exchange(body)
    return exchange, read_reply(exchange)


def read_reply(exchange: Exchange) -> Reply:
    """Return what an exchange says, read as a stream or as one JSON answer."""
    return parse(
        exchange.reads,
        content_type=exchange.headers.get("content-type"),
        status=exchange.status,
        transport_error=exchange.error,
        t_end=exchange.t_end,
    )


async def ask(client: Exchanger, body: bytes, policy: RetryPolicy | None = None) -> Asked:
    """Ask, again where ``policy`` says so (null: once)."""
    return read_asked(await exchanges(client, body, policy))


async def exchanges(
    client: Exchanger, body: bytes, policy: RetryPolicy | None = None
) -> tuple[Exchange, ...]:
    """Ask as `ask` does and read nothing but what may be tried again: `read_asked` reads the rest.

    Reading a long stream takes a millisecond in which no other one is stamped.
    """
    policy = policy or RetryPolicy()
    tried: list[Exchange] = []
    while True:
        exchange = await client.exchange(body)
        tried.append(exchange)
        failed = _worth_retrying(exchange) and read_reply(exchange).error is not None
        wait_s = policy.wait_s(len(tried), exchange) if failed else None
        if wait_s is None:
            return tuple(tried)
        await asyncio.sleep(wait_s)


def read_asked(exchanges: Sequence[Exchange]) -> Asked:
    """Return what became of a question; ``exchanges`` are its attempts in order, at least one."""
    attempts: list[Attempt] = []
    sentences: list[str] = []
    for exchange in exchanges:
        if exchange.unheard is not None:
            attempts.append(Attempt(*exchange.unheard, CLOSED))
            sentences.append("the kept connection that it was sent on was being closed")
        reply = read_reply(exchange)
        failure = None if reply.error is None else _failure(exchange, reply.error)
        code = None if failure is None else failure[0]
        attempts.append(Attempt(exchange.t_sent, exchange.t_end, code, reply.completion_tokens))
        if failure is not None:
            sentences.append(failure[1])
    return Asked(exchange, reply, tuple(attempts), tuple(sentences))


def retry_after_s(value: str | None, now_unix_s: float) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for (RFC 9110, 10.2.3: seconds or a date)."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now_unix_s
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _worth_retrying(exchange: Exchange) -> bool:
    if exchange.error is not None:
        return exchange.error in _WORTH_RETRYING
    return exchange.status is not None and (exchange.status == 429 or exchange.status >= 500)


def _failure(exchange: Exchange, fault: Fault) -> tuple[str, str]:
    """Return the code of a failed attempt and the sentence that says more."""
    if exchange.error is not None:
        return exchange.error, exchange.detail or fault.message
    # an engine may say 200 first and fail afterwards
    refused = exchange.status is not None and exchange.status >= 400
    return (f"http_{exchange.status}" if refused else "answer"), fault.message

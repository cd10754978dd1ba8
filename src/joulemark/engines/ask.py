"""One question to an engine: every attempt is kept, so that no retry hides its time or its energy."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from joulemark.engines.client import StreamClient
from joulemark.engines.exchange import Exchange
from joulemark.engines.streams import Reply, parse
from joulemark.record.item import Attempt

# A connection that failed says nothing of the model; a stall or a timeout may.
_CONNECTION_ERRORS = frozenset({"refused", "reset", "cut", "dns"})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When and how often to try again.

    Only 429, 5xx and failed connections are tried again, ``retries`` times at most. The wait doubles from
    ``backoff_s`` up to ``backoff_max_s`` seconds; a longer ``Retry-After`` wins, and one beyond
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
    """What became of a question: the last attempt's exchange and reply, and all attempts in order."""

    exchange: Exchange
    reply: Reply
    attempts: tuple[Attempt, ...]


async def attempt(client: StreamClient, body: bytes) -> tuple[Exchange, Reply]:
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


async def ask(client: StreamClient, body: bytes, policy: RetryPolicy | None = None) -> Asked:
    """Ask, again where ``policy`` says so (null: once)."""
    policy = policy or RetryPolicy()
    attempts: list[Attempt] = []
    while True:
        exchange, reply = await attempt(client, body)
        error = _error(exchange, reply)
        attempts.append(Attempt(exchange.t_sent, exchange.t_end, error, reply.completion_tokens))
        wait_s = policy.wait_s(len(attempts), exchange)
        if wait_s is None:
            return Asked(exchange, reply, tuple(attempts))
        await asyncio.sleep(wait_s)


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
        return exchange.error in _CONNECTION_ERRORS
    return exchange.status is not None and (exchange.status == 429 or exchange.status >= 500)


def _error(exchange: Exchange, reply: Reply) -> str | None:
    """Return ``code: what happened`` of a failed attempt, null for a good one."""
    if exchange.error is not None:
        return f"{exchange.error}: {exchange.detail}"
    if reply.error is None:
        return None
    code = "answer" if exchange.status == 200 else f"http_{exchange.status}"
    return f"{code}: {reply.error.message}"

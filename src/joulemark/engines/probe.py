"""Short questions to an engine before a run: small answers, short waits, nothing measured."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import orjson

from joulemark.engines.client import StreamClient
from joulemark.engines.exchange import Endpoint, Exchange

_MAX_ANSWER_BYTES = 8 << 20
_TIMEOUTS = ("stall", "timeout")


class Prober:
    """A client for probes. Use as an asynchronous context manager.

    A page that does not come within ``timeout_s`` is asked for once more, for up to ``again_s``; null: it is
    not. ``timed_out`` tells whether some page did not come in the end.
    """

    def __init__(self, endpoint: Endpoint, *, timeout_s: float = 5.0, again_s: float | None = None) -> None:
        waits_s = (timeout_s,) if again_s is None else (timeout_s, again_s)
        self._clients = tuple(_client(endpoint, wait_s) for wait_s in waits_s)
        self.timed_out = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._clients:
            await client.aclose()

    async def get(self, path: str) -> Exchange:
        """Send a GET request."""
        return await self._ask(path, "GET", b"")

    async def post(self, path: str, body: bytes) -> Exchange:
        """Send a POST request with a JSON body."""
        return await self._ask(path, "POST", body)

    async def _ask(self, path: str, method: str, body: bytes) -> Exchange:
        for client in self._clients:
            exchange = await client.exchange(body, path=path, method=method)
            if exchange.error not in _TIMEOUTS:
                return exchange
        self.timed_out = True
        return exchange

    async def json(self, path: str) -> dict[str, object] | None:
        """Return the JSON object at ``path``, null for any other answer."""
        return json_object(await self.get(path))


def _client(endpoint: Endpoint, timeout_s: float) -> StreamClient:
    return StreamClient(
        endpoint,
        connect_timeout_s=timeout_s,
        stall_timeout_s=timeout_s,
        total_timeout_s=2 * timeout_s,
        max_body_bytes=_MAX_ANSWER_BYTES,
    )


def json_object(exchange: Exchange) -> dict[str, object] | None:
    """Return the JSON object that a 200 answer holds, null for any other answer."""
    if exchange.error is not None or exchange.status != 200:
        return None
    try:
        value = orjson.loads(exchange.body)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def error_message(exchange: Exchange) -> str:
    """Return what a refusing server says, in one line of at most 300 characters."""
    if exchange.error is not None:
        return exchange.detail or exchange.error
    text = exchange.body.decode("utf-8", errors="replace")
    try:
        value: object = orjson.loads(exchange.body)
    except orjson.JSONDecodeError:
        value = None
    # {"error": {"message": …}}, {"error": "…"}, {"message": …}, {"detail": …}
    for name in ("error", "message", "detail"):
        if isinstance(value, dict) and name in value:
            value = value[name]
    if isinstance(value, str):
        text = value
    return " ".join(text.split())[:300] or f"an empty answer with status {exchange.status}"

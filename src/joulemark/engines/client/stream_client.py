"""The client: exchanges over kept-alive connections, every outcome returned as an `Exchange`."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import replace
from time import monotonic_ns

from joulemark.engines.client.answer import Answer
from joulemark.engines.client.connection import Connection
from joulemark.engines.client.dial import DialError, dial
from joulemark.engines.client.request import request_head
from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.record.errors import InputError

MOST_CLOSINGS = 2  # so many requests may meet the closing of a kept connection; then none is kept any more
PROMISE_NS = 1_000_000_000  # a server that means to keep a connection keeps it longer, for seconds at least
NO_HEADERS: Mapping[str, str] = {}


class StreamClient:
    """Sends requests to one endpoint and receives streams with a stamp for each read.

    ``stall_timeout_s``: the longest silence, the wait for the first byte included; ``total_timeout_s``: from
    sending to the end; ``max_body_bytes``: the longest answer on the wire. Redirects are returned, not
    followed. ``tls`` replaces the default context of an https endpoint. Raises `InputError` for an endpoint
    that cannot be spoken to. Belongs to the loop that runs it; connections are as many as exchanges overlap.

    A request is sent twice in one case only: it met the closing of a kept connection (`Answer.unheard`). Then
    it goes out once more on a fresh one, and the exchange is that one's; the first sending stands in it as
    `Exchange.unheard`. llama.cpp closes after every stream although it promises to keep the connection: from
    such a server none is kept again, nor from one whose closing `MOST_CLOSINGS` requests have met.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        connect_timeout_s: float = 10.0,
        stall_timeout_s: float = 120.0,
        total_timeout_s: float = 3600.0,
        max_body_bytes: int = 64 << 20,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        if endpoint.scheme not in ("http", "https"):
            raise InputError(
                f"{endpoint.scheme}:// is not spoken here",
                why="an engine is reached by http or https",
                fix=f"give http://{endpoint.host}:{endpoint.port}",
            )
        request_head(
            endpoint, "POST", endpoint.path, NO_HEADERS, 0
        )  # a bad key is told before the run, not in it
        self.endpoint = endpoint
        self._connect_timeout_s = connect_timeout_s
        self._stall_timeout_s = stall_timeout_s
        self._total_timeout_s = total_timeout_s
        self._max_body_bytes = max_body_bytes
        self._tls = tls or ssl.create_default_context() if endpoint.scheme == "https" else None
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()
        self._keeps = True
        self._closings = 0
        self._closed = False

    async def exchange(
        self,
        body: bytes = b"",
        *,
        path: str | None = None,
        method: str = "POST",
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> Exchange:
        """Send one request and return what came back, failures included; raises only when cancelled.

        ``method`` is any whose answer has a body (not HEAD). What was received before a failure is in the
        result.
        """
        t_begin = monotonic_ns()
        try:
            head = request_head(self.endpoint, method, path or self.endpoint.path, headers, len(body))
        except InputError as exc:
            return Exchange(t_begin, t_begin, None, error="bad_http", detail=f"{exc.what}: {exc.why}")
        request = head + body
        met: Answer | None = None
        if (kept := self._take_idle()) is not None:
            met = await self._send(kept, request)
            if self._closed or not met.unheard:
                return met.exchange()
            self._met_closing(kept, met)
        try:
            fresh = await self._connect()
        except DialError as exc:
            if met is not None:  # the server went away with the request in its hands
                return met.exchange()
            return Exchange(t_begin, monotonic_ns(), None, error=exc.code, detail=exc.detail)
        exchange = (await self._send(fresh, request)).exchange()
        return exchange if met is None else replace(exchange, unheard=(met.t_sent, met.t_end or met.t_last))

    async def aclose(self) -> None:
        """Close all connections; exchanges under way end as ``reset`` or ``cut``."""
        self._closed = True
        self._idle.clear()
        connections = tuple(self._open)
        for connection in connections:
            connection.abort()
        await asyncio.gather(*(connection.closed for connection in connections))

    async def __aenter__(self) -> StreamClient:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    async def _send(self, connection: Connection, request: bytes) -> Answer:
        return await connection.roundtrip(
            request,
            stall_timeout_s=self._stall_timeout_s,
            total_timeout_s=self._total_timeout_s,
            max_bytes=self._max_body_bytes,
        )

    def _take_idle(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()  # the latest used is the least likely to have been closed
            if self._keeps and connection.usable():
                return connection
            self._lost_idle(connection)
            connection.abort()
        return None

    async def _connect(self) -> Connection:
        connection = await dial(
            self.endpoint,
            lambda: Connection(self._keep, self._forget),
            self._tls,
            self._connect_timeout_s,
        )
        self._open.add(connection)
        return connection

    def _keep(self, connection: Connection) -> None:
        if self._keeps:
            self._idle.append(connection)
        else:
            connection.abort()

    def _lost_idle(self, connection: Connection) -> None:
        if monotonic_ns() - connection.t_free < PROMISE_NS:
            self._keeps = False

    def _met_closing(self, connection: Connection, met: Answer) -> None:
        self._closings += 1
        if self._closings >= MOST_CLOSINGS or met.t_sent - connection.t_free < PROMISE_NS:
            self._keeps = False

    def _forget(self, connection: Connection) -> None:
        self._open.discard(connection)
        if connection in self._idle:
            self._idle.remove(connection)
            self._lost_idle(connection)

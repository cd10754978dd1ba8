"""The clients that client_cost.py compares, each doing the same: receive, stamp and decode every event.

A receiver returns for each event the seconds between the server's stamp in it and the client's own stamp.
"""

from __future__ import annotations

import asyncio
import json
import select
import socket
import time
from collections.abc import Awaitable, Callable
from time import monotonic_ns
from typing import Any

import orjson

BODY = orjson.dumps({"model": "paced", "stream": True, "messages": [{"role": "user", "content": "hello"}]})
DATA = b"data: "
DONE = b"[DONE]"

Lags = list[float]
Stream = Callable[[str], Awaitable[Lags]]


def decoded(loads: Callable[[bytes], Any], event: bytes, t_ns: int, texts: list[str]) -> float:
    """What every client does with an event: its JSON, its text, its lag in seconds."""
    chunk = loads(event)
    texts.append(chunk["choices"][0]["delta"]["content"])
    return (t_ns - chunk["t_ns"]) / 1e9


class Joulemark:
    """Ours: stamped reads in the hot path, decoded when the request is over.

    ``decode_s`` is the processor time of decoding as the others do it. With ``parsing`` the project's own
    parser (format sniffed, thinking, token counts, faults) reads the same bytes once more; ``parse_s`` is its
    time.
    """

    def __init__(self, port: int) -> None:
        from joulemark.engines.client import StreamClient
        from joulemark.engines.exchange import Endpoint
        from joulemark.engines.streams import parse

        self.client = StreamClient(Endpoint("http", "127.0.0.1", port))
        self.parse = parse
        self.parsing = False
        self.decode_s = self.parse_s = 0.0

    async def stream(self, path: str) -> Lags:
        exchange = await self.client.exchange(BODY, path=path)
        assert exchange.error is None, exchange.detail
        start = time.process_time()
        lags: Lags = []
        texts: list[str] = []
        rest = b""
        for t_ns, data in exchange.reads:
            *events, rest = (rest + data).split(b"\n\n")
            for event in events:
                payload = event[len(DATA) :]
                if payload != DONE:
                    lags.append(decoded(orjson.loads, payload, t_ns, texts))
        self.decode_s += time.process_time() - start
        if self.parsing:
            start = time.process_time()
            reply = self.parse(
                exchange.reads,
                content_type=exchange.headers.get("content-type"),
                status=exchange.status,
                t_end=exchange.t_end,
            )
            self.parse_s += time.process_time() - start
            assert reply.text == "".join(texts)
        return lags

    async def aclose(self) -> None:
        await self.client.aclose()


class Aiohttp:
    """aiohttp, lines of the body as they come, orjson."""

    def __init__(self, port: int) -> None:
        import aiohttp

        self.session = aiohttp.ClientSession(
            f"http://127.0.0.1:{port}", connector=aiohttp.TCPConnector(limit=0), auto_decompress=False
        )

    async def stream(self, path: str) -> Lags:
        lags: Lags = []
        texts: list[str] = []
        async with self.session.post(path, data=BODY) as response:
            async for line in response.content:
                t_ns = monotonic_ns()
                if line.startswith(DATA):
                    payload = line[len(DATA) :].rstrip()
                    if payload != DONE:
                        lags.append(decoded(orjson.loads, payload, t_ns, texts))
        return lags

    async def aclose(self) -> None:
        await self.session.close()


class Httpx:
    """httpx, ``aiter_lines``, the JSON of the standard library or orjson."""

    def __init__(self, port: int, loads: Callable[[bytes], Any] = json.loads) -> None:
        import httpx

        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        self.client = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", limits=limits, timeout=60)
        self.loads = loads

    async def stream(self, path: str) -> Lags:
        lags: Lags = []
        texts: list[str] = []
        async with self.client.stream("POST", path, content=BODY) as response:
            async for line in response.aiter_lines():
                t_ns = monotonic_ns()
                if line.startswith("data: "):
                    payload = line[len(DATA) :]
                    if payload != "[DONE]":
                        lags.append(decoded(self.loads, payload, t_ns, texts))
        return lags

    async def aclose(self) -> None:
        await self.client.aclose()


def bare(port: int, path: str, streams: int) -> list[tuple[int, bytes]]:
    """Receive with epoll and recv alone, stamp each read: the floor. Returns (stamp, bytes), undecoded."""
    poll = select.epoll()
    socks = {}
    for _ in range(streams):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.sendall(b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" % path.encode())
        sock.setblocking(False)
        poll.register(sock, select.EPOLLIN)
        socks[sock.fileno()] = sock
    reads: list[tuple[int, bytes]] = []
    append = reads.append
    buffer = bytearray(1 << 18)  # once: to allocate as much for each read costs more than the read
    while socks:
        for fd, _ in poll.poll():
            n = socks[fd].recv_into(buffer)
            t_ns = monotonic_ns()
            data = bytes(memoryview(buffer)[:n])
            append((t_ns, data))
            if not data or data.endswith(b"\r\n0\r\n\r\n"):
                poll.unregister(fd)
                socks.pop(fd).close()
    return reads


def bare_lags(reads: list[tuple[int, bytes]]) -> Lags:
    """Lags of the events that lie whole in one read."""
    lags = []
    for t_ns, data in reads:
        for part in data.split(b'"t_ns":')[1:]:
            stamp, closed, _ = part.partition(b"}")
            if closed:
                lags.append((t_ns - int(stamp)) / 1e9)
    return lags


RECEIVERS: dict[str, Callable[[int], Joulemark | Aiohttp | Httpx]] = {
    "joulemark": Joulemark,
    "aiohttp+orjson+uvloop": Aiohttp,
    "httpx+json": Httpx,
    "httpx+orjson+uvloop": lambda port: Httpx(port, orjson.loads),
}


async def together(receiver: Joulemark | Aiohttp | Httpx, path: str, streams: int) -> Lags:
    """Run ``streams`` streams at once and return the lags of all."""
    results = await asyncio.gather(*(receiver.stream(path) for _ in range(streams)))
    return [lag for lags in results for lag in lags]

"""The small request before a run, against a server that hangs up."""

from __future__ import annotations

import asyncio

import pytest

from joulemark.engines.exchange import Endpoint
from joulemark.engines.kinds import UNKNOWN
from joulemark.engines.route import Route
from joulemark.engines.trial import try_out
from joulemark.record.errors import InputError

ANSWER = b'data: {"choices":[{"delta":{"content":"OK"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


async def tried(hangs_up: int) -> int:
    """Try out a server that closes the first so many connections; returns how many it was asked on."""
    asked = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        await reader.readuntil(b"\r\n\r\n")
        if asked > hangs_up:
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n"
            writer.write(head % len(ANSWER) + ANSWER)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        endpoint = Endpoint("http", "127.0.0.1", port)
        await try_out(endpoint, Route("/v1", "m", UNKNOWN), where="here", timeout_s=5)
    return asked


def test_one_that_has_only_just_begun_to_listen_may_hang_up_once() -> None:
    assert asyncio.run(tried(1)) == 2


def test_one_that_always_hangs_up_is_refused() -> None:
    with pytest.raises(InputError, match="refuses a small request"):
        asyncio.run(tried(99))

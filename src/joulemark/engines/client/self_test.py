"""The client measures itself: how many chunks a second it can receive from a server that never waits."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from joulemark.engines.client.stream_client import StreamClient
from joulemark.engines.exchange import Endpoint

_SERVER = Path(__file__).with_name("max_rate_server.py")
_START_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the client can take; ``max_chunks_per_s`` is null where the test failed, and ``error`` says why.

    Chunks are events of ~90 bytes, each in a chunk of the transfer coding. On few cores the server shares
    the processor with the client, so the figure is a floor.
    """

    max_chunks_per_s: float | None
    chunks: int = 0
    duration_s: float = 0.0
    cpu_seconds: float = 0.0
    error: str | None = None


async def self_test(duration_s: float = 0.5) -> SelfTest:
    """Stream from a child process for ``duration_s``; takes about 0.1 s more. Raises only when cancelled."""
    try:
        server = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            str(_SERVER),
            str(duration_s),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
    except OSError as exc:
        return SelfTest(None, error=f"the test server did not start: {exc}")
    try:
        return await _receive(server, duration_s)
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.kill()
        await server.wait()


async def _receive(server: asyncio.subprocess.Process, duration_s: float) -> SelfTest:
    assert server.stdout is not None  # it was asked for
    try:
        port = int(await asyncio.wait_for(server.stdout.readline(), _START_TIMEOUT_S))
    except (TimeoutError, ValueError):
        return SelfTest(None, error="the test server did not say its port")
    endpoint = Endpoint("http", "127.0.0.1", port, path="/")
    cpu0_s = time.process_time()
    async with StreamClient(
        endpoint, total_timeout_s=duration_s + 10, max_body_bytes=_room_bytes(duration_s)
    ) as client:
        exchange = await client.exchange(b"{}")
    if exchange.error is not None or not exchange.reads:
        return SelfTest(None, error=exchange.detail or "the test server sent nothing")
    streamed_s = (exchange.t_end - exchange.reads[0][0]) / 1e9
    chunks = sum(data.count(b"\n\n") for _, data in exchange.reads)
    rate = chunks / streamed_s if streamed_s > 0 else None
    return SelfTest(rate, chunks, streamed_s, time.process_time() - cpu0_s)


def _room_bytes(duration_s: float) -> int:
    return int((duration_s + 1) * 1e9)  # a gigabyte a second is more than any client here takes

"""Answers OpenAI chat requests at full speed or in even steps: the other end of load_clients.py.

    python load_server.py [--step-ms MS] [--stamps]

Prints its port on the loopback; ends when its standard input does. Standard library only. Each answer has as
many tokens as the request allows, one an event and one event a chunk of the transfer coding, then a usage
event and ``[DONE]``. Without ``--step-ms`` the streams take turns, ``BURST`` events at a time. With it all
streams send one token at the same instants, as an engine with continuous batching does; with ``--stamps`` the
token is the monotonic clock in ns, read right before the event is sent (the standard event loop sends in
``write``). ``GET /log`` tells the processor seconds that the server has used and, for each chat request that
was answered since the last time, when it was read and when the last of its answer was written (monotonic ns).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import cast

MODEL = "paced"
BURST = 16
_END = b"0\r\n\r\n"
PATH = "/v1/chat/completions"
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
)
_START = (
    b'data: {"id":"chatcmpl-0f3c9a7d51e24b68","object":"chat.completion.chunk","created":1700000000,'
    b'"model":"paced","choices":'
)
_EVENT = _START + (
    b'[{"index":0,"delta":{"role":"assistant","content":" %b"},"logprobs":null,"finish_reason":%b}]}\n\n'
)
_USAGE = _START + (
    b'[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}\n\ndata: [DONE]\n\n'
)
_MODELS = {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "bench"}]}


def chunk(data: bytes) -> bytes:
    """Wrap ``data`` as one chunk of the transfer coding."""
    return b"%x\r\n%b\r\n" % (len(data), data)


_TOKEN = chunk(_EVENT % (b"token", b"null"))
_LAST = chunk(_EVENT % (b"token", b'"length"'))


def answer_end(prompt_tokens: int, tokens: int) -> bytes:
    """Return what follows the last token."""
    usage, done, _ = (_USAGE % (prompt_tokens, tokens, prompt_tokens + tokens)).split(b"\n\n")
    return chunk(usage + b"\n\n") + chunk(done + b"\n\n") + _END


def bursts(prompt_tokens: int, tokens: int) -> Iterator[bytes]:
    """Yield the pieces of an answer that knows no pace."""
    left, head = tokens - 1, _HEAD
    while left >= BURST:
        yield head + _TOKEN * BURST
        left, head = left - BURST, b""
    yield head + _TOKEN * left + _LAST + answer_end(prompt_tokens, tokens)


Answered = Callable[[], None]
"""Is called when the last of an answer was written."""


class Steps:
    """The clock of all paced streams: each step writes one token to every stream."""

    def __init__(self, period_s: float, stamps: bool) -> None:
        self._period_s, self._stamps = period_s, stamps
        self._streams: list[tuple[asyncio.Transport, int, int, int, Answered]] = []
        self._loop = asyncio.get_running_loop()
        self._next_s = self._loop.time()
        self._running = False

    def add(self, transport: asyncio.Transport, prompt_tokens: int, tokens: int, over: Answered) -> None:
        """Let a stream take part from the next step on."""
        transport.write(_HEAD)
        self._streams.append((transport, prompt_tokens, 0, tokens, over))
        if not self._running:
            self._running = True
            self._next_s = max(self._next_s, self._loop.time()) + self._period_s
            self._loop.call_at(self._next_s, self._step)

    def _step(self) -> None:
        streams, self._streams = self._streams, []
        for transport, prompt_tokens, sent, tokens, over in streams:
            if transport.is_closing():
                continue
            last = sent + 1 >= tokens
            word = b"%d" % time.monotonic_ns() if self._stamps else b"token"
            event = chunk(_EVENT % (word, b'"length"' if last else b"null"))
            transport.write(event + answer_end(prompt_tokens, tokens) if last else event)
            if last:
                over()
            else:
                self._streams.append((transport, prompt_tokens, sent + 1, tokens, over))
        self._running = bool(self._streams)
        if self._running:
            self._next_s = max(self._next_s + self._period_s, self._loop.time())
            self._loop.call_at(self._next_s, self._step)


class Server(asyncio.Protocol):
    """One connection; requests on it come one after the other."""

    def __init__(self, steps: Steps | None, log: list[tuple[int, int]]) -> None:
        self._steps, self._log = steps, log
        self._t_read = 0
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._pieces: Iterator[bytes] = iter(())
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Answer each whole request."""
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value for name, _, value in (line.partition(":") for line in lines[1:])}
        size = int(fields.get("content-length", "0"))
        if len(rest) < size:
            return
        self._buffer = rest[size:]
        method, path, _ = lines[0].split(" ", 2)
        self._answer(method, path, rest[:size])

    def pause_writing(self) -> None:
        """The client is behind."""
        self._paused = True

    def resume_writing(self) -> None:
        """The client has caught up."""
        self._paused = False
        self._loop.call_soon(self._turn)

    def _answer(self, method: str, path: str, body: bytes) -> None:
        if method == "POST" and path == PATH:
            self._t_read = time.monotonic_ns()
            request = json.loads(body)
            tokens = int(request.get("max_tokens") or request.get("max_completion_tokens") or 1)
            prompt_tokens = body.count(b" ")  # right for bodies without blanks between their fields
            if self._steps is not None:
                self._steps.add(self._transport, prompt_tokens, tokens, self._over)
                return
            self._pieces = bursts(prompt_tokens, tokens)
            self._turn()
            return
        pages: dict[str, object] = {"/v1/models": _MODELS, "/health": {}}
        if path == "/log":
            pages[path] = {"cpu_s": time.process_time(), "answered": list(self._log)}
            self._log.clear()
        page = json.dumps(pages.get(path, {"error": {"message": "no such page"}})).encode()
        status = b"200 OK" if path in pages else b"404 Not Found"
        self._transport.write(
            b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
            % (status, len(page), page)
        )

    def _turn(self) -> None:
        if self._paused or self._transport.is_closing():
            return
        piece = next(self._pieces, None)
        if piece is None:
            return
        self._transport.write(piece)
        if piece.endswith(_END):
            self._over()
        else:
            self._loop.call_soon(self._turn)

    def _over(self) -> None:
        self._log.append((self._t_read, time.monotonic_ns()))


async def serve(step_ms: float, stamps: bool) -> None:
    """Serve until standard input ends."""
    loop = asyncio.get_running_loop()
    steps = Steps(step_ms / 1e3, stamps) if step_ms else None
    log: list[tuple[int, int]] = []
    server = await loop.create_server(lambda: Server(steps, log), "127.0.0.1", 0, backlog=1024)
    async with server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--step-ms", type=float, default=0.0)
    parser.add_argument("--stamps", action="store_true")
    args = parser.parse_args()
    asyncio.run(serve(args.step_ms, args.stamps))

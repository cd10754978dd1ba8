"""A server that replays byte-exact HTTP answers at given times, faults included.

::

    with ReplayServer(Reply.sse(["a", "b"], gap_s=0.02)) as server:
        client_under_test(server.url)
        assert server.requests[0].body == b"{}"

Replies are given in order, the last one for ever. It binds the loopback and runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

Pieces = Sequence[tuple[float, bytes]]  # (seconds to wait before, bytes to write)


@dataclass(frozen=True)
class Reply:
    """One answer. ``pieces`` are bytes of the body, each after a delay in seconds.

    ``framing``: ``chunked``, ``length`` (Content-Length), ``close`` (ends with the connection) or ``raw``
    (the pieces are all that is written, head and all). ``end``: what follows the last piece: ``complete``
    finishes the message and keeps the connection, ``close`` finishes it and closes, ``cut`` closes without
    finishing it, ``reset`` does so with a TCP reset, ``hold`` leaves message and connection open.
    """

    pieces: Pieces = ()
    status: int = 200
    content_type: str = "text/event-stream"
    headers: dict[str, str] = field(default_factory=dict)
    framing: Literal["chunked", "length", "close", "raw"] = "chunked"
    end: Literal["complete", "close", "cut", "reset", "hold"] = "complete"
    head_delay_s: float = 0.0
    head_byte_delay_s: float | None = None  # the head byte by byte

    @classmethod
    def sse(cls, texts: Iterable[str], *, gap_s: float = 0.0, done: bool = True, **options: object) -> Reply:
        """An OpenAI-style chat stream, one event a text, ``gap_s`` seconds before each."""
        pieces = [(gap_s, sse_event(text)) for text in texts]
        if done:
            pieces.append((0.0, b"data: [DONE]\n\n"))
        return cls(tuple(pieces), **options)  # type: ignore[arg-type]

    @classmethod
    def json(cls, value: object, *, status: int = 200, **options: object) -> Reply:
        """A JSON document of known length."""
        body = json.dumps(value).encode()
        return cls(((0.0, body),), status, "application/json", framing="length", **options)  # type: ignore[arg-type]

    @classmethod
    def busy(cls, *, status: int = 429, retry_after: str = "1") -> Reply:
        """A refusal with ``Retry-After``."""
        return cls.json({"error": {"message": "busy"}}, status=status, headers={"Retry-After": retry_after})

    @classmethod
    def raw(cls, *pieces: bytes, end: Literal["cut", "reset", "hold"] = "cut") -> Reply:
        """Bytes written as they are, without a head."""
        return cls(tuple((0.0, piece) for piece in pieces), framing="raw", end=end)


@dataclass(frozen=True)
class Request:
    """A request as it arrived; ``connection`` counts the connections from 0; ``t_ns`` is monotonic."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int
    t_ns: int


def sse_event(text: str) -> bytes:
    """One chat chunk as an event."""
    delta = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return b"data: " + json.dumps(delta).encode() + b"\n\n"


def each_byte(data: bytes, gap_s: float = 0.0) -> Pieces:
    """``data`` in pieces of one byte."""
    return tuple((gap_s, data[i : i + 1]) for i in range(len(data)))


@contextlib.contextmanager
def refusing_port() -> Iterable[int]:  # type: ignore[misc]
    """A port of the loopback that nobody listens on and nobody else gets meanwhile."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]


class ReplayServer:
    """Serves replies from a thread while its ``with`` block runs.

    ``requests`` are those received; ``sent_ns`` holds, for each of them, the monotonic stamps taken just
    before each piece was written; ``connections`` counts those accepted.
    """

    def __init__(self, *replies: Reply, tls: ssl.SSLContext | None = None) -> None:
        self._replies = replies or (Reply.sse(["hello"]),)
        self._tls = tls
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="replay-server", daemon=True)
        self.requests: list[Request] = []
        self.sent_ns: list[list[int]] = []
        self.connections = 0
        self.port = 0

    @property
    def url(self) -> str:
        """The base URL, without a path."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> ReplayServer:
        self._thread.start()
        self._server = self._call(self._start())
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def drop_connections(self, *, reset: bool = False) -> None:
        """Close every open connection, as a server does with idle ones, and wait until that is done."""

        async def drop() -> None:
            for writer in tuple(self._writers):
                _close(writer, reset=reset)
            await asyncio.sleep(0.02)

        self._call(drop())

    def _call(self, coroutine):  # type: ignore[no-untyped-def]
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    async def _start(self) -> asyncio.Server:
        return await asyncio.start_server(
            self._serve, "127.0.0.1", 0, ssl=self._tls, limit=1 << 26, backlog=512
        )

    async def _stop(self) -> None:
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in tuple(self._writers):
            writer.transport.abort()
        await asyncio.sleep(0)  # connection_lost of what was aborted
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number, self.connections = self.connections, self.connections + 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            # Whatever a client under test does to the connection is its affair, not an error of the double.
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                while await self._answer(reader, writer, number):
                    pass
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()
            self._writers.discard(writer)
            self._tasks.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> bool:
        request = await _read_request(reader, number)
        reply = self._replies[min(len(self.requests), len(self._replies) - 1)]
        stamps: list[int] = []
        self.sent_ns.append(stamps)
        self.requests.append(request)
        if reply.framing != "raw":
            await _write_head(reply, writer)
        due = asyncio.get_running_loop().time()
        for delay_s, piece in reply.pieces:
            due += delay_s
            await asyncio.sleep(due - asyncio.get_running_loop().time() if delay_s > 0 else 0)
            stamps.append(time.monotonic_ns())
            writer.write(
                b"%x\r\n%b\r\n" % (len(piece), piece) if reply.framing == "chunked" and piece else piece
            )
            await writer.drain()
        if reply.framing == "chunked" and reply.end in ("complete", "close"):
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        if reply.end == "hold":
            await reader.read()  # until the client goes
        if reply.end == "reset":
            _close(writer, reset=True)
        return reply.end == "complete" and reply.framing in ("chunked", "length")


async def _read_request(reader: asyncio.StreamReader, number: int) -> Request:
    head = await reader.readuntil(b"\r\n\r\n")
    t_ns = time.monotonic_ns()
    first, *lines = head.decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {}
    for line in filter(None, lines):
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body, number, t_ns)


async def _write_head(reply: Reply, writer: asyncio.StreamWriter) -> None:
    fields = {"Content-Type": reply.content_type, **reply.headers}
    if reply.framing == "chunked":
        fields["Transfer-Encoding"] = "chunked"
    elif reply.framing == "length":
        fields["Content-Length"] = str(sum(len(piece) for _, piece in reply.pieces))
    if reply.framing == "close" or reply.end == "close":
        fields["Connection"] = "close"
    lines = [f"HTTP/1.1 {reply.status} Replayed", *(f"{name}: {value}" for name, value in fields.items())]
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
    await asyncio.sleep(reply.head_delay_s)
    if reply.head_byte_delay_s is None:
        writer.write(head)
    else:
        for _, byte in each_byte(head):
            writer.write(byte)
            await asyncio.sleep(reply.head_byte_delay_s)
    await writer.drain()


def _close(writer: asyncio.StreamWriter, *, reset: bool) -> None:
    if reset:
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
    else:
        writer.close()

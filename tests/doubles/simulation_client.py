"""Small simulations to serve in a test's own loop, and a client of ours for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from joulemark.engines.ask import Asked, RetryPolicy, ask
from joulemark.engines.client import StreamClient
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import SMALL
from joulemark.simulate.http import Manner, Service, Simulation, profile_named
from joulemark.simulate.model import SMOLLM2_135M


def simulation(profile: str = "vllm", **changes: Any) -> Simulation:
    """A small server; steps take about 5 ms. Fields of `Simulation`, `Manner` and `ServerConfig` by name."""
    parts: dict[str, dict[str, Any]] = {"simulation": {}, "manner": {}, "config": {}}
    for name, value in changes.items():
        owner = next(
            (
                part
                for part, kind in (("simulation", Simulation), ("manner", Manner))
                if name in kind.__slots__
            ),
            "config",
        )
        parts[owner][name] = value
    return Simulation(
        profile_named(profile),
        ServerConfig(SMALL, SMOLLM2_135M, **parts["config"]),
        manner=Manner(**parts["manner"]),
        **parts["simulation"],
    )


def run(served: Simulation, work: Callable[[Service], Any], deadline_s: float = 60) -> Any:
    """Serve, and return what the coroutine ``work(service)`` does meanwhile, in one loop."""

    async def both() -> Any:
        async with Service(served) as service:
            return await asyncio.wait_for(work(service), deadline_s)

    return asyncio.run(both())


class Client:
    """An engine of ours that was started, with its client."""

    def __init__(self, service: Service, **limits: float) -> None:
        self.service = service
        self.engine = UrlEngine(UrlOptions(service.url))
        self._limits = limits

    async def __aenter__(self) -> Client:
        await self.engine.start()
        self._client = StreamClient(self.engine.endpoint, **self._limits)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._client.aclose()

    async def ask(
        self,
        question: str = "How are you?",
        *,
        max_tokens: int = 40,
        exact: bool = False,
        retries: int = 0,
        **more: Any,
    ) -> Asked:
        body = self.engine.request_body([("user", question)], max_tokens=max_tokens, exact_length=exact)
        body = orjson.dumps({**orjson.loads(body), **more})
        return await ask(self._client, body, RetryPolicy(retries=retries, backoff_s=0.05))

    async def together(self, questions: Sequence[str], **more: Any) -> list[Asked]:
        return await asyncio.gather(*(self.ask(question, **more) for question in questions))

    def truth(self, number: int) -> dict[str, Any]:
        """What is true of the chat request ``number``; the first is the trial of `start`."""
        listed = self.service.truth.answer({"requests": "1"})["requests"]
        return next(one for one in listed if one["number"] == number)


async def raw(service: Service, data: bytes, *, until: bytes = b"", deadline_s: float = 10) -> bytes:
    """Send bytes and return what comes until the server closes, or ``until`` was seen."""
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    writer.write(data)
    await writer.drain()
    got = b""
    try:
        async with asyncio.timeout(deadline_s):
            while not (until and until in got):
                part = await reader.read(65536)
                if not part:
                    break
                got += part
    except ConnectionResetError:
        pass
    writer.close()
    return got


def post(service: Service, path: str = "/v1/chat/completions", **fields: Any) -> bytes:
    """A chat request as bytes; it asks the server to close afterwards."""
    body = orjson.dumps(
        {"model": service.model_id, "messages": [{"role": "user", "content": "How are you?"}], **fields}
    )
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def body_of(answer: bytes) -> bytes:
    """The body of a raw answer, its transfer coding taken off."""
    head, _, rest = answer.partition(b"\r\n\r\n")
    if b"chunked" not in head:
        return rest
    parts = []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        if int(size, 16) == 0:
            break
        parts.append(rest[: int(size, 16)])
        rest = rest[int(size, 16) + 2 :]
    return b"".join(parts)

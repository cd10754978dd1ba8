"""A closed-loop load client as vLLM's own benchmark is built: a contender of load_clients.py.

    python vllm_style_client.py URL REQUESTS CONCURRENCY TOKENS PROMPT OUT [--uvloop] [--lags]

Written from the definition: one asyncio process with an aiohttp session; a task for every request from the
start, a semaphore for the concurrency; each event is decoded with ``json.loads`` when it comes and stamped
with ``perf_counter``; the gaps between chunks and the text are kept. OUT gets JSON: answers, tokens, the time
a token, and with ``--lags`` the lags of the stamps, where the tokens are the server's own stamps.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

MODEL = "paced"


@dataclass
class Output:
    """What is kept of one request; times in seconds."""

    text: str = ""
    ok: bool = False
    ttft: float = 0.0
    itl: list[float] = field(default_factory=list)
    latency: float = 0.0
    output_tokens: int = 0
    stamps: list[float] = field(default_factory=list)


async def ask(session: aiohttp.ClientSession, url: str, payload: dict[str, object], keep: bool) -> Output:
    """Send one request and read its stream; ``keep`` keeps the stamp of each chunk for its lag."""
    output = Output()
    start = latest = time.perf_counter()
    async with session.post(url, json=payload) as response:
        buffer = ""
        async for data in response.content.iter_any():
            buffer += data.decode("utf-8")
            while (at := buffer.find("\n\n")) >= 0:
                message, buffer = buffer[:at].strip(), buffer[at + 2 :]
                if not message.startswith("data: "):
                    continue
                event = message.removeprefix("data: ")
                if event == "[DONE]":
                    continue
                now = time.perf_counter()
                decoded = json.loads(event)
                if choices := decoded["choices"]:
                    if output.ttft == 0.0:
                        output.ttft = now - start
                    else:
                        output.itl.append(now - latest)
                    output.text += choices[0]["delta"].get("content") or ""
                    if keep:
                        output.stamps.append(now)
                elif usage := decoded.get("usage"):
                    output.output_tokens = usage["completion_tokens"]
                latest = now
        output.ok = response.status == 200 and output.ttft > 0
        output.latency = latest - start
    return output


async def run(args: argparse.Namespace) -> dict[str, object]:
    """Ask everything; returns the figures."""
    payload = {
        "model": MODEL,
        "messages": [{"role": "user", "content": args.prompt}],
        "max_completion_tokens": args.tokens,
        "temperature": 0.0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    semaphore = asyncio.Semaphore(args.concurrency)
    connector = aiohttp.TCPConnector(limit=args.concurrency, limit_per_host=args.concurrency)
    timeout = aiohttp.ClientTimeout(total=3600)
    async with aiohttp.ClientSession(connector=connector, trust_env=True, timeout=timeout) as session:

        async def limited() -> Output:
            async with semaphore:
                return await ask(session, args.url, payload, args.lags)

        outputs = await asyncio.gather(*(asyncio.create_task(limited()) for _ in range(args.requests)))
    lags = [
        stamp - int(word) / 1e9
        for output in outputs
        if args.lags
        for stamp, word in zip(output.stamps, output.text.split(), strict=True)
    ]
    return {
        "answered": sum(output.ok for output in outputs),
        "tokens": sum(output.output_tokens for output in outputs),
        "tpot_s": statistics.median((one.latency - one.ttft) / (args.tokens - 1) for one in outputs),
        "lags_s": lags,
    }


def main() -> None:
    """Run as a command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("requests", type=int)
    parser.add_argument("concurrency", type=int)
    parser.add_argument("tokens", type=int)
    parser.add_argument("prompt")
    parser.add_argument("out", type=Path)
    parser.add_argument("--uvloop", action="store_true")
    parser.add_argument("--lags", action="store_true", help="the tokens are the server's stamps")
    args = parser.parse_args()
    factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    if args.uvloop:
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        args.out.write_text(json.dumps(runner.run(run(args))))


if __name__ == "__main__":
    main()

"""How fast response bodies are read, against a naive parser, in one process and one run.

The naive parser is what many clients do: join, ``splitlines``, ``json.loads``, add up ``content``. It knows
nothing of stamps, cut reads, other APIs, errors or token counts; the ratio is the price of being right.

    python benchmarks/parser_throughput.py [--events N] [--rounds R]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import orjson

from joulemark.engines.streams import EndDetector, Framer, parse

EVENT = orjson.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1750000000,
        "model": "demo-8b",
        "choices": [{"index": 0, "delta": {"content": " answer"}, "logprobs": None, "finish_reason": None}],
    }
)
LAST = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def naive(reads: list[tuple[int, bytes]]) -> str:
    text = ""
    for line in b"".join(data for _, data in reads).decode().splitlines():
        if line.startswith("data: ") and line != "data: [DONE]":
            text += json.loads(line[6:])["choices"][0]["delta"].get("content", "")
    return text


def ours(reads: list[tuple[int, bytes]]) -> str:
    return parse(reads, content_type="text/event-stream", status=200, t_end=reads[-1][0]).text


def frame(reads: list[tuple[int, bytes]]) -> None:
    framer = Framer("text/event-stream")
    for _, data in reads:
        framer.feed(data)


def detect(reads: list[tuple[int, bytes]]) -> None:
    detector = EndDetector()
    for _, data in reads:
        detector.feed(data)


def decode_only(reads: list[tuple[int, bytes]]) -> None:
    for _ in reads:
        orjson.loads(EVENT)


def best_s(
    work: Callable[[list[tuple[int, bytes]]], object], reads: list[tuple[int, bytes]], rounds: int
) -> float:
    """The least CPU seconds of several rounds: other load only ever adds."""
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        work(reads)
        seconds.append(time.process_time() - start)
    return min(seconds)


def in_reads_of(body: bytes, size: int) -> list[tuple[int, bytes]]:
    return [(at, body[at : at + size]) for at in range(0, len(body), size)]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--events", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=15)
    args = options.parse_args()
    events = [b"data: " + EVENT + b"\n\n"] * args.events
    single = list(enumerate([*events, LAST]))
    large = in_reads_of(b"".join([*events, LAST]), 65536)
    assert naive(single) == ours(single) == ours(large)

    base = best_s(naive, single, args.rounds)
    rows = [
        ("naive json.loads + splitlines", base),
        ("parse, one event a read", best_s(ours, single, args.rounds)),
        ("parse, reads of 64 KiB", best_s(ours, large, args.rounds)),
        ("Framer alone, one event a read", best_s(frame, single, args.rounds)),
        ("Framer alone, reads of 64 KiB", best_s(frame, large, args.rounds)),
        ("EndDetector, one event a read", best_s(detect, single, args.rounds)),
        ("orjson.loads alone", best_s(decode_only, single, args.rounds)),
    ]
    print(f"{args.events} events of {len(EVENT) + 8} bytes, least CPU time of {args.rounds} rounds")
    for name, seconds in rows:
        rate = args.events / seconds
        print(f"{name:32} {rate:12,.0f} events/s {1e9 / rate:8.0f} ns/event {seconds / base:7.2f} x naive")


if __name__ == "__main__":
    main()

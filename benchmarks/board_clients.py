"""Readers of a board: each looks at a page or asks the picker, thinks for a second, and goes on.

python benchmarks/board_clients.py URL READERS SECONDS SEED    prints a line of JSON a request
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time

import aiohttp

from board_fill import DEVICES, TASKS

THINK_S = 1.0
_SORTS = ("joules_per_correct_answer", "accuracy", "energy_j", "tokens_per_second", "ttft_p50", "ipj")
_BY = ("joules_per_correct", "joules", "usd_per_correct", "gco2e", "usd")


def question(rng: random.Random) -> tuple[str, str, dict[str, str]]:
    """Return a kind, an address and its parameters; hardly two readers ask the same."""
    if rng.random() < 0.5:
        asked: dict[str, str] = {}
        if rng.random() < 0.7:
            asked["task"] = rng.choice(TASKS)
        if rng.random() < 0.5:
            asked["hardware"] = rng.choice(DEVICES)
        if rng.random() < 0.5:
            asked["model"] = f"model-{rng.randrange(21):02d}"
        if rng.random() < 0.4:
            asked["sort"] = rng.choice(_SORTS)
        if rng.random() < 0.2:
            asked["rung"] = str(rng.randrange(2, 5))
        if rng.random() < 0.25:
            return "leaderboard JSON", "/api/v1/leaderboard", {**asked, "limit": "50"}
        return "leaderboard page", "/", asked
    asked = {
        "prompt_tokens": f"{rng.randrange(20, 3000)}±{rng.randrange(0, 300)}",
        "completion_tokens": str(rng.randrange(5, 800)),
        "by": rng.choice(_BY),
        "usd_per_kwh": f"{rng.uniform(0.05, 0.5):.3f}",
        "zone": rng.choice(("FRA", "DE", "US-CA", "WORLD")),
    }
    if rng.random() < 0.5:
        asked["requests_per_day"] = str(rng.randrange(10, 5000))
    if rng.random() < 0.5:
        asked["task"] = rng.choice(TASKS)
    if rng.random() < 0.3:
        asked["hardware"] = rng.choice(DEVICES).rpartition(" ")[2]
    if rng.random() < 0.4:
        asked["min_accuracy"] = f"{rng.uniform(0.1, 0.5):.2f}"
    if rng.random() < 0.25:
        return "picker JSON", "/api/v1/pick", asked
    return "picker page", "/pick", asked


async def reader(session: aiohttp.ClientSession, url: str, ends: float, rng: random.Random) -> None:
    """Read until it is time to end."""
    await asyncio.sleep(rng.random() * THINK_S)
    while time.monotonic() < ends:
        kind, path, asked = question(rng)
        began = time.monotonic()
        async with session.get(url + path, params=asked) as answer:
            body = await answer.read()
            took_s = time.monotonic() - began
            done = {"kind": kind, "s": took_s, "status": answer.status, "bytes": len(body)}
            sys.stdout.write(json.dumps(done) + "\n")
        await asyncio.sleep(THINK_S)


async def main(url: str, readers: int, seconds: float, seed: int) -> None:
    """Run all readers."""
    ends = time.monotonic() + seconds
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(
            *(reader(session, url, ends, random.Random(1000 * seed + k)) for k in range(readers))
        )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])))

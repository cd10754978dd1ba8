"""What a received chunk costs the client: Joulemark's against aiohttp's, httpx's and a bare receiver.

    python benchmarks/client_cost.py [--rounds N] [--seconds S]

A C server on one core streams to one client at a time on another, each client in a process of its own, all
of them in turn in every round; the table holds medians over the rounds. CPU is that of the client's process
(user and system), decoding of every event included. Needs a C compiler. Prints ratios; it is no test and has
no limits. Other work on the machine makes a slow client fall behind and find several chunks in a read, which
costs it less: such a ratio is marked.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import client_receivers as receivers

STREAMS = 32
EVENTS_PER_S = 100
SATURATED_STREAMS = 8
SHORT_EVENTS = 8
LAYOUTS = ("spread", "step")
BARE = "bare epoll + recv"
OURS = "joulemark"
NEAR_REAL_TIME_MS = 2.0
GOALS = {"aiohttp+orjson+uvloop": 0.55, "httpx+json": 0.2}


def cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def quantile(values: list[float], q: float) -> float:
    return sorted(values)[min(int(q * len(values)), len(values) - 1)]


# -- the child: one client on one core ----------------------------------------------------------------------


def paced_path(layout: str, seconds: float) -> str:
    return f"/stream/{int(EVENTS_PER_S * seconds)}/{1_000_000 // EVENTS_PER_S}/{layout}/0"


def saturated_path(seconds: float) -> str:
    return f"/stream/0/0/spread/{int(seconds * 1000)}"


async def measure(name: str, port: int, seconds: float) -> dict[str, float]:
    receiver = receivers.RECEIVERS[name](port)
    await receivers.together(
        receiver, f"/stream/{SHORT_EVENTS}/0/spread/0", STREAMS
    )  # connections, imports, caches
    result: dict[str, float] = {}
    for layout in LAYOUTS:
        gc.collect()
        ours = receiver if isinstance(receiver, receivers.Joulemark) else None
        if ours:
            ours.decode_s, ours.parse_s, ours.parsing = 0.0, 0.0, True
        start = cpu_s()
        lags = await receivers.together(receiver, paced_path(layout, seconds), STREAMS)
        spent_s = cpu_s() - start
        if ours:
            ours.parsing = False
            spent_s -= ours.parse_s
            result |= {
                f"{layout}_decode_us": ours.decode_s / len(lags) * 1e6,
                f"{layout}_parser_us": (spent_s - ours.decode_s + ours.parse_s) / len(lags) * 1e6,
            }
        result |= {
            f"{layout}_us": spent_s / len(lags) * 1e6,
            f"{layout}_lag_p50_us": quantile(lags, 0.5) * 1e6,
            f"{layout}_lag_p99_us": quantile(lags, 0.99) * 1e6,
        }
    begin = time.monotonic()
    lags = await receivers.together(receiver, saturated_path(seconds / 2), SATURATED_STREAMS)
    result["chunks_per_s"] = len(lags) / (time.monotonic() - begin)
    result["requests_per_s"] = await short_requests(receiver, seconds / 2)
    await receiver.aclose()
    return result


async def short_requests(receiver: receivers.Joulemark, seconds: float) -> float:
    begin = time.monotonic()
    done = 0

    async def worker() -> None:
        nonlocal done
        while time.monotonic() - begin < seconds:
            await receiver.stream(f"/stream/{SHORT_EVENTS}/0/spread/0")
            done += 1

    await asyncio.gather(*(worker() for _ in range(STREAMS)))
    return done / (time.monotonic() - begin)


def measure_bare(port: int, seconds: float) -> dict[str, float]:
    result: dict[str, float] = {}
    receivers.bare(port, f"/stream/{SHORT_EVENTS}/0/spread/0", STREAMS)
    for layout in LAYOUTS:
        start = cpu_s()
        reads = receivers.bare(port, paced_path(layout, seconds), STREAMS)
        cpu = cpu_s() - start
        lags = receivers.bare_lags(reads)
        result |= {
            f"{layout}_us": cpu / len(lags) * 1e6,
            f"{layout}_lag_p50_us": quantile(lags, 0.5) * 1e6,
            f"{layout}_lag_p99_us": quantile(lags, 0.99) * 1e6,
        }
    begin = time.monotonic()
    reads = receivers.bare(port, saturated_path(seconds / 2), SATURATED_STREAMS)
    elapsed = time.monotonic() - begin
    result["chunks_per_s"] = len(receivers.bare_lags(reads)) / elapsed
    return result


def child(name: str, port: int, seconds: float, cpu: int) -> None:
    os.sched_setaffinity(0, {cpu})
    if name == BARE:
        result = measure_bare(port, seconds)
    else:
        from joulemark.engines.client import new_event_loop, quiet_gc

        loop_factory = asyncio.new_event_loop if name == "httpx+json" else new_event_loop
        # Only ours keeps the collector out: the client was made for it, the others may leave cycles.
        collector = quiet_gc() if name == OURS else contextlib.nullcontext()
        with asyncio.Runner(loop_factory=loop_factory) as runner, collector:
            result = runner.run(measure(name, port, seconds))
    print(json.dumps(result))


# -- the parent: server, rounds, table ----------------------------------------------------------------------


@contextlib.contextmanager
def paced_server(cpu: int) -> Iterator[int]:
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory, "paced_server")
        source = Path(__file__).with_name("paced_server.c")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", str(program), str(source)], check=True)
        server = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert server.stdin is not None
        assert server.stdout is not None
        os.sched_setaffinity(server.pid, {cpu})
        try:
            yield int(server.stdout.readline())
        finally:
            server.stdin.close()
            server.wait(5)
            server.stdout.close()


def run_child(name: str, port: int, seconds: float, cpu: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", name, "--port", str(port), "--cpu", str(cpu)]
    done = subprocess.run(
        [*command, "--seconds", str(seconds)], stdout=subprocess.PIPE, check=True, timeout=120
    )
    return json.loads(done.stdout)


def print_table(rows: dict[str, list[dict[str, float]]], seconds: float) -> None:
    medians = {
        name: {key: statistics.median(row[key] for row in got) for key in got[0]}
        for name, got in rows.items()
    }
    bare, ours = medians[BARE], medians[OURS]
    print(f"\n{STREAMS} streams x {EVENTS_PER_S} chunks/s, {seconds:g} s; max: {SATURATED_STREAMS} unpaced")
    print(f"{'':24}{'CPU us/chunk':>16}{'lag over bare, us (p50 / p99)':>34}{'max':>12}{'short':>10}")
    print(f"{'':24}{'spread':>8}{'step':>8}{'spread':>17}{'step':>17}{'chunks/s':>12}{'req/s':>10}")
    for name, row in medians.items():
        lags = ""
        for layout in LAYOUTS:
            keys = (f"{layout}_lag_p50_us", f"{layout}_lag_p99_us")
            p50, p99 = (row[key] - (0 if name == BARE else bare[key]) for key in keys)
            lags += f"{p50:>8.0f} /{p99:>7.0f}"
        short = f"{row['requests_per_s']:>10.0f}" if "requests_per_s" in row else f"{'-':>10}"
        print(
            f"{name:24}{row['spread_us']:>8.1f}{row['step_us']:>8.1f}{lags}{row['chunks_per_s']:>12.0f}{short}"
        )
    print(
        f"Lags of '{BARE}' are absolute. Of joulemark's CPU, decoding after the request is "
        f"{ours['spread_decode_us']:.1f} / {ours['step_decode_us']:.1f} us;\n"
        f"with its own parser in place of that decoding it is {ours['spread_parser_us']:.1f} / "
        f"{ours['step_parser_us']:.1f} us a chunk in all.\n"
    )
    for name, goal in GOALS.items():
        for layout in LAYOUTS:
            print_ratio(rows, name, layout, goal)


def print_ratio(rows: dict[str, list[dict[str, float]]], name: str, layout: str, goal: float) -> None:
    """Print the median over the rounds of the ratio within a round: the machine drifts between rounds."""
    pairs = list(zip(rows[OURS], rows[name], strict=True))
    key = f"{layout}_us"
    ratios = sorted(ours[key] / peer[key] for ours, peer in pairs)
    with_parser = statistics.median(ours[f"{layout}_parser_us"] / peer[key] for ours, peer in pairs)
    late_ms = statistics.median(row[f"{layout}_lag_p50_us"] for row in rows[name]) / 1e3
    late = (
        ""
        if late_ms < NEAR_REAL_TIME_MS
        else f"; no equal work: it lags by {late_ms:.1f} ms, so it reads less often"
    )
    print(
        f"CPU/chunk {layout:6} joulemark / {name:22}{statistics.median(ratios):5.2f}x"
        f" [{ratios[0]:.2f} .. {ratios[-1]:.2f}], with its parser {with_parser:.2f}x  (goal <= {goal}{late})"
    )


def parent(rounds: int, seconds: float) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("one core only: server and client disturb each other, the figures are no good")
    names = [BARE, *receivers.RECEIVERS]
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    with paced_server(cpus[-1]) as port:
        for i in range(rounds):
            print(f"round {i + 1} of {rounds}", file=sys.stderr)
            for name in names[i % len(names) :] + names[: i % len(names)]:
                rows[name].append(run_child(name, port, seconds, cpus[0]))
    print_table(rows, seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--cpu", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child(args.child, args.port, args.seconds, args.cpu)
    else:
        parent(args.rounds, args.seconds)

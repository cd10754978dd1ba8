"""A board on PostgreSQL with 200,000 runs in 2,000 configurations, and 20 readers who think for a second.

    python benchmarks/board_readers.py [--runs 200000] [--configurations 2000] [--readers 20] [--seconds 60]

A private PostgreSQL server (Debian's package) and `joulemark board serve` are started; the runs are varied
from a few bundles that the board verified, loaded in bulk, and aggregated by the code that ingest uses. Half
of the readers' questions are leaderboard pages with various filters, half are questions to the picker; hardly
two are the same, so that what was remembered answers few. Then bundles are submitted, alone and while others
read. The readers are a process of their own on the same machine. Prints times by kind of question and CPU
seconds by process; the goal is a 95th percentile below 100 ms for leaderboard and picker on two cores. It is
no test.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from board_fill import fill
from doubles import boards
from doubles.private_postgres import postgres
from joulemark.board.database.connection import connect
from joulemark.board.database.upgrade import upgrade
from joulemark.board.standing.kept import rebuild
from joulemark.meters.process_tree import all_pids, read_stat

HERE = Path(__file__).parent
GOAL_S = 0.1


def main() -> int:
    """Fill, serve, read, submit, and print."""
    words = argparse.ArgumentParser(description="see the top of this file")
    words.add_argument("--runs", type=int, default=200_000)
    words.add_argument("--configurations", type=int, default=2_000)
    words.add_argument("--readers", type=int, default=20)
    words.add_argument("--seconds", type=float, default=60.0)
    words.add_argument("--submissions", type=int, default=10)
    given = words.parse_args()
    print(f"load of the machine before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    with postgres("shared_buffers=512MB", "synchronous_commit=on", "max_wal_size=4GB") as server:
        url = server.database()
        engine = connect(url)
        upgrade(engine)
        began = time.monotonic()
        fill(engine, given.runs, given.configurations)
        print(f"{given.runs:,} runs loaded in {time.monotonic() - began:.0f} s")
        began = time.monotonic()
        n = rebuild(engine)
        print(f"{n:,} configurations aggregated in {time.monotonic() - began:.0f} s")
        engine.dispose()
        with serving(url) as (address, pid):
            for path in ("/", "/pick?prompt_tokens=300&completion_tokens=90"):
                began = time.monotonic()
                urllib.request.urlopen(address + path, timeout=120).read()
                print(f"first {path.partition('?')[0]}: {time.monotonic() - began:.2f} s")
            read(address, given.readers, 5.0, 1, pid, told=False)
            read(address, given.readers, given.seconds, 2, pid)
            submit(address, given.submissions, 1000, "alone")
            process = _readers(address, given.readers, 30.0, 3)
            submit(address, given.submissions, 2000, "while others read")
            _told(_lines(process))
    return 0


@contextmanager
def serving(url: str) -> Iterator[tuple[str, int]]:
    """Serve the board as a user does; yields its address and its process."""
    command = [sys.executable, "-m", "joulemark", "board", "serve", "--port", "0", "--database", url]
    limits = ["--requests-per-minute", "1000000", "--submissions-per-hour", "1000000", "--json"]
    process = subprocess.Popen([*command, *limits], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"], process.pid
    finally:
        process.terminate()
        process.wait(30)


def read(address: str, readers: int, seconds: float, seed: int, server: int, *, told: bool = True) -> None:
    """Let the readers read, and print what it took them and what it cost."""
    before = _cpu_s(server)
    process = _readers(address, readers, seconds, seed)
    lines = _lines(process)
    spent = {name: s - before.get(name, 0.0) for name, s in _cpu_s(server).items()}
    if told:
        print(f"\n{readers} readers for {seconds:g} s, one second of thought each:")
        _told(lines)
        shares = ", ".join(f"{name} {s / seconds:.0%}" for name, s in sorted(spent.items()))
        print(f"of a core: {shares}; load of the machine {os.getloadavg()[0]:.2f}")


def submit(address: str, n: int, seed: int, when: str) -> None:
    """Submit bundles one after the other, and print how long each took."""
    took, status = [], defaultdict(int)
    for k in range(n):
        data = boards.bundle(20, seed=seed + k, signer=k, model=f"org/new-{k}").data
        headers = {"Content-Type": "application/zip", "Idempotency-Key": hashlib.sha256(data).hexdigest()}
        asked = urllib.request.Request(f"{address}/api/v1/submissions", data, headers)
        began = time.monotonic()
        with urllib.request.urlopen(asked, timeout=120) as answer:
            status[json.loads(answer.read())["status"]] += 1
        took.append(time.monotonic() - began)
    print(f"\n{n} bundles submitted {when} ({dict(status)}): "
          f"median {np.median(took):.2f} s, longest {max(took):.2f} s")  # fmt: skip


def _readers(address: str, readers: int, seconds: float, seed: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(HERE / "board_clients.py"), address, str(readers), str(seconds), str(seed)]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent / "tests")}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def _lines(process: subprocess.Popen[str]) -> list[dict[str, object]]:
    text, _ = process.communicate()
    return [json.loads(line) for line in text.splitlines()]


def _told(lines: list[dict[str, object]]) -> None:
    by_kind: dict[str, list[float]] = defaultdict(list)
    for one in lines:
        by_kind[str(one["kind"])].append(float(str(one["s"])))
    for kind, seconds in sorted(by_kind.items()):
        p50, p95, p99 = (1e3 * np.quantile(seconds, q) for q in (0.5, 0.95, 0.99))
        met = "met" if p95 < 1e3 * GOAL_S else "NOT met"
        print(
            f"  {kind:17} n {len(seconds):4}  p50 {p50:6.1f} ms  p95 {p95:6.1f} ms  p99 {p99:6.1f} ms  {met}"
        )
    wrong = [one for one in lines if one["status"] not in (200, 304)]
    print(f"  answers other than 200: {len(wrong)}")


def _cpu_s(server: int) -> dict[str, float]:
    """Return CPU seconds of the board and of all processes of PostgreSQL that run now."""
    found: dict[str, float] = defaultdict(float)
    tick = os.sysconf("SC_CLK_TCK")
    for pid in all_pids():
        stat = read_stat(pid)
        if stat is not None and (pid == server or stat.name.startswith("postgres")):
            found["board" if pid == server else "PostgreSQL"] += stat.own_ticks / tick
    return dict(found)


if __name__ == "__main__":
    sys.exit(main())

"""Joulemark's loaded asking against guidellm, aiperf and an aiohttp client in vLLM's style, on one server.

    JOULEMARK_PEERS=/path/to/python python benchmarks/load_clients.py [--rounds 3] [--minutes 7.5]

JOULEMARK_PEERS names an interpreter that has guidellm and aiperf beside it; what is not there is skipped, and
why is said. The server has one core, the client another, all its processes together. Three kinds of work, 64
requests at once: `short` (8 tokens) and `long` (256 tokens, each in a chunk of its own) from a server that
never waits, and `paced` (256 tokens, a step of all streams each 20 ms, as an engine with continuous batching
sends them), where the token is the server's stamp of its sending, so that the client's lag can be told.

CPU is user and system time of all processes that a command started. `asking` is theirs while it asks (see
`asking_span`): start-up and report do not count. `command` is theirs in all, less that of the same command
with a small piece of work: imports and start-up do not count, journal, statistics and report do. It is a
difference, and noisy where start-up takes many seconds. Requests or chunks a second a core are what the CPU
time of the asking allows; `as run` is what was reached. Lag is the client's stamp of a token less the
server's; of the others there is the time a token that they report. The aiohttp client has no journal and no
report, so that its `command` is next to its `asking`. Medians over the rounds, contenders in turns, ratios
within a round. Prints ratios; it is no test and has no limits.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from load_account import KINDS, SMALL, STEP_MS, Account, Measured, print_kind, print_ratios
from load_contenders import Contender, Work, contenders

QUICKER = 4  # a client that is soon done is asked for so many times more, to stand out from the noise
LEAST_SCALE = 0.2
TIMEOUT_S = 180.0


@dataclass(frozen=True)
class Cores:
    """Where client and server run; null where the platform or the machine does not allow to choose."""

    client: int | None
    server: int | None

    @classmethod
    def of_this_machine(cls) -> Cores:
        if not hasattr(os, "sched_setaffinity"):
            print("cores cannot be chosen here: `a core` means a second of CPU time all the same")
            return cls(None, None)
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            print("one core only: server and client disturb each other, the rates as run are no good")
        return cls(cores[0], cores[-1])


@contextlib.contextmanager
def server(core: int | None, *options: str) -> Iterator[int]:
    """Start the server; yields its port."""
    program = str(Path(__file__).with_name("load_server.py"))
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    if core is not None:
        os.sched_setaffinity(process.pid, {core})
    try:
        yield int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def log_of(port: int) -> dict[str, Any]:
    """Return the server's log since the last time."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", "/log")
    log: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return log


def measure(contender: Contender, work: Work, port: int, cores: Cores) -> Measured | str:
    """Run one client to its end; returns what went wrong where it did not answer everything."""
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        place = Path(folder)
        metered = [sys.executable, str(Path(__file__).with_name("metered_child.py"))]
        metered += [str(-1 if core is None else core) for core in (cores.client, cores.server)]
        before = log_of(port)
        done = subprocess.run(
            [
                *(*metered, str(place / "log"), str(TIMEOUT_S)),
                *contender.command(work, f"http://127.0.0.1:{port}", place),
            ],
            stdout=subprocess.PIPE,
            env={**os.environ, **contender.environment(place)},
            cwd=place,
            check=True,
        )
        account = json.loads(done.stdout)
        after = log_of(port)
        if account["rc"] != 0:
            said = (place / "log").read_text(errors="replace").strip().splitlines()
            return f"exit {account['rc']}: {said[-1] if said else 'it said nothing'}"
        told = contender.told(work, place)
        if told.answered != work.requests or len(after["answered"]) < work.requests:
            return f"answered {told.answered} of {work.requests}"
    span_ns, n_requests = asking_span(after["answered"], work, told.t_kept_ns)
    asking_cpu_s = None
    if account["course"]:
        t_ns, cpu_s = zip(*account["course"], strict=True)
        begin_s, end_s = np.interp(span_ns, t_ns, cpu_s)
        asking_cpu_s = float(end_s - begin_s) / n_requests
    asking_s = (span_ns[1] - span_ns[0]) / 1e9 / n_requests
    server_cpu_s = (after["cpu_s"] - before["cpu_s"]) / len(after["answered"])
    return Measured(work, account["cpu_s"], asking_s, asking_cpu_s, server_cpu_s, told)


def asking_span(
    answered: Sequence[tuple[int, int]], work: Work, t_kept_ns: int | None
) -> tuple[tuple[int, int], int]:
    """Return begin and end (ns) of the stretch that tells what asking costs, and its number of requests.

    It ends when the client had kept the last answer. Where that is not seen, the end of the last answer has
    to do at a pace. Without one a client may be far behind what the sockets hold by then; but equally many
    requests are under way when the first is sent that another had to end for, and when the last one is sent.
    What such a client leaves for later is not counted, to its favour.
    """
    counted = sorted(answered)[-work.requests :]  # what came before were trials
    if t_kept_ns is None and work.requests >= 2 * work.concurrency:
        return (counted[work.concurrency][0], counted[-1][0]), work.requests - work.concurrency - 1
    return (counted[0][0], t_kept_ns or max(t_end for _, t_end in counted)), work.requests


def one_round(
    contender: Contender, kinds: Sequence[str], ports: dict[str, int], cores: Cores, scale: float
) -> Account:
    account = Account()
    small = measure(contender, SMALL, ports["short"], cores)
    if isinstance(small, str):
        account.failed = dict.fromkeys(kinds, small)
        return account
    account.small = small
    for kind in kinds:
        work = scaled(KINDS[kind], scale * (QUICKER if contender.quick and kind != "paced" else 1))
        found = measure(contender, work, ports[kind], cores)
        if isinstance(found, str):
            account.failed[kind] = found
        else:
            account.kinds[kind] = found
    return account


def scaled(work: Work, factor: float) -> Work:
    n_requests = max(round(work.requests * factor), work.concurrency)
    return Work(n_requests, work.tokens, work.concurrency, work.lags)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=7.5, help="begin no round that would end later")
    parser.add_argument("--scale", type=float, default=1.0, help="so many times the requests")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="contenders by the beginning of their names"
    )
    args = parser.parse_args()
    if args.scale < LEAST_SCALE:
        parser.error(f"--scale below {LEAST_SCALE:g} leaves nothing to tell from the small work")
    found, absent = contenders()
    for why in absent:
        print(f"skipped {why}")
    if args.only:
        found = [one for one in found if one.name.startswith(("joulemark", *args.only))]
    cores = Cores.of_this_machine()
    accounts: dict[str, list[Account]] = {one.name: [] for one in found}
    pace = ("--step-ms", str(STEP_MS), "--stamps")
    begin = time.monotonic()
    with server(cores.server) as fast, server(cores.server, *pace) as paced:
        ports = {"short": fast, "long": fast, "paced": paced}
        for i in range(args.rounds):
            spent_s = time.monotonic() - begin
            if i and spent_s * (i + 1) / i > args.minutes * 60:
                print(f"{i} of {args.rounds} rounds: another would not end within {args.minutes:g} minutes")
                break
            for one in found[i % len(found) :] + found[: i % len(found)]:
                print(f"round {i + 1} of {args.rounds}: {one.name}", file=sys.stderr)
                # what the peers do at a pace hardly varies, and takes long
                kinds = [kind for kind in KINDS if kind != "paced" or one.quick or i == 0]
                accounts[one.name].append(one_round(one, kinds, ports, cores, args.scale))
    for kind in KINDS:
        print_kind(kind, accounts)
    print_ratios(found[0].name, accounts)


if __name__ == "__main__":
    main()

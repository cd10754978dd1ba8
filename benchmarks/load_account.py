"""What the clients of load_clients.py were asked for, what it took, and the tables of it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from load_contenders import Told, Work

CONCURRENCY = 64
STEP_MS = 20.0
SMALL = Work(64, 8, CONCURRENCY)
KINDS = {
    "short": Work(1000, 8, CONCURRENCY),
    "long": Work(192, 256, CONCURRENCY),
    "paced": Work(64, 256, CONCURRENCY, lags=True),
}


@dataclass(frozen=True)
class Measured:
    """One run of one client.

    ``cpu_s``: CPU seconds of the whole command. The others are for one request: ``asking_s`` and
    ``asking_cpu_s`` are wall and CPU seconds of the asking (null where it was not watched), ``server_cpu_s``
    the server's.
    """

    work: Work
    cpu_s: float
    asking_s: float
    asking_cpu_s: float | None
    server_cpu_s: float
    told: Told


@dataclass
class Account:
    """What one client did in one round; ``failed`` says what went wrong, by kind of work."""

    small: Measured | None = None
    kinds: dict[str, Measured] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def asking_us(self, kind: str) -> float | None:
        """CPU of the asking a unit of work (a request of ``short``, else a chunk)."""
        done = self.kinds.get(kind)
        if done is None or done.asking_cpu_s is None:
            return None
        return done.asking_cpu_s / units_of(done.work, kind) * done.work.requests * 1e6

    def command_us(self, kind: str) -> float | None:
        """CPU of the command a unit of work, less that of the command for the small work."""
        done = self.kinds.get(kind)
        if done is None or self.small is None:
            return None
        # the small work's own requests are taken off with it
        units = units_of(done.work, kind) - units_of(SMALL, kind)
        return (done.cpu_s - self.small.cpu_s) / units * 1e6


def units_of(work: Work, kind: str) -> int:
    return work.requests if kind == "short" else work.requests * work.tokens


def median_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def quantile(values: Sequence[float], q: float) -> float | None:
    return sorted(values)[min(int(q * len(values)), len(values) - 1)] if values else None


def number(value: float | None, width: int, digits: int = 0) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:>{width},.{digits}f}"


def print_kind(kind: str, accounts: dict[str, list[Account]]) -> None:
    unit = "request" if kind == "short" else "chunk"
    work = KINDS[kind]
    pace = f", a step each {STEP_MS:g} ms" if work.lags else ""
    print(f"\n{kind}: {work.tokens} tokens a request, {CONCURRENCY} requests at once{pace}")
    top, below = f"{f'CPU us a {unit}':>22}{f'{unit}s/s':>13}{'as run':>12}{'server':>8}", ""
    if work.lags:
        top, below = f"{top}{'lag, ms':>20}{'ms a token':>12}", f"{'p50':>10}{'p99':>10}{'as told':>12}"
    below = f"{'asking':>11}{'command':>11}{'a core':>13}{'requests/s':>12}{'busy':>8}{below}"
    print(f"{'':28}{top}\n{'':28}{below}")
    for name, rounds in accounts.items():
        print(name.ljust(28) + row_of(kind, rounds))
        for failed in {one.failed[kind] for one in rounds if kind in one.failed}:
            print(f"{'':28}failed: {failed}")


def row_of(kind: str, rounds: list[Account]) -> str:
    done = [one.kinds[kind] for one in rounds if kind in one.kinds]
    asking_us = median_of([one.asking_us(kind) for one in rounds])
    command_us = median_of([one.command_us(kind) for one in rounds])
    a_core = 1e6 / asking_us if asking_us else None
    as_run = median_of([1 / one.asking_s for one in done])
    busy = median_of([one.server_cpu_s / one.asking_s * 100 for one in done])
    row = number(asking_us, 11, 1) + number(command_us, 11, 1) + number(a_core, 13)
    row += number(as_run, 12, 1) + number(busy, 7) + "%"
    if KINDS[kind].lags:
        lags = [[quantile(one.told.lags_s, q) for one in done] for q in (0.5, 0.99)]
        seconds = [*map(median_of, lags), median_of([one.told.tpot_s for one in done])]
        for width, value_s in zip((10, 10, 12), seconds, strict=True):
            row += number(None if value_s is None else value_s * 1e3, width, 2)
    return row


def print_ratios(ours: str, accounts: dict[str, list[Account]]) -> None:
    print("\nCPU of ours over theirs, within a round (median [least .. most]; goal: below 1)")
    for kind in KINDS:
        for name in accounts:
            if name == ours:
                continue
            for what in ("asking", "command"):
                pairs = [
                    (getattr(mine, f"{what}_us")(kind), getattr(theirs, f"{what}_us")(kind))
                    for mine, theirs in zip(accounts[ours], accounts[name], strict=True)
                ]
                ratios = sorted(mine / theirs for mine, theirs in pairs if mine and theirs and theirs > 0)
                if ratios:
                    spread = f"[{ratios[0]:.2f} .. {ratios[-1]:.2f}]"
                    print(f"  {kind:6} {what:8} / {name:26} {statistics.median(ratios):6.2f}x {spread}")

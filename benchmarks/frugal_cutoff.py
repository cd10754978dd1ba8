"""The published cut-off of 1,000 shuffles: ours against numpy + statsmodels + kneed, side by side.

    python benchmarks/frugal_cutoff.py [--items 49947] [--share 0.787] [--rounds 5] [--full]

The peers' pipeline is run for single shuffles, in turn with ours, and its median times 1,000 is set against
the median of our 1,000: with lowess's ``delta`` (a hundredth of the range), and with ``--full`` once without
it (a minute and more for one shuffle). Windows of 1 % at every start, frac 2/3, 3 robust passes, S = 1.

Goals: at most 0.5 s on two cores, at least 100 times the peers' ``delta`` form, and the same mean cut-off
within 0.2 % of the items. Exit code 1 where one is missed; times mean something on a quiet machine only.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from kneed import KneeLocator
from statsmodels.nonparametric.smoothers_lowess import lowess

from joulemark.frugal.published.cutoff import Cutoff, find_cutoff
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.shuffles import BinaryShuffles

SHUFFLES = 1000
GOAL_S, GOAL_RATIO, GOAL_SHARE = 0.5, 100.0, 0.002
_DELTA = 0.01
T = TypeVar("T")


def peers(values: np.ndarray, length: int, rng: np.random.Generator, delta: float) -> float:
    """One shuffle as a numpy user writes it, slopes at every start; returns the knee's share of the items."""
    n = len(values)
    curve = np.cumsum(rng.permutation(values)) / np.arange(1, n + 1)
    slopes = np.abs(curve[length - 1 :] - curve[: n - length + 1]) / (length - 1)
    x = np.arange(1, len(slopes) + 1, dtype=float)
    smooth = lowess(slopes, x, frac=2 / 3, it=3, delta=delta * (x[-1] - x[0]), return_sorted=False)
    knee = KneeLocator(x, smooth, curve="convex", direction="decreasing").knee
    return float("nan") if knee is None else float(knee) / n


def ours(ones: int, n: int, seed: int) -> Cutoff:
    return find_cutoff(BinaryShuffles(ones, n), Method(shuffles=SHUFFLES, seed=seed))


def timed(what: Callable[[], T]) -> tuple[float, T]:
    begin = time.perf_counter()
    found = what()
    return time.perf_counter() - begin, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--items", type=int, default=49_947)
    parser.add_argument("--share", type=float, default=0.787)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--peer-shuffles", type=int, default=30, help="a round, of the delta form")
    parser.add_argument("--full", action="store_true", help="one shuffle without delta, too")
    chosen = parser.parse_args()
    n, ones = chosen.items, round(chosen.items * chosen.share)
    length = round(0.01 * n)
    values = np.zeros(n)
    values[:ones] = 1.0
    rng = np.random.default_rng(0)
    timed(lambda: ours(ones, n, 0))
    timed(lambda: peers(values, length, rng, _DELTA))

    ours_s, peer_s, fractions, knees = [], [], [], []
    for number in range(chosen.rounds):
        took, cutoff = timed(lambda seed=number: ours(ones, n, seed))
        ours_s.append(took)
        fractions.append(cutoff.mean)
        for _ in range(chosen.peer_shuffles):
            took, knee = timed(lambda: peers(values, length, rng, _DELTA))
            peer_s.append(took)
            knees.append(knee)
    mine = statistics.median(ours_s)
    theirs = statistics.median(peer_s) * SHUFFLES
    mean, told = statistics.mean(fractions), float(np.nanmean(knees))
    error = float(np.nanstd(knees, ddof=1)) / len(knees) ** 0.5
    print(f"N = {n:,}, {SHUFFLES:,} shuffles, windows of {length}, {os.cpu_count()} cores")
    print(
        f"ours            {mine:10.3f} s   median of {len(ours_s)} ({min(ours_s):.3f} to {max(ours_s):.3f})"
    )
    print(f"peers, delta    {theirs:10.1f} s   median of {len(peer_s)} shuffles x {SHUFFLES:,}")
    print(f"ratio           {theirs / mine:10.0f} x   goal >= {GOAL_RATIO:.0f} x")
    print(f"cut-off, ours   {100 * mean:10.2f} %   over {len(fractions) * SHUFFLES:,} shuffles")
    print(f"cut-off, peers  {100 * told:10.2f} %   ± {100 * error:.2f} over {len(knees)} shuffles")
    if chosen.full:
        full, knee = timed(lambda: peers(values, length, rng, 0.0))
        print(
            f"peers, full     {full * SHUFFLES / 3600:10.1f} h   one shuffle in {full:.1f} s, knee {knee:.4f}"
        )
        print(f"ratio           {full * SHUFFLES / mine:10.0f} x")
    missed = [
        name
        for name, holds in (
            (f"at most {GOAL_S} s", mine <= GOAL_S),
            (f"at least {GOAL_RATIO:.0f} x", theirs / mine >= GOAL_RATIO),
            # within 0.2 % of the items, as far as so few shuffles of theirs can tell
            ("the same cut-off", abs(mean - told) <= GOAL_SHARE + 2 * error),
        )
        if not holds
    ]
    print("goals met" if not missed else f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

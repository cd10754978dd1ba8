"""The published cut-off of 1,000 shuffles: ours against numpy + statsmodels + kneed, side by side.

    python benchmarks/frugal_cutoff.py [--items 49947] [--share 0.787] [--rounds 7] [--full]

The peers' pipeline is run for single shuffles, in turn with ours, and its median times 1,000 is set against
the median of our 1,000: with lowess's ``delta`` (a hundredth of the range), and with ``--full`` once without
it (a minute and more for one shuffle). Windows of 1 % at every start, frac 2/3, 3 robust passes, S = 1.

The cut-offs of both are of the same orders of the items, so that they differ by the method alone.

Goals: at most 0.5 s on two cores, at least 100 times the peers' ``delta`` form, and the same mean cut-off
within 0.2 % of the items: the difference over 100 orders or more, with two of its own standard errors, so
that few orders do not meet it. Exit code 1 where one is missed; times mean something on a quiet machine only.
"""

from __future__ import annotations

import argparse
import math
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
from joulemark.frugal.published.frames import Ints
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.shuffles import BinaryShuffles, Floats, Shuffles

SHUFFLES = 1000
GOAL_S, GOAL_RATIO, GOAL_SHARE, LEAST_ORDERS = 0.5, 100.0, 0.002, 100
_DELTA = 0.01
_BATCH = 100  # orders that `find_cutoff` draws at once
T = TypeVar("T")


class Orders(Shuffles):
    """Orders that were drawn before, (rows, n), all in one batch."""

    def __init__(self, drawn: Floats) -> None:
        self.drawn, self.n_items = drawn, drawn.shape[1]

    def sums(self, points: Ints, rows: int, rng: np.random.Generator) -> Floats:
        if rows != len(self.drawn):
            raise ValueError(f"{len(self.drawn)} orders were drawn, and {rows} are asked for")
        return np.asarray(np.cumsum(self.drawn, axis=1)[:, points - 1])


def peers(values: Floats, length: int, rng: np.random.Generator, delta: float) -> tuple[float, Floats]:
    """One shuffle as a numpy user writes it, with every slope; the knee's share of the items, the order."""
    n = len(values)
    order = rng.permutation(values)
    curve = np.cumsum(order) / np.arange(1, n + 1)
    slopes = np.abs(curve[length - 1 :] - curve[: n - length + 1]) / (length - 1)
    x = np.arange(1, len(slopes) + 1, dtype=float)
    smooth = lowess(slopes, x, frac=2 / 3, it=3, delta=delta * (x[-1] - x[0]), return_sorted=False)
    knee = KneeLocator(x, smooth, curve="convex", direction="decreasing").knee
    return float("nan") if knee is None else float(knee) / n, order


def ours(ones: int, n: int, seed: int) -> Cutoff:
    return find_cutoff(BinaryShuffles(ones, n), Method(shuffles=SHUFFLES, seed=seed))


def of_orders(orders: list[Floats]) -> Floats:
    """Return our knees of the same orders, as shares of the items."""
    knees = []
    for begin in range(0, len(orders), _BATCH):
        part = np.array(orders[begin : begin + _BATCH])
        found = find_cutoff(Orders(part), Method(shuffles=len(part)))
        if found.n_without_knee:
            raise ValueError("an order without a knee cannot be set beside the peers' knee of it")
        knees.append(found.fractions)
    return np.concatenate(knees)


def is_same(differences: Floats) -> bool:
    """Whether the mean difference lies within the goal, with room for what so many orders leave unsure."""
    if len(differences) < LEAST_ORDERS:
        return False
    error = float(differences.std(ddof=1)) / len(differences) ** 0.5
    return bool(abs(float(differences.mean())) + 2 * error <= GOAL_SHARE)


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

    ours_s, peer_s, fractions, knees, same = [], [], [], [], []
    for number in range(chosen.rounds):
        took, cutoff = timed(lambda seed=number: ours(ones, n, seed))
        ours_s.append(took)
        fractions.append(cutoff.mean)
        orders = []
        for _ in range(chosen.peer_shuffles):
            took, (knee, order) = timed(lambda: peers(values, length, rng, _DELTA))
            peer_s.append(took)
            knees.append(knee)
            orders.append(order)
        same += of_orders(orders).tolist()
    mine = statistics.median(ours_s)
    theirs = statistics.median(peer_s) * SHUFFLES
    differences = np.array(same) - np.array(knees)
    error = float(differences.std(ddof=1)) / len(differences) ** 0.5 if len(differences) > 1 else math.nan
    print(f"N = {n:,}, {SHUFFLES:,} shuffles, windows of {length}, {os.cpu_count()} cores")
    print(
        f"ours            {mine:10.3f} s   median of {len(ours_s)} ({min(ours_s):.3f} to {max(ours_s):.3f})"
    )
    print(f"peers, delta    {theirs:10.1f} s   median of {len(peer_s)} shuffles x {SHUFFLES:,}")
    print(f"ratio           {theirs / mine:10.0f} x   goal >= {GOAL_RATIO:.0f} x")
    print(
        f"cut-off, ours   {100 * statistics.mean(fractions):10.2f} %   "
        f"of {len(fractions) * SHUFFLES:,} orders"
    )
    print(
        f"of the same {len(knees)} orders: ours {100 * np.mean(same):.2f} %, "
        f"peers {100 * np.mean(knees):.2f} %"
    )
    print(
        f"difference      {100 * differences.mean():10.3f} %   ± {100 * error:.3f}, "
        f"goal within {100 * GOAL_SHARE:.1f} %"
    )
    if chosen.full:
        full, (knee, _) = timed(lambda: peers(values, length, rng, 0.0))
        print(
            f"peers, full     {full * SHUFFLES / 3600:10.1f} h   one shuffle in {full:.1f} s, knee {knee:.4f}"
        )
        print(f"ratio           {full * SHUFFLES / mine:10.0f} x")
    missed = [
        name
        for name, holds in (
            (f"at most {GOAL_S} s", mine <= GOAL_S),
            (f"at least {GOAL_RATIO:.0f} x", theirs / mine >= GOAL_RATIO),
            (f"the same cut-off ({LEAST_ORDERS} orders or more)", is_same(differences)),
        )
        if not holds
    ]
    print("goals met" if not missed else f"missed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""How fast joules per correct answer get their interval, against warm `scipy.stats.bootstrap`, in one run.

Both draw 10,000 joint resamples of (energy, correct) of the same 1,319 simulated items and take the
percentile 95 % interval of sum(energy) / sum(correct); scipy is given its fastest form: paired, vectorized.
Rounds are interleaved, so that other load meets both. The intervals must agree: the standard error of a
percentile bound over 10,000 resamples is 0.7 % of the interval's width, and ours has to lie within 3 % of the
width from the mean of scipy's over several seeds. Exits with 1 when the ratio of medians is under the goal or
the intervals differ.

    python benchmarks/bootstrap.py [--items N] [--rounds R] [--goal X]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

from joulemark.metrics.bootstrap import RESAMPLES, ratio_interval

Bounds = tuple[float, float]
Floats = NDArray[np.float64]

SCIPY_SEEDS = range(8)
TOLERANCE = 0.03  # of the interval's width


def simulated_run(items: int) -> tuple[Floats, Floats]:
    """Return joules and correctness of items: wrong answers ramble, so their energy has a heavier tail."""
    rng = np.random.default_rng(20_260_701)
    correct = rng.random(items) < 0.55
    energy_j = np.where(correct, rng.lognormal(3.0, 0.6, items), rng.lognormal(3.5, 0.8, items))
    return energy_j, correct.astype(np.float64)


def of_scipy(energy_j: Floats, correct: Floats, seed: int) -> Bounds:
    def ratio(energy_j: Floats, correct: Floats, axis: int = -1) -> Floats:
        return np.asarray(energy_j.sum(axis=axis) / correct.sum(axis=axis))

    found = bootstrap(
        (energy_j, correct),
        ratio,
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


def of_joulemark(energy_j: Floats, correct: Floats) -> Bounds:
    found = ratio_interval(energy_j, correct)
    assert found.lo is not None
    assert found.hi is not None
    return found.lo, found.hi


def interleaved_s(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Wall-clock seconds of each work in each round; a first round warms both up and is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for k in range(rounds + 1):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            if k:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--items", type=int, default=1319)
    options.add_argument("--rounds", type=int, default=15)
    options.add_argument("--goal", type=float, default=3.0)
    args = options.parse_args()
    energy_j, correct = simulated_run(args.items)

    ours = of_joulemark(energy_j, correct)
    theirs = [of_scipy(energy_j, correct, seed) for seed in SCIPY_SEEDS]
    centre = tuple(statistics.fmean(bounds[k] for bounds in theirs) for k in (0, 1))
    spread = tuple(statistics.stdev(bounds[k] for bounds in theirs) for k in (0, 1))
    width = centre[1] - centre[0]
    off = max(abs(ours[k] - centre[k]) / width for k in (0, 1))
    print(f"{RESAMPLES} joint resamples of {args.items} items, J per correct answer:")
    print(f"  point            {energy_j.sum() / correct.sum():.3f}")
    print(f"  joulemark        {ours[0]:.3f} to {ours[1]:.3f}")
    print(
        f"  scipy, {len(theirs)} seeds   {centre[0]:.3f} to {centre[1]:.3f}"
        f"  (standard deviation between seeds {spread[0]:.3f} and {spread[1]:.3f})"
    )
    print(f"  farthest bound   {off:.2%} of the width away, allowed {TOLERANCE:.0%}")

    works: dict[str, Callable[[], object]] = {
        "joulemark": lambda: of_joulemark(energy_j, correct),
        "scipy": lambda: of_scipy(energy_j, correct, 0),
    }
    seconds = interleaved_s(works, args.rounds)
    for name, each in seconds.items():
        median_ms, least_ms = 1e3 * statistics.median(each), 1e3 * min(each)
        print(f"{name:10} {median_ms:8.1f} ms median, {least_ms:8.1f} ms least of {args.rounds} rounds")
    ratio = statistics.median(seconds["scipy"]) / statistics.median(seconds["joulemark"])
    ratio_least = min(seconds["scipy"]) / min(seconds["joulemark"])
    print(f"{ratio:.2f} x faster by medians, {ratio_least:.2f} x by the least; goal {args.goal:g} x")
    if ratio < args.goal or off > TOLERANCE:
        sys.exit(1)


if __name__ == "__main__":
    main()

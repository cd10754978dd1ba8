"""The figures that the pages on stopping, comparing and planning decisions quote, computed anew.

    python benchmarks/frugal_figures.py [compare] [stop] [plan] [--data ../shared/data/frugal]

Nothing is timed: simulations that are too long for a test, with fixed seeds. A few minutes.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.paired.decision import Decider, PairedTest
from joulemark.frugal.paired.gather import read_models
from joulemark.frugal.paired.ranking import CONTROLS, rank
from joulemark.frugal.paired.ranks import Settled
from joulemark.frugal.paired.sign_test import log_e_values
from joulemark.frugal.planning.decision_size import needed_to_decide_share
from joulemark.frugal.stopping.mean_sequence import ALPHA
from joulemark.frugal.stopping.rule import EVERY, LEAST
from joulemark.metrics.betting import WealthAbove
from joulemark.metrics.finite_ratio import RatioEstimate, Units, estimate
from joulemark.metrics.finite_share import wilson_bounds

Floats = NDArray[np.float64]
ENOUGH = math.log(2 / ALPHA)
N_ITEMS = 12_032
PAGES = ["compare", "stop", "plan"]
_FEWEST_COSTS = 100


def compare(values: Floats) -> None:
    """Pairs of models, in the order of the default key."""
    n_models, n_items = values.shape
    pairs = [(a, b) for a in range(n_models) for b in range(a + 1, n_models)]
    early, all_n, wrong = 0, [], 0
    for a, b in pairs:
        x = values[b] - values[a]
        found = Decider(n_items).feed(x)
        all_n.append(n_items if found is None else found.n)
        if found is not None and found.kind == "winner":
            early += found.n < 0.05 * n_items
            wrong += (found.winner == "B") != (x.mean() > 0)
    print(
        f"{len(pairs)} pairs: {100 * early / len(pairs):.0f} % told apart with less than 5 % of the items, "
        f"half settled after {np.median(all_n):.0f}, {wrong} wrongly"
    )
    for control in CONTROLS:
        ranking = rank(values, control=control)
        kinds = [int((ranking.kind == kind).sum()) for kind in (Settled.ORDER, Settled.TIE)]
        spent, full = ranking.spent()
        print(
            f"rank --control {control}: {kinds[0]} ordered, {kinds[1]} ties, {len(pairs) - sum(kinds)} open, "
            f"half settled after {np.median(ranking.n):.0f}, {100 * spent / full:.0f} % of the answers, "
            f"{ranking.contradicted()} turned round"
        )
    named = [100 * false_winner(discordant) for discordant in (100, 2000)]
    print(f"a false winner after 100, 2,000 discordant items: {named[0]:.1f}, {named[1]:.1f} %, exactly")
    spent, full = rank(values, PairedTest(epsilon=0.03), "fdr").spent()
    print(f"rank --control fdr --tie 3pp: {100 * spent / full:.0f} % of the answers")
    rng = np.random.default_rng(3)
    each = np.repeat(
        [-1.0, 0.0, 1.0], [round(0.15 * n_items), n_items - 2 * round(0.15 * n_items), round(0.15 * n_items)]
    )
    for points in (1, 2, 3, 5):
        said = []
        for _ in range(60):
            found = Decider(n_items, PairedTest(epsilon=points / 100)).feed(rng.permutation(each))
            said.append(n_items if found is None or found.kind != "tie" else found.n)
        print(
            f"a tie within {points} pp, 30 % discordant: {100 * np.median(said) / n_items:.0f} % of the items"
        )


def false_winner(discordant: int) -> float:
    """Return the exact chance that a winner is ever named within so many items that are fair coins."""
    at, named = np.array([1.0]), 0.0
    for n in range(1, discordant + 1):
        at = (np.append(at, 0.0) + np.append(0.0, at)) / 2
        wins = np.arange(n + 1)
        crossed = log_e_values(n - wins, wins) >= math.log(1 / ALPHA)
        named += float(at[crossed].sum())
        at[crossed] = 0.0
    return named


def stop(correct: Floats) -> None:
    """Widths and decisions while a run is on: what the rule's own intervals give on MMLU-Pro."""
    rng = np.random.default_rng(7)
    n = np.arange(LEAST, N_ITEMS + 1, EVERY)
    orders = [rng.permuted(np.tile(model, (150, 1)), axis=1) for model in correct]
    seen = np.stack([np.cumsum(each, axis=1)[:, n - 1] for each in orders])
    truth = correct.mean(axis=1)[:, None]
    lo, hi = wilson_bounds(seen, n, N_ITEMS)
    missed = (lo > truth[..., None]) | (hi < truth[..., None])
    for width in (0.03, 0.02, 0.01):
        at = ((hi - lo) / 2 <= width).argmax(axis=2)
        ends = [np.take_along_axis(one, at[..., None], axis=2)[..., 0] for one in (lo, hi)]
        held = (ends[0] <= truth) & (truth <= ends[1])
        on_the_way = (missed & (np.arange(len(n)) <= at[..., None])).any(axis=2)
        print(
            f"accuracy ±{100 * width:.0f}pp: {n[at].mean():.0f} items, covered {100 * held.mean():.1f} %; "
            f"the truth missed at some look by then {100 * on_the_way.mean():.0f} %"
        )
    near_one()
    decisions(correct, rng)
    heavy_tails()


def near_one() -> None:
    """Coverage at the stop near 1, from hypergeometric paths: 4,000 runs each."""
    rng, n_items = np.random.default_rng(13), 3000
    n = np.arange(LEAST, n_items + 1, EVERY)
    found = []
    for share in (0.9, 0.95, 0.97, 0.98, 0.99):
        ones = round(share * n_items)
        sizes = np.diff(n, prepend=0)
        seen = np.cumsum(rng.multivariate_hypergeometric(sizes, ones, 4000, method="marginals"), axis=1)
        lo, hi = wilson_bounds(seen, n, n_items)
        for width in (0.02, 0.03, 0.05):
            at = ((hi - lo) / 2 <= width).argmax(axis=1)[:, None]
            low, high = (np.take_along_axis(one, at, axis=1) for one in (lo, hi))
            found.append(float(((low <= share) & (share <= high)).mean()))
    print(
        f"accuracies of .9 to .99, ±2, 3, 5pp of 3,000: covered {100 * min(found):.1f} to "
        f"{100 * max(found):.1f} %"
    )


def decisions(correct: Floats, rng: np.random.Generator) -> None:
    """How often bets ever rule the truth out, and how many items bounds below the truth take."""
    missed = []
    for model in correct:
        x = rng.permuted(np.tile(model, (40, 1)), axis=1)
        mean = float(model.mean())
        up = WealthAbove(2 * mean - 1, N_ITEMS, len(x)).feed(2 * x - 1).max(axis=1)
        down = WealthAbove(1 - 2 * mean, N_ITEMS, len(x)).feed(1 - 2 * x).max(axis=1)
        missed.append(np.maximum(up, down) >= ENOUGH)
    print(f"a decision's interval misses at any look in {100 * np.mean(missed):.1f} % of runs")
    n = np.arange(LEAST, N_ITEMS + 1, EVERY)
    for gap in (0.10, 0.05, 0.02):
        asked = []
        for model in correct:
            x = rng.permuted(np.tile(model, (30, 1)), axis=1)
            bound = float(model.mean()) - gap
            path = np.maximum.accumulate(WealthAbove(2 * bound - 1, N_ITEMS, len(x)).feed(2 * x - 1), axis=1)
            asked.append(np.median(n[(path[:, n - 1] >= ENOUGH).argmax(axis=1)]))
        print(f"a bound {100 * gap:.0f} pp below: {np.median(asked):.0f} items (median of models' medians)")


def heavy_tails() -> None:
    """Lognormal costs per correct answer at the stop: looks after 100 and then every 10."""
    for cv, width in ((2.42, 0.2), (4.0, 0.2), (4.0, 0.3)):
        rng, held = np.random.default_rng(29), []
        for _ in range(500):
            cost = rng.lognormal(0, math.sqrt(math.log(1 + cv * cv)), N_ITEMS)
            right = (rng.random(N_ITEMS) < 0.6).astype(np.float64)
            for n in range(_FEWEST_COSTS, N_ITEMS, 10):
                found = estimate(Units(cost[:n], right[:n], n), N_ITEMS)
                if isinstance(found, RatioEstimate) and found.half_width <= width * found.figure:
                    held.append(abs(found.figure - cost.sum() / right.sum()) <= found.half_width)
                    break
        print(f"coefficient of variation {cv}, ±{100 * width:.0f} %: covered {100 * np.mean(held):.1f} %")


def plan() -> None:
    """Decisions: how many of 1,000 runs have ended by the planned number, and when half of them have."""
    cases = (
        (0.5, 0.4, 12_000), (0.75, 0.7, 3000), (0.97, 0.9, 12_000), (0.05, 0.1, 3000), (0.75, 0.73, 1500),
        (0.6, 0.5, 100_000), (0.85, 0.8, 12_000), (0.99, 0.95, 12_000), (0.5, 0.25, 1500),
        (0.7, 0.68, 100_000),
    )  # fmt: skip
    rng, ended, half, over = np.random.default_rng(5), [], [], []
    for share, bound, of in cases:
        n = needed_to_decide_share(share, bound, of)
        sign, ones = (1 if share > bound else -1), round(share * of)
        first = []
        for _ in range(10):
            values = np.zeros(of)
            values[:ones] = 1.0
            x = np.stack([rng.permutation(values)[: min(of, 2 * n)] for _ in range(100)])
            wealth = WealthAbove(sign * (2 * bound - 1), of, 100).feed(sign * (2 * x - 1)) >= ENOUGH
            first += np.where(wealth.any(axis=1), wealth.argmax(axis=1) + 1, of + 1).tolist()
        ended.append(np.mean(np.array(first) <= n))
        half.append(np.median(first) / n)
        n0 = 1.96**2 * share * (1 - share) / (share - bound) ** 2
        over.append(n / (n0 / (1 + n0 / of)))
        print(
            f"{share} against {bound} of {of:,}: planned {n:,}, {100 * ended[-1]:.0f} % ended, half after "
            f"{100 * half[-1]:.0f} %, {over[-1]:.1f} times one look"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("which", nargs="*", metavar="PAGE", help="compare, stop, plan (default: all)")
    parser.add_argument("--data", type=Path, default=Path("../shared/data/frugal"))
    chosen = parser.parse_args()
    which = chosen.which or PAGES
    if unknown := set(which) - set(PAGES):
        parser.error(f"no figures of {', '.join(sorted(unknown))}")
    models, _ = read_models([chosen.data / "mmlu_pro_items.npz"])
    if "compare" in which:
        compare(models.values)
    if "stop" in which:
        stop(models.values)
    if "plan" in which:
        plan()
    return 0


if __name__ == "__main__":
    sys.exit(main())

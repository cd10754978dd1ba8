"""Costs per correct answer of a finite task: against hand calculation, and at the moment of stopping."""

from __future__ import annotations

from math import comb
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from joulemark.frugal.stopping.rule import EVERY, LEAST
from joulemark.metrics.finite_ratio import RatioEstimate, Units, estimate
from joulemark.record.reason import Reason

Floats = NDArray[np.float64]


def at_stop(c: Floats, y: Floats, width: float, n_items: int) -> tuple[int, RatioEstimate] | None:
    """Return after how many answers a cost per correct one is known to ``width`` of itself, and its estimate.

    Looks as the rule does, which `tests/frugal/stopping/test_coverage.py` holds to it. The same arithmetic by
    running sums finds the looks worth asking.
    """
    n = np.arange(LEAST, len(c) + 1, EVERY)
    powers = np.cumprod(np.vstack([np.ones_like(c), np.tile(c, (4, 1))]), axis=0)
    sums = np.stack([np.cumsum(powers, axis=1), np.cumsum(powers * y, axis=1)], axis=1)[:, :, n - 1]
    ratio = sums[1, 0] / np.maximum(sums[0, 1], 1)

    def moment(k: int) -> Floats:
        of_right = sum(comb(k, j) * sums[j, 1] * (-ratio) ** (k - j) for j in range(k + 1))
        return np.asarray(sums[k, 0] - sums[k, 1] + of_right) / n

    square = np.maximum(moment(2), 1e-300)
    half = 1.96 * np.sqrt(square * n * (1 - n / n_items)) / np.maximum(sums[0, 1], 1)
    unsure = np.sqrt(np.maximum(moment(4) / square**2 - 3, 0) / (4 * n))
    half *= 1 + 2 * np.maximum(unsure - 0.05, 0)
    for at in n[np.flatnonzero(half <= width * ratio)].tolist():
        found = estimate(Units(c[:at], y[:at], at), n_items)
        if isinstance(found, RatioEstimate) and found.half_width <= width * found.figure:
            return at, found
    return None


def test_a_mean_by_hand() -> None:
    # 1 … 20: mean 10.5, s = sqrt(35); 20 of 100 asked, t(19) = 2.0930
    units = Units(np.arange(1.0, 21.0), np.ones(20), 20)
    found = estimate(units, 100)
    assert isinstance(found, RatioEstimate)
    assert found.figure == 10.5
    # widened by what 20 units leave unsure of their spread: sqrt(1 / 40) is 0.158, 0.05 of it is let pass
    assert found.half_width == pytest.approx(1.108 * 2.0930 * np.sqrt(35 / 20 * 0.8), rel=1e-3)
    of_any = estimate(units, None)
    assert isinstance(of_any, RatioEstimate)
    assert of_any.half_width == pytest.approx(found.half_width / np.sqrt(0.8))


def test_nothing_is_uncertain_once_all_were_asked() -> None:
    found = estimate(Units(np.arange(1.0, 21.0), np.ones(20), 20), 20)
    assert isinstance(found, RatioEstimate)
    assert found.half_width == 0


def test_too_few_units_or_no_correct_answer_tell_nothing() -> None:
    assert estimate(Units(np.arange(9.0), np.ones(9), 900), 1000) is Reason.TOO_FEW_ITEMS
    assert estimate(Units(np.ones(30), np.zeros(30), 30), 1000) is Reason.NOTHING_CORRECT


@pytest.mark.parametrize("cost", [0.0, 0.1, 512.0])
def test_units_that_are_all_alike_tell_nothing_until_all_were_asked(cost: float) -> None:
    alike = Units(np.full(30, cost), np.ones(30), 30)
    assert estimate(alike, 1000) is Reason.NO_SPREAD
    assert estimate(alike, None) is Reason.NO_SPREAD
    assert estimate(alike, 30) == RatioEstimate(pytest.approx(cost), 0.0)


def test_a_light_tail_is_not_widened_and_a_heavy_one_is() -> None:
    heavy = np.ones(400)
    heavy[7] = 500.0
    found = estimate(Units(heavy, np.ones(400), 400), None)
    assert isinstance(found, RatioEstimate)
    plain = 1.966 * heavy.std(ddof=1) / 20
    assert found.half_width == pytest.approx(plain * (1 + 2 * (0.5 - 0.05)), rel=0.01)
    light = np.linspace(1, 2, 400)
    narrow = estimate(Units(light, np.ones(400), 400), None)
    assert isinstance(narrow, RatioEstimate)
    assert narrow.half_width == pytest.approx(1.966 * light.std(ddof=1) / 20, rel=0.001)


@pytest.mark.parametrize(("cv", "width"), [(2.42, 0.2), (1.5, 0.1)])
def test_heavy_tailed_costs_per_correct_answer_are_covered_at_stop(cv: float, width: float) -> None:
    """Lognormal costs; without widening 90 % at the first, whose CV is the worst of any model on MMLU-Pro."""
    chance = np.random.default_rng(29)
    n_items = 12_032
    held = []
    for _ in range(1500):
        cost = chance.lognormal(0, np.sqrt(np.log(1 + cv * cv)), n_items)
        right = (chance.random(n_items) < 0.6).astype(np.float64)
        stopped = at_stop(cost[:4000], right[:4000], width, n_items)
        if stopped is not None:
            held.append(abs(stopped[1].figure - cost.sum() / right.sum()) <= stopped[1].half_width)
    assert len(held) > 1400
    assert np.mean(held) >= 0.925  # 93 % and more, within chance of 1,500 runs


def test_batches_hold_everything_once() -> None:
    units = Units(np.arange(25.0), np.ones(25), 25).batched(10)
    assert units.divisor.tolist() == [10.0, 15.0]
    assert units.cost.sum() == np.arange(25.0).sum()
    assert units.n_items == 25
    assert len(Units(np.arange(3.0), np.ones(3), 3).batched(10).cost) == 1


@pytest.mark.parametrize("width", [0.05, 0.1])
def test_tokens_per_correct_answer_are_covered_at_stop(data_dir: Path, width: float) -> None:
    """What models wrote on MMLU-Pro, in random orders; a look at every tenth answer ends at ±5 % or ±10 %."""
    with np.load(data_dir / "frugal" / "mmlu_pro_items.npz") as held:
        correct, chars = held["correct"], held["output_chars"].astype(np.float64)
    models = np.flatnonzero((correct > -2).all(axis=1))
    n_items = correct.shape[1]
    chance = np.random.default_rng(17)
    covered, asked, ideal = [], [], []
    for model in models:
        cost, right = chars[model], (correct[model] == 1).astype(np.float64)
        truth = cost.sum() / right.sum()
        spread = np.std(cost - truth * right, ddof=1) / right.mean() / (width * truth)
        ideal.append((1.96 * spread) ** 2 / (1 + (1.96 * spread) ** 2 / n_items))
        stops = []
        for _ in range(80):
            order = chance.permutation(n_items)
            stopped = at_stop(cost[order], right[order], width, n_items)
            assert stopped is not None
            at, found = stopped
            covered.append(abs(found.figure - truth) <= found.half_width)
            stops.append(at)
        asked.append(np.median(stops))
    assert 0.94 <= np.mean(covered) <= 0.97
    assert np.median(np.array(asked) / np.array(ideal)) == pytest.approx(1, abs=0.03)

"""Costs per correct answer of a finite task: against hand calculation, and at the moment of stopping."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from joulemark.metrics.finite_ratio import Units, estimate


def test_a_mean_by_hand() -> None:
    # 1 … 20: mean 10.5, s = sqrt(35); 20 of 100 asked, t(19) = 2.0930
    units = Units(np.arange(1.0, 21.0), np.ones(20), 20)
    found = estimate(units, 100)
    assert found is not None
    assert found.figure == 10.5
    assert found.half_width == pytest.approx(2.0930 * np.sqrt(35 / 20 * 0.8), rel=1e-3)
    of_any = estimate(units, None)
    assert of_any is not None
    assert of_any.half_width == pytest.approx(found.half_width / np.sqrt(0.8))


def test_nothing_is_uncertain_once_all_were_asked() -> None:
    found = estimate(Units(np.arange(1.0, 21.0), np.ones(20), 20), 20)
    assert found is not None
    assert found.half_width == 0


def test_too_few_units_or_no_correct_answer_tell_nothing() -> None:
    assert estimate(Units(np.ones(9), np.ones(9), 900), 1000) is None
    assert estimate(Units(np.ones(30), np.zeros(30), 30), 1000) is None


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
    n = np.arange(30, n_items + 1, 10)
    covered, asked, ideal = [], [], []
    for model in models:
        cost, right = chars[model], (correct[model] == 1).astype(np.float64)
        truth = cost.sum() / right.sum()
        spread = np.std(cost - truth * right, ddof=1) / right.mean() / (width * truth)
        ideal.append((1.96 * spread) ** 2 / (1 + (1.96 * spread) ** 2 / n_items))
        stops = []
        for _ in range(80):
            order = chance.permutation(n_items)
            c, y = cost[order], right[order]
            sc, sy, cc, cy = (np.cumsum(x)[n - 1] for x in (c, y, c * c, c * y))
            ratio = sc / np.maximum(sy, 1)
            error = (cc - 2 * ratio * cy + ratio**2 * sy) * n / (n - 1)
            half = 1.97 * np.sqrt(np.maximum(error, 0) * (1 - n / n_items)) / np.maximum(sy, 1)
            at = int(n[np.argmax((half <= width * ratio) & (sy > 0))])
            found = estimate(Units(c[:at], y[:at], at), n_items)
            assert found is not None
            assert found.half_width == pytest.approx(width * found.figure, rel=0.1)
            covered.append(abs(found.figure - truth) <= found.half_width)
            stops.append(at)
        asked.append(np.median(stops))
    assert 0.94 <= np.mean(covered) <= 0.97
    assert np.median(np.array(asked) / np.array(ideal)) == pytest.approx(1, abs=0.03)

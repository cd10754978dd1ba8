"""All pairs of the 26 models with every item of MMLU-Pro, in the order in which `bench run` would ask."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from joulemark.frugal.paired.decision import Decider
from joulemark.frugal.paired.gather import read_models
from joulemark.frugal.paired.pairing import Paired
from joulemark.frugal.paired.ranking import rank
from joulemark.frugal.paired.ranks import Settled


@pytest.fixture(scope="module")
def models(data_dir: Path) -> Paired:
    path = data_dir / "frugal" / "mmlu_pro_items.npz"
    if not path.exists():
        pytest.skip(f"{path} is not there; set JOULEMARK_DATA")
    both, without = read_models([path])
    assert both.values.shape == (26, 12_032)
    assert len(without) == 3
    return both


def test_most_pairs_need_less_than_a_twentieth_of_the_items_and_none_is_wrong(models: Paired) -> None:
    n_items, early, ties = models.values.shape[1], 0, []
    for first in range(26):
        for second in range(first + 1, 26):
            x = models.values[second] - models.values[first]
            found = Decider(n_items).feed(x)
            if found is None:
                assert 0.01 < abs(x.mean()) < 0.02
                continue
            if found.kind == "tie":
                assert abs(x.mean()) <= 0.01
                ties.append(found.n / n_items)
                continue
            assert (found.winner == "B") == (x.mean() > 0)
            early += found.n < 0.05 * n_items
    assert early >= 325 * 0.7
    # the finite number of items helps: bets as if they never ended would find next to no tie before the end
    assert len(ties) >= 12
    assert np.median(ties) < 0.85


@pytest.mark.parametrize("control", ["family", "fdr", "none"])
def test_the_ranking_of_all(models: Paired, control: str) -> None:
    ranking = rank(models.values, control=control)  # type: ignore[arg-type]
    assert len(ranking.kind) == 325
    assert ranking.contradicted() == 0
    least = {"family": 0.5, "fdr": 0.6, "none": 0.7}[control]
    early = (ranking.kind == Settled.ORDER) & (ranking.n < 0.05 * ranking.n_items)
    assert early.mean() >= least
    true_rank = 1 + (ranking.values.mean(axis=1)[:, None] < ranking.values.mean(axis=1)).sum(axis=1)
    for (best, worst), at in zip(ranking.ranges(), true_rank, strict=True):
        assert best <= at <= worst
    assert len(ranking.groups()) >= 7
    spent, full = ranking.spent()
    assert spent < full == 26 * 12_032
    assert ranking.n_of().max() <= ranking.n_items
    assert np.median(ranking.n) < 600

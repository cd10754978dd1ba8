"""Ranks against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from joulemark.metrics.average_ranks import average_ranks


@pytest.mark.parametrize("places", [0, 1, 6])
def test_equal_values_share_their_ranks(places: int) -> None:
    values = np.round(np.random.default_rng(places).normal(size=200), places)
    ranks, ties = average_ranks(values)
    assert ranks.tolist() == stats.rankdata(values).tolist()
    assert 1 - ties / (200**3 - 200) == pytest.approx(stats.tiecorrect(ranks))

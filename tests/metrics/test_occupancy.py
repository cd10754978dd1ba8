import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.metrics.occupancy import Occupancy

INTERVALS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=12)


def of(intervals):
    return Occupancy.of_intervals((a for a, _ in intervals), (b for _, b in intervals))


@given(INTERVALS, st.lists(st.integers(-5, 70), min_size=2, max_size=8, unique=True))
@settings(deadline=None)
def test_it_counts_what_holds_an_instant_and_means_are_areas(intervals, instants):
    curve = of(intervals)
    edges = np.array(sorted(instants), np.int64)
    at = [sum(a <= t < b for a, b in intervals) for t in edges.tolist()]
    assert curve.at(edges).tolist() == at
    areas = [
        sum(sum(a <= t < b for a, b in intervals) for t in range(t0, t1))
        for t0, t1 in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    assert curve.means(edges) * np.diff(edges) == pytest.approx(areas, abs=1e-6)


def test_median_and_share_are_over_time_not_over_steps():
    curve = of([(0, 100), (10, 11), (20, 21), (50, 90)])
    assert curve.median(0, 100) == 1
    assert curve.median(50, 90) == 2
    assert curve.share_at_least(2, 0, 100) == pytest.approx(0.42)
    assert curve.first_at_least(2) == 10
    assert curve.first_at_least(3) is None


def test_nothing_is_nobody():
    curve = of([(5, 5), (9, 3)])
    assert curve.at(np.array([0, 5, 9], np.int64)).tolist() == [0, 0, 0]
    assert curve.median(4, 4) == 0
    assert Occupancy.of_intervals([], []).means(np.array([0, 10], np.int64)).tolist() == [0]

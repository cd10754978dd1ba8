import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.report.buckets import MAX_POINTS, thin

values = st.lists(st.one_of(st.floats(0, 500), st.just(float("nan"))), min_size=1, max_size=400)


@settings(max_examples=200)
@given(values, st.integers(3, 60), st.integers(0, 2**32 - 1))
def test_few_points_keep_every_peak_and_gap(power, budget, seed):
    steps = np.random.default_rng(seed).integers(0, 10**9, len(power))
    t, y = np.cumsum(steps).astype(np.int64), np.array(power)
    kept = thin(t, y, budget)
    assert len(kept) <= max(budget, 3)
    assert np.all(np.diff(kept) > 0)
    if not np.all(np.isnan(y)):
        assert np.nanmax(y[kept]) == np.nanmax(y)
        assert np.nanmin(y[kept]) == np.nanmin(y)
    assert np.isnan(y[kept]).any() == np.isnan(y).any()


def test_a_day_at_five_hertz_fits():
    t = np.arange(0, 86_400 * 10**9, 200_000_000, dtype=np.int64)
    y = 100 + 50 * np.sin(t / 1e12)
    y[1000] = 700.0
    kept = thin(t, y)
    assert 1000 < len(kept) <= MAX_POINTS
    assert 1000 in kept


def test_a_short_series_is_left_alone():
    assert thin(np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0])).tolist() == [0, 1, 2]

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.record.percentile import percentile


def test_nearest_rank_percentiles():
    values = [float(k) for k in range(1, 21)]
    assert [percentile(values, p) for p in (50, 90, 95, 99)] == [10.0, 18.0, 19.0, 20.0]
    # 20 answered and 20 failed: the 50th is the last answered one, all above are infinite
    assert percentile(values, 50, n_failed=20) == 20.0
    assert math.isinf(percentile(values, 90, n_failed=20))
    assert percentile([3.0], 99) == 3.0
    for bad in (([], 50), ([1.0], 0), ([1.0], 101)):
        with pytest.raises(ValueError, match="percentile"):
            percentile(*bad)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200), st.sampled_from([50, 90, 95, 99]))
def test_a_percentile_is_observed_and_leaves_enough_below(values, percent):
    ascending = sorted(values)
    found = percentile(ascending, percent)
    assert found in values
    assert sum(v <= found for v in values) * 100 >= percent * len(values)
    assert sum(v < found for v in values) * 100 < percent * len(values)


def test_the_99th_of_a_hundred_is_not_the_largest():
    assert percentile([float(k) for k in range(1, 101)], 99) == 99.0
    assert percentile([float(k) for k in range(1, 101)], 100) == 100.0

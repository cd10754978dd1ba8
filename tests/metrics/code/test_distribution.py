import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.metrics.code.distribution import LARGEST, N_BUCKETS, bucket_of, distribution


@given(st.floats(1e-6, 1e6))
def test_a_ratio_lies_between_the_edges_of_its_bucket(ratio):
    edges = distribution([]).edges
    k = bucket_of(ratio)
    assert k == 0 or ratio >= edges[k] * (1 - 1e-12)
    assert k == N_BUCKETS - 1 or ratio < edges[k + 1] * (1 + 1e-12)
    assert (k < N_BUCKETS // 2) == (ratio < 1)


@given(st.lists(st.floats(1e-3, 1e3), max_size=40), st.integers(0, 5))
def test_every_ratio_is_in_one_bucket(ratios, n_limited):
    found = distribution(ratios, n_at_least=n_limited)
    assert len(found.counts) == 100
    assert sum(found.counts) == len(ratios)
    assert found.n == len(ratios) + n_limited
    assert found.n_faster == sum(ratio < 1 for ratio in ratios)


def test_the_outer_buckets_are_open_and_one_is_an_edge():
    assert bucket_of(1e-9) == 0
    assert bucket_of(LARGEST * 100) == 99
    assert (bucket_of(1 - 1e-12), bucket_of(1.0)) == (49, 50)
    edges = distribution([]).edges
    assert len(edges) == 101
    assert edges[50] == 1.0
    assert edges[-1] == LARGEST


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan")])
def test_what_is_no_ratio_is_refused(ratio):
    with pytest.raises(ValueError, match="no ratio"):
        bucket_of(ratio)

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.metrics.bootstrap import (
    RESAMPLES,
    ratio_interval,
    resampled_medians,
    resampled_sums,
    small_sample_tail,
    sum_by_cluster,
)
from joulemark.record.reason import Reason

ENERGY_J = [12.0, 30.5, 7.25, 18.0, 44.0, 9.5, 21.0, 15.75, 28.0, 11.0, 19.5, 33.0]
CORRECT = [1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0]


def test_the_interval_is_the_same_on_every_platform():
    interval = ratio_interval(ENERGY_J, CORRECT)
    assert (interval.lo, interval.hi) == (18.15, 83.37812499999995)
    assert ratio_interval(ENERGY_J, CORRECT, seed=1) != interval


def test_the_interval_agrees_with_a_plain_bootstrap():
    rng = np.random.default_rng(5)
    index = rng.integers(0, 12, (40_000, 12))
    energy, correct = np.array(ENERGY_J)[index].sum(1), np.array(CORRECT)[index].sum(1)
    lo, hi = np.quantile(energy[correct > 0] / correct[correct > 0], (0.025, 0.975))
    interval = ratio_interval(ENERGY_J, CORRECT)
    assert interval.lo == pytest.approx(lo, rel=0.02)
    assert interval.hi == pytest.approx(hi, rel=0.03)


def test_resampled_sums_are_sums_of_whole_rows():
    # the second column is twice the first: drawn jointly, every pair of sums keeps the ratio
    one = np.arange(1.0, 21.0)
    a, b = resampled_sums((one, 2 * one))
    assert len(a) == RESAMPLES
    assert np.array_equal(2 * a, b)
    assert a.mean() == pytest.approx(one.sum(), rel=0.01)
    # the standard deviation of a sum of n draws is sqrt(n) times the population's
    assert a.std() == pytest.approx(one.std() * np.sqrt(20), rel=0.03)


rows = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-1e6, 1e6), min_size=n, max_size=n),
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(0, 4096), min_size=n, max_size=n),
        st.lists(st.integers(0, 10**9), min_size=n, max_size=n),
    )
)


@settings(max_examples=60, deadline=None)
@given(rows)
def test_columns_that_share_a_word_do_not_touch_each_other(values):
    columns = [np.array(column, np.float64) for column in values]
    together = resampled_sums(columns, resamples=50)
    for column, sums in zip(columns, together, strict=True):
        (alone,) = resampled_sums([column], resamples=50)
        largest = np.abs(column).max()
        assert np.abs(sums - alone).max() <= largest * len(column) ** 2 * 2.0**-40
    # whole numbers come back whole
    for sums in together[1:]:
        assert np.array_equal(sums, np.rint(sums))


@pytest.mark.parametrize("n", [7, 8, 131])
def test_every_row_is_drawn_equally_often(n):
    counts = np.array(resampled_sums(list(np.eye(n)), resamples=20_000))
    assert np.all(counts.sum(axis=0) == n)
    # each row: binomial, n draws with chance 1/n in each of 20,000 resamples
    spread = np.sqrt(20_000 * (1 - 1 / n))
    assert np.abs(counts.sum(axis=1) - 20_000).max() < 4.5 * spread
    # and two neighbours, which may come from the same word, are no more alike than any two rows
    assert np.corrcoef(counts[0], counts[1])[0, 1] == pytest.approx(-1 / (n - 1), abs=0.03)


def test_medians_use_the_draws_of_the_sums():
    values = np.array(ENERGY_J)
    a, b = resampled_medians((values, 2 * values))
    assert np.array_equal(2 * a, b)
    assert set(a) <= set(ENERGY_J)
    # of a 0/1 column the nearest-rank median is 1 exactly when more than half are
    ones = np.array(CORRECT, np.float64)
    (medians,), (sums,) = resampled_medians((ones,)), resampled_sums((ones,))
    assert np.array_equal(medians == 1, sums > 6)


def test_blocks_do_not_change_the_draws(monkeypatch):
    whole = ratio_interval(ENERGY_J, CORRECT)
    odd = ratio_interval(ENERGY_J[:11], CORRECT[:11])
    for draws in (1, 100):
        monkeypatch.setattr("joulemark.metrics.bootstrap._DRAWS_PER_BLOCK", draws)
        assert ratio_interval(ENERGY_J, CORRECT) == whole
        assert ratio_interval(ENERGY_J[:11], CORRECT[:11]) == odd


energies = st.lists(st.floats(0.1, 1e4), min_size=10, max_size=40)


@settings(max_examples=40)
@given(energies, st.floats(1e-3, 1e3))
def test_scaling_energies_scales_the_interval(values, factor):
    correct = [k % 2 for k in range(len(values))]
    plain = ratio_interval(values, correct, resamples=400)
    scaled = ratio_interval([v * factor for v in values], correct, resamples=400)
    assert plain.lo is not None
    assert scaled.lo == pytest.approx(plain.lo * factor, rel=1e-9)
    assert scaled.hi == pytest.approx(plain.hi * factor, rel=1e-9)


@settings(max_examples=30)
@given(st.permutations(range(12)))
def test_the_order_of_items_matters_no_more_than_the_seed(order):
    shuffled = ratio_interval([ENERGY_J[k] for k in order], [CORRECT[k] for k in order])
    plain = ratio_interval(ENERGY_J, CORRECT)
    assert shuffled.lo == pytest.approx(plain.lo, rel=0.03)
    assert shuffled.hi == pytest.approx(plain.hi, rel=0.2)  # of twelve items, a tail of few distinct sums


@settings(max_examples=40)
@given(energies)
def test_the_interval_holds_the_point(values):
    correct = [k % 2 for k in range(len(values))]
    interval = ratio_interval(values, correct)
    assert interval.lo <= sum(values) / sum(correct) <= interval.hi


def test_equal_items_have_an_interval_of_no_width():
    interval = ratio_interval([2.5] * 12, [1] * 12)
    assert (interval.lo, interval.hi) == (2.5, 2.5)


def test_repeats_are_drawn_as_one():
    ids = [f"q{k}" for k in range(12)]
    once = ratio_interval(ENERGY_J, CORRECT, ids)
    tripled = ratio_interval(ENERGY_J * 3, CORRECT * 3, ids * 3)
    assert tripled.n == 12
    assert (tripled.lo, tripled.hi) == (pytest.approx(once.lo), pytest.approx(once.hi))
    # taken for 36 independent rows it would be much narrower
    naive = ratio_interval(ENERGY_J * 3, CORRECT * 3)
    assert naive.hi - naive.lo < 0.75 * (tripled.hi - tripled.lo)


def test_sums_by_cluster_keep_the_order_of_appearance():
    energy, correct = sum_by_cluster(["b", "a", "b"], [1.0, 2.0, 4.0], [1, 0, 1])
    assert energy.tolist() == [5.0, 2.0]
    assert correct.tolist() == [2.0, 0.0]


def test_withheld_cases():
    assert ratio_interval([1.0] * 12, [0] * 12).reason is Reason.NOTHING_CORRECT
    assert ratio_interval([1.0] * 9, [1] * 9).reason is Reason.TOO_FEW_ITEMS
    assert ratio_interval([1.0] * 10, [1] * 10).reason is None
    # one correct of 50: (1 - 1/50)**50 = 36 % of the resamples hold none
    assert ratio_interval([1.0] * 50, [1] + [0] * 49).reason is Reason.TOO_MANY_EMPTY_RESAMPLES
    # three of 50: 4.5 %, just few enough
    assert ratio_interval([1.0] * 50, [1] * 3 + [0] * 47).reason is None


def test_coverage_of_the_truth():
    """In 2,000 simulated runs of 200 items, the 95 % interval holds the true joules per correct answer."""
    replications, n = 2000, 200
    rng = np.random.default_rng(20261129)
    p_correct = 0.45
    correct = rng.random((replications, n)) < p_correct
    # wrong answers ramble: their energy has twice the mean and a heavier tail
    energy = np.where(
        correct, rng.lognormal(3.0, 0.6, (replications, n)), rng.lognormal(3.5, 0.8, (replications, n))
    )
    mean_j = p_correct * np.exp(3.0 + 0.6**2 / 2) + (1 - p_correct) * np.exp(3.5 + 0.8**2 / 2)
    truth = mean_j / p_correct
    held = 0
    for e, c in zip(energy, correct, strict=True):
        interval = ratio_interval(e, c, resamples=600)
        held += interval.lo <= truth <= interval.hi
    assert 0.93 <= held / replications <= 0.97


@pytest.mark.parametrize(("n", "tail"), [(10, 0.00855), (20, 0.01588), (200, 0.02404)])
def test_few_rows_take_percentiles_further_out(n, tail):
    # Phi(-sqrt(n / (n - 1)) t), t the 0.975 quantile of Student's t with n - 1 degrees, by hand
    assert small_sample_tail(n) == pytest.approx(tail, abs=5e-5)
    if n < len(ENERGY_J):
        wide = ratio_interval(ENERGY_J[:n], CORRECT[:n], tail=small_sample_tail(n))
        plain = ratio_interval(ENERGY_J[:n], CORRECT[:n])
        assert wide.lo < plain.lo < plain.hi < wide.hi

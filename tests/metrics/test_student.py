import pytest
from scipy import stats

from joulemark.metrics.student import t_95


@pytest.mark.parametrize("degrees", [5, 6, 7, 10, 20, 57, 1316, 100_000])
def test_the_quantile_agrees_with_scipy(degrees):
    assert t_95(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-3)


def test_it_agrees_to_five_digits_from_ten_degrees_on():
    for degrees in range(10, 200):
        assert t_95(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-5)


def test_too_few_degrees_are_refused():
    with pytest.raises(ValueError, match="4 degrees"):
        t_95(4)

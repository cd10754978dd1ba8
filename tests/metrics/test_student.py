from pathlib import Path

import pytest
from scipy import stats

import joulemark
from joulemark.metrics.student import t_95, t_95_from_one


@pytest.mark.parametrize("degrees", [5, 6, 7, 10, 20, 57, 1316, 100_000])
def test_the_quantile_agrees_with_scipy(degrees):
    assert t_95(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-3)


def test_it_agrees_to_five_digits_from_ten_degrees_on():
    for degrees in range(10, 200):
        assert t_95(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-5)


def test_too_few_degrees_are_refused():
    with pytest.raises(ValueError, match="4 degrees"):
        t_95(4)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 5, 6, 57])
def test_of_few_degrees_it_is_the_tables(degrees):
    assert t_95_from_one(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-3)
    if degrees < 5:
        assert t_95_from_one(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-4)


def test_no_degree_is_refused():
    with pytest.raises(ValueError, match="0 degrees"):
        t_95_from_one(0)


def test_it_stands_in_one_place():
    """Three tables of the same four numbers were in use; a mend of one did not reach the others."""
    every = Path(joulemark.__file__).parent.rglob("*.py")
    holders = [path.name for path in every if "12.706" in path.read_text(encoding="utf-8")]
    assert holders == ["student.py"]

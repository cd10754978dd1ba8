"""Whether a machine had the same speed at two evaluations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.metrics.code.machine_speed import Speeds, speeds

TIMES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(1e-3, 10), max_size=8)


@given(TIMES, TIMES)
def test_both_are_brought_to_the_speed_between_them(first, second):
    found = speeds(first, second)
    assert set(found.logs) == set(first) & set(second)
    for problem in found.logs:
        there, here = found.factors(problem)
        between = math.sqrt(first[problem] * second[problem])
        assert first[problem] * there == pytest.approx(between)
        assert second[problem] * here == pytest.approx(between)
    assert found.either_way >= 1
    assert found.slower * speeds(second, first).slower == pytest.approx(1)


def test_a_problem_of_one_evaluation_is_as_it_was():
    assert Speeds({}).factors("p") == (1.0, 1.0)
    assert Speeds({}).slower == 1.0
    assert not Speeds({}).differ(None)


@pytest.mark.parametrize(
    ("slower", "band", "differ"),
    [(1.04, None, False), (1.1, None, True), (1.1, 0.15, False), (0.9, 0.02, True)],
)
def test_what_lies_beyond_the_band_differs(slower, band, differ):
    assert Speeds({f"p{k}": math.log(slower) for k in range(12)}).differ(band) is differ


def test_references_that_scatter_do_not_say_that_the_machine_was_slower():
    """Medians of four runs on a machine of two speeds: a tenth off by chance."""
    rng = np.random.default_rng(1)
    told = [
        Speeds({f"p{k}": x for k, x in enumerate(rng.normal(0, 0.36, 10))}).differ(0.03) for _ in range(400)
    ]
    assert np.mean(told) < 0.07
    assert not Speeds({"a": 0.5, "b": 0.4, "c": -0.4}).differ(0.03)

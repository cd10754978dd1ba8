"""The Pareto front: weak dominance, ties, duplicates, withheld values and noise."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from doubles.points import ci, point
from joulemark.metrics.frontier import frontier, non_dominated


def _by_definition(costs: np.ndarray) -> list[bool]:
    def dominates(a: np.ndarray, b: np.ndarray) -> bool:
        return bool((a <= b).all() and (a < b).any())

    return [not any(dominates(other, row) for other in costs) for row in costs]


def _tables(axes: int):
    # few distinct numbers, so that there are ties and duplicates
    cells = st.integers(0, 4).map(float) | st.floats(-1e300, 1e300)
    return st.integers(0, 14).flatmap(lambda n: arrays(np.float64, (n, axes), elements=cells))


@settings(deadline=None, max_examples=300)
@given(st.one_of(_tables(1), _tables(2), _tables(3), _tables(4)))
def test_it_is_what_the_definition_says(costs: np.ndarray) -> None:
    assert non_dominated(costs).tolist() == _by_definition(costs)


def test_worse_in_one_and_equal_in_the_other_is_dominated() -> None:
    costs = np.array([[1.0, 5.0], [1.0, 6.0], [2.0, 5.0], [2.0, 4.0]])
    assert non_dominated(costs).tolist() == [True, False, False, True]


def test_duplicates_stay_together() -> None:
    costs = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 2.0]])
    assert non_dominated(costs).tolist() == [True, True, True, False]


def test_two_axes_take_no_square_of_the_points() -> None:
    x = np.linspace(1, 2, 200_000)
    costs = np.c_[x, 1 / x]  # all of them on the front, which is the worst case
    began = time.perf_counter()
    assert non_dominated(costs).all()
    assert time.perf_counter() - began < 5


def test_the_front_runs_from_the_fastest_to_the_least_energy() -> None:
    points = [point(50, 0.2), point(100, 0.05), point(70, 0.1), point(90, 0.1), point(50, 0.3)]
    found = frontier(points, ("tpot_mean", "energy_j"))
    assert found.on == (1, 2, 0)
    assert [p.energy_j.value for p in found.front] == [100, 70, 50]


def test_a_withheld_value_never_enters() -> None:
    points = [point(50, None), point(None, 0.01), point(70, 0.1)]
    found = frontier(points, ("tpot_mean", "energy_j"))
    assert found.on == (2,)
    assert found.left_out == ((0, "tpot_mean"), (1, "energy_j"))


def test_of_quality_more_is_better() -> None:
    points = [point(50, accuracy=0.5), point(60, accuracy=0.7), point(70, accuracy=0.6)]
    assert frontier(points, ("energy_j", "accuracy")).on == (0, 1)


def test_three_axes() -> None:
    points = [
        point(50, 0.2, accuracy=0.5),
        point(50, 0.2, accuracy=0.6),
        point(80, 0.1, accuracy=0.4),
        point(90, 0.1, accuracy=0.4),
    ]
    assert sorted(frontier(points, ("tpot_mean", "energy_j", "accuracy")).on) == [1, 2]


def test_a_point_within_noise_of_the_front_is_marked() -> None:
    points = [
        point(ci(50, 4), 0.10),
        point(ci(52, 4), 0.12),  # dominated, but by less than the noise of energy
        point(ci(70, 4), 0.12),  # dominated for certain
        point(52.0, 0.12),  # no interval of its own: taken as it stands
    ]
    found = frontier(points, ("tpot_mean", "energy_j"))
    assert found.on == (0,)
    assert found.tied == (1,)


def test_one_that_is_surely_beaten_by_another_front_point_is_not_tied() -> None:
    points = [point(ci(50, 4), 0.10), point(ci(52, 4), 0.12), point(ci(20, 1), 0.11)]
    found = frontier(points, ("tpot_mean", "energy_j"))
    assert found.on == (0, 2)
    assert found.tied == ()


@pytest.mark.parametrize("axes", [("energy_j",), ("energy_j", "energy_j")])
def test_two_figures_are_needed(axes: tuple[str, ...]) -> None:
    with pytest.raises(ValueError):
        frontier([point()], axes)


def test_an_unknown_figure_is_an_error() -> None:
    with pytest.raises(KeyError):
        frontier([point()], ("energy_j", "speed"))


def test_nothing_gives_nothing() -> None:
    assert frontier([], ("tpot_mean", "energy_j")).on == ()

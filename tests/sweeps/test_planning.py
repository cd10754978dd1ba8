"""Which points of a grid a sweep will measure, and why not the others."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from joulemark.engines.launch.launched import LaunchOptions
from joulemark.record.errors import InputError
from joulemark.sweeps.grid import Grid
from joulemark.sweeps.planning import plan_sweep
from joulemark.sweeps.point import SweepPoint
from joulemark.sweeps.setting import BadOption


@dataclass
class TellingBench:
    """Has a point for every load but those in ``impossible``, and reads no option of those in ``bad``."""

    launching: LaunchOptions
    impossible: frozenset[int] = frozenset()
    bad: frozenset[int] = frozenset()
    alike: bool = False

    def line(self, point: SweepPoint) -> str:
        return f"joulemark load --concurrency {point.load['concurrency']}"

    def identity(self, point: SweepPoint) -> dict[str, object]:
        level = point.load["concurrency"]
        if level in self.bad:
            raise BadOption(f"--concurrency {level} cannot be")
        if level in self.impossible:
            raise InputError("no such load", why=f"of {level}")
        return {"load": None if self.alike else level}


def bench(
    *, impossible: tuple[int, ...] = (), bad: tuple[int, ...] = (), alike: bool = False
) -> TellingBench:
    return TellingBench(LaunchOptions(), frozenset(impossible), frozenset(bad), alike)


GRID = Grid({"concurrency": (4, 1, 2)}, {"board": (0, 1), "zone": "DE"})


def test_points_are_in_order_with_their_lines_and_what_costs_nothing_is_no_base() -> None:
    plan = plan_sweep(GRID, bench())
    assert [point.level for point in plan.points] == [("concurrency", float(n)) for n in (1, 2, 4)]
    assert [line.split()[-1] for line in plan.commands] == ["1", "2", "4"]
    assert plan.base == {"engine": "embedded", "board": [0, 1]}
    assert plan.boards == (0, 1)
    assert {point.launch.max_batch for point in plan.points} == {4}  # one engine serves them all


def test_a_point_that_cannot_be_is_skipped_and_one_with_a_bad_option_ends_it() -> None:
    plan = plan_sweep(GRID, bench(impossible=(2,)))
    assert [point.skipped for point in plan.points] == ["", "no such load: of 2", ""]
    assert plan.commands[1] == ""
    with pytest.raises(BadOption):
        plan_sweep(GRID, bench(bad=(2,)))


def test_nothing_to_measure_tells_the_first_reason_and_two_alike_are_refused() -> None:
    with pytest.raises(InputError, match="no such load"):
        plan_sweep(GRID, bench(impossible=(1, 2, 4)))
    with pytest.raises(InputError, match="not one point") as none:
        plan_sweep(GRID.with_skip("all of them", "concurrency > 0"), bench())
    assert none.value.why == "all of them"
    same = Grid({"variant": ("a b", "a-b")}, {"concurrency": 1})
    assert len(plan_sweep(Grid({"variant": ("a b", "c")}, {"concurrency": 1}), bench(alike=True)).points) == 2
    with pytest.raises(InputError, match="two points are the same run"):
        plan_sweep(same, bench(alike=True))

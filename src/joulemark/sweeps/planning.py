"""From a grid to what a sweep will do: its points named, in order, and those that cannot be left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from joulemark.engines.launch.launched import LaunchOptions
from joulemark.engines.launch.registry import EMBEDDED
from joulemark.load.chosen import SLOTS
from joulemark.record.errors import InputError
from joulemark.sweeps.grid import Cell, Grid, cell_text
from joulemark.sweeps.plan import SweepPlan
from joulemark.sweeps.point import SweepPoint, in_order, make_point, point_name
from joulemark.sweeps.setting import RATES, BadOption


class PlanningBench(Protocol):
    """What a front end says of points before any is measured."""

    @property
    def launching(self) -> LaunchOptions:
        """How engines are started."""
        ...

    def line(self, point: SweepPoint) -> str:
        """Return the command that would measure a point alone."""
        ...

    def identity(self, point: SweepPoint) -> dict[str, object]:
        """Return all that makes a point what it is.

        Raises `BadOption` for what no point may say, another `InputError` for a point that cannot be.
        """
        ...


def plan_sweep(grid: Grid, bench: PlanningBench, *, early_stop: bool = True) -> SweepPlan:
    """Return the points in order; raises `InputError` where not one of them can be measured."""
    cells = list(grid.cells())
    slots = _embedded_slots(cells)
    made: list[SweepPoint] = []
    refused: InputError | None = None
    for cell in cells:
        point = make_point(cell, bench.launching, slots=slots)
        if not point.skipped:
            try:
                point = replace(point, name=point_name(point.values, bench.identity(point)))
            except BadOption:
                raise
            except InputError as error:
                refused = refused or error
                point = replace(point, skipped=f"{error.what}: {error.why}".rstrip(": "))
        made.append(point)
    if all(point.skipped for point in made):
        if refused is not None:
            raise refused
        why = "; ".join(dict.fromkeys(point.skipped for point in made))
        raise InputError("not one point of the grid can be measured", why=why)
    _require_names(made)
    points = in_order(made)
    boards = {int(b) for point in points for b in _several(point.load.get("board"))}
    return SweepPlan(
        axes={name: list(values) for name, values in grid.axes.items()},
        base={
            **({} if "engine" in grid.axes else {"engine": EMBEDDED}),
            **{
                name: list(value) if isinstance(value, tuple) else value
                for name, value in sorted(grid.base.items())
                if name not in RATES
            },
        },
        skip={reason: rule.text for reason, rule in grid.skip.items()},
        points=tuple(points),
        commands=tuple("" if point.skipped else bench.line(point) for point in points),
        title=grid.title,
        boards=tuple(sorted(boards)),
        early_stop=early_stop,
    )


def _embedded_slots(cells: Sequence[Cell]) -> int:
    """Return how many requests the embedded engine is to work on at once: one engine for every load."""
    wanted = [
        cell.settings.get("concurrency") or SLOTS
        for cell in cells
        if not cell.skipped and cell.settings.get("engine") == EMBEDDED
    ]
    return max((int(n) for n in wanted if isinstance(n, int)), default=SLOTS)


def _require_names(points: Sequence[SweepPoint]) -> None:
    """Raise `InputError` where two combinations come to the same run."""
    names: dict[str, SweepPoint] = {}
    for point in points:
        if point.skipped:
            continue
        if point.name in names:
            raise InputError(f"two points are the same run: {cell_text(point.values)}")
        names[point.name] = point


def _several(value: object) -> Sequence[Any]:
    return () if value is None else value if isinstance(value, tuple) else (value,)

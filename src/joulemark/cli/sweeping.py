"""From the options of ``sweep`` to points, their runs and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from joulemark.calibration.restore import leftover
from joulemark.cli.measuring import INTERRUPTED
from joulemark.cli.sweep_bench import RATES
from joulemark.cli.sweep_benches import Benches
from joulemark.cli.sweep_grid import grid_of
from joulemark.cli.sweep_options import BadOption, setting_names
from joulemark.cli.sweep_progress import SweepTerminal
from joulemark.engines.launch.launched import LaunchOptions
from joulemark.engines.launch.program import split_command
from joulemark.engines.launch.registry import EMBEDDED
from joulemark.load.chosen import SLOTS
from joulemark.record.errors import InputError
from joulemark.record.identity import config_hash
from joulemark.runs.executor import LocalExecutor
from joulemark.runs.plan import DEFAULT_RUNS
from joulemark.sweeps.grid import Cell, Grid, cell_text
from joulemark.sweeps.journal import SweepJournal
from joulemark.sweeps.plan import SweepPlan
from joulemark.sweeps.point import SweepPoint, in_order, make_point, point_name
from joulemark.sweeps.sweep import sweep as carry_out


def make_sweep(arguments: Sequence[str], options: Mapping[str, Any]) -> int:
    """Carry out what the command says; returns the exit code. Raises `InputError`."""
    from joulemark.cli.sweep_report import print_plan, report_sweep

    if (left := leftover()) is not None:
        click.echo(f"! {left}", err=True)
    grid = grid_of(arguments, options)
    grid.require_sound(setting_names())
    bench = Benches(_launch_options(options), options["start_timeout_s"])
    plan = _sweep_plan(grid, bench, early_stop=not options["no_early_stop"])
    root = options["out"] or DEFAULT_RUNS / f"sweep-{config_hash(dict(plan.base))[:8]}"
    if options["dry_run"]:
        print_plan(plan, root, as_json=options["as_json"])
        return 0
    with SweepTerminal() as observer:
        bench.at(root, observer)
        outcome = carry_out(plan, SweepJournal(root), bench, LocalExecutor(), observer)
    report_sweep(root, as_json=options["as_json"])
    if outcome.interrupted:
        click.echo("interrupted: the same command goes on from here", err=True)
    if any(record.state in ("done", "partial") for record in outcome.record.points if record.in_grid):
        return 0
    return INTERRUPTED if outcome.interrupted else 1


def _launch_options(options: Mapping[str, Any]) -> LaunchOptions:
    server, router = options["server_command"], options["router_command"]
    launching = LaunchOptions(
        program=None if server is None else split_command(server, "--server-command"),
        router=None if router is None else split_command(router, "--router-command"),
    )
    deadline_s = options["start_timeout_s"]
    return launching if deadline_s is None else replace(launching, start_deadline_s=deadline_s)


def _sweep_plan(grid: Grid, bench: Benches, *, early_stop: bool) -> SweepPlan:
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

"""From the options of ``sweep`` to a grid and a bench, and what is said of the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from joulemark.calibration.restore import leftover
from joulemark.cli.measuring import INTERRUPTED
from joulemark.cli.sweep_benches import Benches
from joulemark.cli.sweep_grid import grid_of
from joulemark.cli.sweep_options import setting_names
from joulemark.cli.sweep_progress import SweepTerminal
from joulemark.engines.launch.launched import LaunchOptions
from joulemark.engines.launch.program import split_command
from joulemark.record.identity import config_hash
from joulemark.runs.executor import LocalExecutor
from joulemark.runs.plan import DEFAULT_RUNS
from joulemark.sweeps.journal import SweepJournal
from joulemark.sweeps.planning import plan_sweep
from joulemark.sweeps.sweep import sweep as carry_out


def make_sweep(arguments: Sequence[str], options: Mapping[str, Any]) -> int:
    """Carry out what the command says; returns the exit code. Raises `InputError`."""
    from joulemark.cli.sweep_report import print_plan, report_sweep

    if (left := leftover()) is not None:
        click.echo(f"! {left}", err=True)
    grid = grid_of(arguments, options)
    grid.require_sound(setting_names())
    bench = Benches(_launch_options(options), options["start_timeout_s"])
    plan = plan_sweep(grid, bench, early_stop=not options["no_early_stop"])
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

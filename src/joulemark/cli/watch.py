"""``joulemark watch``: live power of each part of the machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from joulemark.cli.options import FiniteRange, meters_option
from joulemark.cli.waiting import say_where_seen

if TYPE_CHECKING:
    from joulemark.live.meter_set import MeterSet
    from joulemark.live.watching import Look


@click.command()
@meters_option
@click.option(
    "--interval", "interval_s", type=FiniteRange(0.1, 3600), default=1.0, help="Seconds between looks."
)
@click.option("--count", type=click.IntRange(1), help="End after so many looks (default: at Ctrl-C).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line and look.")
def watch(meters: tuple[str, ...], interval_s: float, count: int | None, as_json: bool) -> None:
    """Show what each meter draws now, and its joules since the start with their bound.

    In a terminal a table, else a line a look. Each meter is tested first, which takes some seconds. Scopes
    overlap: what stands further in is part of what stands above it. Exit code 1 where no meter answers.
    """
    from rich.console import Console

    from joulemark.live.meter_set import MeterSet
    from joulemark.report.absent import absent_lines

    console = Console()
    with MeterSet.open(meters, progress=say_where_seen()) as meter_set:
        for line in absent_lines(meter_set.absent, works=bool(meter_set.sources)):
            click.echo(line, err=True)
        if not meter_set.sources:
            click.echo("no meter answers: `joulemark doctor` says how to get one", err=True)
            sys.exit(1)
        try:
            if as_json or not console.is_terminal:
                _lines(_looks(meter_set, interval_s, count), as_json=as_json)
            else:
                _table(console, _looks(meter_set, interval_s, count))
        except KeyboardInterrupt:
            pass  # how a watch ends
    sys.exit(0)


def _looks(meters: MeterSet, interval_s: float, count: int | None) -> Iterator[Look]:
    """Yield a look every ``interval_s``, ``count`` of them or without end."""
    from joulemark.live.watching import Watch

    seen = Watch(meters)
    due_s, n = time.monotonic(), 0
    while count is None or n < count:
        due_s = max(due_s + interval_s, time.monotonic())
        time.sleep(max(0.0, due_s - time.monotonic()))
        n += 1
        yield seen.look()


def _lines(looks: Iterator[Look], *, as_json: bool) -> None:
    import orjson

    from joulemark.report.live_power import live_line

    for look in looks:
        click.echo(orjson.dumps(look.to_json()).decode() if as_json else live_line(look))


def _table(console: object, looks: Iterator[Look]) -> None:
    from rich.console import Console
    from rich.live import Live

    from joulemark.report.live_power import live_table

    assert isinstance(console, Console)
    with Live(console=console, auto_refresh=False, vertical_overflow="visible") as live:
        for look in looks:
            live.update(live_table(look), refresh=True)

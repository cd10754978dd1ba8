"""A simulated plan in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from joulemark.metrics.value import Value
from joulemark.report.frontier_words import leads, limit_lines
from joulemark.report.wording import DASH
from joulemark.simulate.plan import SIMULATED
from joulemark.sweeps.set_ups import Planned, PlannedSetUp

_ROWS = 12
_REASONS = 5


def print_plan(made: Planned, console: Console, *, show_all: bool = False) -> None:
    """Print what to run and the table of set-ups; the best and why others fail, or ``show_all``."""
    wanted, found = made.wanted, made.found
    console.print(
        Text(
            f"{wanted.model.name} on up to {wanted.gpus} × {wanted.gpu.name}, {wanted.rate:g} requests/s of "
            f"{wanted.prompt_tokens} → {wanted.output_tokens} tokens",
            style="bold",
        )
    )
    console.print(Text(SIMULATED, style="yellow"))
    for sentence in leads(found) if found.ranked else ["No set-up that was tried keeps up with the load."]:
        console.print(Text(sentence, style="bold green" if found.pick else "bold red"))
    for line in limit_lines(found):
        console.print(Text(f"  {line}", style="dim"))
    served = [one for one in made.set_ups if one.row.figures is not None]
    slow = [one for one in made.set_ups if one.row.figures is None]
    shown = served if show_all else served[:_ROWS]
    if shown:
        console.print()
        console.print(_table(shown))
        console.print(
            Text(
                "  mean latencies; W of all GPUs in use; most/s: the most it serves; beyond: a limit",
                style="dim",
            )
        )
    if len(shown) < len(served):
        console.print(Text(f"  and {len(served) - len(shown)} more that keep up: --all", style="dim"))
    if slow:
        console.print(Text(f"\nDo not keep up: {len(slow)}", style="bold"))
        for one in slow if show_all else slow[:_REASONS]:
            console.print(Text(f"  {one.point.label}: {one.row.why}"))


def _table(set_ups: Sequence[PlannedSetUp]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("set-up", "GPUs", "J/req", "TPOT ms", "TTFT ms", "W", "most/s", ""):
        table.add_column(name, justify="left" if name == "set-up" else "right", no_wrap=True)
    for one in set_ups:
        point = one.point
        table.add_row(
            point.label,
            str(point.n_devices),
            _three(point.energy_j),
            _three(point.latencies_s["tpot_mean"], 1e3),
            _three(point.latencies_s["ttft_mean"], 1e3),
            _three(point.mean_power_w),
            _three(Value(one.row.capacity, "1/s")),
            "" if one.met else "beyond",
            style="" if one.met else "dim",
        )
    return table


def _three(value: Value, factor: float = 1.0) -> str:
    """Return a figure with three digits that count; a dash for one that is not known."""
    if value.value is None:
        return DASH
    scaled = value.value * factor
    digits = 2 if abs(scaled) < 10 else 1 if abs(scaled) < 100 else 0
    return f"{scaled:,.{digits}f}"

"""A calibration on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.calibration.document import Calibration
from joulemark.calibration.store import Held
from joulemark.record.manifest import Rates
from joulemark.report.calibration_words import (
    cap_rows,
    flag_lines,
    idle_rows,
    load_rows,
    made,
    missing_lines,
    standby_figures,
    standby_lines,
    title,
    wall_line,
)
from joulemark.report.wording import DASH, printable


def print_calibration(calibration: Calibration, rates: Rates, console: Console) -> None:
    """Print what was found; each part that is missing says why below."""
    console.print(Text(f"\n{title(calibration)}", style="bold"))
    console.print(Text(made(calibration), style="dim"))
    for flag in flag_lines(calibration):
        console.print(Text(f"! {flag}", style="bold red"))
    rows = [
        (r.source, r.scope, r.empty.text, r.loaded.text, r.difference.text) for r in idle_rows(calibration)
    ]
    _table(console, ("Idle", "scope", "nothing loaded", "model resident", "difference"), rows)
    lines = standby_lines(standby_figures(calibration, rates))
    for line in lines:
        console.print(Text(line))
    loads = [(r.name, r.busy, r.power.text, r.tokens.text) for r in load_rows(calibration)]
    _table(console, ("Load", "busy", "power", "tokens/s"), loads)
    caps = [(r.name, r.power.text, r.tokens.text, r.joules.text) for r in cap_rows(calibration)]
    _table(console, ("Power limit", "power", "tokens/s", "per token"), caps)
    if line := wall_line(calibration):
        console.print(Text(f"Wall, modelled: {line}"))
    for line in missing_lines(calibration):
        console.print(Text(f"{DASH} {line}", style="dim"))
    if lines and rates.usd_per_kwh is None and rates.gco2e_per_kwh is None:
        console.print(Text("Money and carbon of a day: --usd-per-kwh and --zone add them.", style="dim"))


def print_held(held: Held, console: Console) -> None:
    """Print what is on file, and what lies beside it."""
    if not held.stored:
        console.print("no calibration is on file; `joulemark calibrate` makes one", markup=False)
    for one in held.stored:
        calibration = one.calibration
        parts = [
            name
            for name, there in (
                ("empty idle", calibration.empty),
                ("loaded idle", calibration.loaded),
                ("power curve", calibration.curve),
                ("power limits", calibration.caps),
                ("wall", calibration.wall_fit),
            )
            if there
        ]
        engine = calibration.engine
        model = "no engine" if engine is None else f"{engine.model} on {engine.kind}"
        told = f"{calibration.id}  {calibration.created_utc}  {model}: {', '.join(parts) or 'nothing'}"
        console.print(printable(told), markup=False)
        for flag in flag_lines(calibration):
            console.print(Text(f"    ! {flag}", style="yellow"))
    for other in held.unreadable:
        console.print(Text(f"left aside: {printable(f'{other.path.name}: {other.why}')}", style="yellow"))


def _table(console: Console, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if not rows:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for place, name in enumerate(titles):
        table.add_column(name, justify="left" if place == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    console.print(Padding(table, (1, 0, 0, 0)))

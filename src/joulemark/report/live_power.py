"""The meters as they are now: a table for a terminal, a line for anything else."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from joulemark.live.watching import LiveRow, Look
from joulemark.metrics.tier import is_trace
from joulemark.metrics.value import energy_value
from joulemark.record.meter import Trust
from joulemark.record.simulated import is_simulated_board
from joulemark.report.at_most import bounded_texts
from joulemark.report.wording import DASH, gathered, printable, why

_STYLES = {Trust.QUALIFIED: "green", Trust.SUSPECT: "yellow", Trust.ABSENT: "red"}


def live_table(look: Look) -> Group:
    """Return a row a meter, scopes inside others set in, and below what there is to say of single ones."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Scope", no_wrap=True)
    table.add_column("Meter", overflow="fold")
    for title in ("Now", "So far", "Bound", "°C"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("Self-test", no_wrap=True)
    for row in look.rows:
        trust = row.source.qualification.trust
        energy, bound = bounded_texts("total_joules", energy_value(row.energy))
        table.add_row(
            Text("  " * row.depth + printable(row.source.info.scope.label)),
            Text(f"{_made(row)}{printable(row.source.info.name)}"),
            Text(_watts(row), style="bold"),
            Text(energy),
            Text(bound.removeprefix("meter's bound "), style="dim"),
            Text(DASH if row.temperature_c is None else f"{row.temperature_c:.0f}"),
            Text("wrong" if row.wrong else trust.value, style="red" if row.wrong else _STYLES[trust]),
        )
    told = gathered((row.source.info.name, _remarks(row)) for row in look.rows)
    lines = [
        Text(f"* {printable(', '.join(names))}: {sentence}", style="dim") for sentence, names in told.items()
    ]
    return Group(table, *lines, Text(f"{look.since_s:,.0f} s · Ctrl-C ends", style="dim"))


def live_line(look: Look) -> str:
    """Return one line: the time, and each meter's power and joules since the start with their bound."""
    parts = []
    for row in look.rows:
        energy, bound = bounded_texts("total_joules", energy_value(row.energy))
        told = f"{_made(row)}{row.source.info.scope.label} {_watts(row)} {energy}"
        if beside := ", ".join(filter(None, (bound.removeprefix("meter's bound "), *row.wrong))):
            told += f" ({beside})"
        parts.append(told)
    return printable(f"{look.t:%H:%M:%SZ}  " + "  |  ".join(parts))


def _made(row: LiveRow) -> str:
    """Say loudly where a meter measures nothing of this machine."""
    if is_simulated_board(row.source.info):
        return "SIMULATED: "
    return "REPLAYED: " if is_trace(row.source) else ""


def _watts(row: LiveRow) -> str:
    value = row.watts.value
    return DASH if value is None else f"{value:,.1f} W"


def _remarks(row: LiveRow) -> str:
    """Say what is wrong with a meter, else why a figure is missing, else how its power is known."""
    if row.wrong:
        return printable("; ".join(row.wrong))
    lacking = why(energy_value(row.energy)) or why(row.watts)
    if lacking:
        return printable(lacking)
    reason = row.source.qualification.reason
    return printable(reason) if reason else "power from its counter" if row.by_counter else ""

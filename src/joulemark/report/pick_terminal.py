"""A pick in a terminal, 60 columns or more."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid_
from rich.text import Text

from joulemark.metrics.picking import Picked, Table
from joulemark.report.pick_table import (
    Grid,
    cost_grid,
    day_grid,
    missing_lines,
    note_lines,
    rank_rows,
    time_grid,
)
from joulemark.report.pick_words import (
    SHORT,
    accuracy_line,
    leads,
    not_priced_lines,
    ruled_out_line,
    table_title,
    title,
    warning,
    without_accuracy,
)
from joulemark.report.wording import printable

_ROWS = 24


def print_pick(found: Picked, console: Console, *, unread: Sequence[tuple[str, str]] = ()) -> None:
    """Print the answer, a table a kind of evidence, what was ruled out and what has no price.

    ``unread`` are files that could not be read, each with the reason. Every foreign string is plain text.
    """
    style = "bold green" if found.tables else "bold red"
    console.print(Text(title(found), style="bold"))
    if loud := warning(found):
        console.print(Text(f"! {loud}", style="bold red"))
    for sentence in leads(found):
        console.print(Text(sentence, style=style))
    if said := accuracy_line(found):
        console.print(Text(said, style="dim"))
    for table in found.tables:
        _table(found, table, console)
    if found.ruled_out:
        console.print(Text("\nRuled out", style="bold"))
        for one in found.ruled_out[:_ROWS]:
            console.print(Text(f"  {ruled_out_line(one)}"))
        if len(found.ruled_out) > _ROWS:
            console.print(Text(f"  {len(found.ruled_out) - _ROWS} more are in --json.", style="dim"))
    if found.not_priced:
        console.print(Text("\nWithout a price for this workload", style="bold"))
        if found.tables and (said := without_accuracy(found)):
            console.print(Text(f"  {said}"))
        for line in not_priced_lines(found)[:_ROWS]:
            console.print(Text(f"  {line}"))
    if found.notes or found.tables:
        console.print()
    for line in (*found.notes, *missing_lines(found)):
        console.print(Text(f"* {printable(line)}", style="dim"))
    for path, why in unread:
        console.print(Text(f"! not read: {printable(path)}: {printable(why)}", style="yellow"))


def _table(found: Picked, table: Table, console: Console) -> None:
    console.print(Text(f"\n{table_title(table)}", style="bold"))
    shown = Grid_(box=None, padding=(0, 2, 0, 0), header_style="dim")
    shown.add_column("", style="dim")
    shown.add_column("Rank")
    shown.add_column("Configuration", overflow="fold")
    shown.add_column(SHORT[found.wanted.by], justify="right")
    shown.add_column("Accuracy", justify="right")
    shown.add_column("P(best)", justify="right")
    for row in rank_rows(found, table)[:_ROWS]:
        label = f"{row.label} ({row.beside})" if row.beside else row.label
        shown.add_row(*map(Text, (row.number, row.rank, label, row.cost, row.accuracy, row.best)))
    console.print(Padding(shown, (0, 0, 0, 0)))
    if len(table.rows) > _ROWS:
        console.print(Text(f"{len(table.rows) - _ROWS} more are in --json.", style="dim"))
    _grid("Costs", cost_grid(table), console)
    if found.workload.requests_per_day is not None:
        _grid("A day", day_grid(table), console)
    _grid("Times and spread", time_grid(table), console)
    for line in note_lines(table, _ROWS):
        console.print(Text(line, style="dim"))


def _grid(head: str, grid: Grid, console: Console) -> None:
    if not grid.columns:
        return
    shown = Grid_(box=None, padding=(0, 2, 0, 0), header_style="dim")
    shown.add_column(head, style="dim")
    for column in grid.columns:
        shown.add_column(column, justify="right")
    for place, (_, cells) in enumerate(grid.rows[:_ROWS], 1):
        shown.add_row(Text(f"#{place}"), *(Text(text) for text, _ in cells))
    console.print(Padding(shown, (1, 0, 0, 0)))

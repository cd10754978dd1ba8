"""A sweep in a terminal: a row a point, the matrix of a grid, and why cells are empty."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.report.sweep_table import columns, energy_unit, matrix, sweep_rows
from joulemark.report.sweep_words import progress_text, subject, title, warnings
from joulemark.report.wording import DASH, gathered
from joulemark.sweeps.points import Swept


def print_sweep(swept: Swept, console: Console) -> None:
    """Print the points and their figures; columns of which nothing is known are left out."""
    console.print(Text(title(swept), style="bold"))
    if about := subject(swept):
        console.print(Text(about))
    for line in warnings(swept):
        console.print(Text(f"! {line}", style="bold red"))
    console.print(Text(progress_text(swept), style="dim"))
    rows, titles = sweep_rows(swept), columns(swept)
    shown = [k for k in range(len(titles)) if any(row.cells[k] != DASH for row in rows)]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    # the first figures say most: in a narrow window the last ones are left to the page
    room = console.width - max(len(row.name) for row in rows) - max(len(row.state) for row in rows) - 4
    widths = [max(len(title), *(len(row.cells[k]) for row in rows)) for k, title in enumerate(titles)]
    shown = _fitting(shown, widths, room)
    table.add_column("Point", no_wrap=True)
    table.add_column("", no_wrap=True, style="dim")
    for k in shown:
        table.add_column(titles[k], justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, (row.name, row.state, *(row.cells[k] for k in shown))))
    console.print(Padding(table, (1, 0)))
    grid = matrix(swept)
    if grid is not None:
        console.print(Text(f"{energy_unit(swept)}; across: {grid.corner}", style="dim"))
        cells = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        cells.add_column("")
        for column in grid.columns:
            cells.add_column(Text(column), justify="right")
        for name, found in grid.rows:
            cells.add_row(Text(name), *(Text(f"{t}{f' [{n}]' if n else ''}") for t, n in found))
        console.print(Padding(cells, (0, 0, 1, 0)))
        for number, note in enumerate(grid.notes, 1):
            console.print(Text(f"[{number}] {note}", style="dim"))
        return
    for sentence, names in gathered((row.name, row.why) for row in rows).items():
        console.print(Text(f"* {'; '.join(names)}: {sentence}", style="dim"))


def _fitting(columns: list[int], widths: list[int], room: int) -> list[int]:
    """Return the first columns for which there is room, at least three."""
    taken = 0
    for n, k in enumerate(columns):
        taken += widths[k] + 2
        if taken > room and n >= 3:
            return columns[:n]
    return columns

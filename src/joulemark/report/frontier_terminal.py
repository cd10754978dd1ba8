"""A recommendation in a terminal, 60 columns or more."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.metrics.recommendation import Recommendation
from joulemark.report.frontier_table import detail_rows, point_rows
from joulemark.report.frontier_text import text_frontier
from joulemark.report.frontier_words import (
    evidence,
    figure_title,
    leads,
    left_out_first,
    left_out_lines,
    limit_lines,
    missed,
    named,
    note_lines,
    objective_title,
    simulated_line,
    title,
)
from joulemark.report.wording import DASH, printable

_ROWS = 24


def print_recommendation(
    found: Recommendation, console: Console, *, unread: Sequence[tuple[str, str]] = ()
) -> None:
    """Print the answer, the pick's figures, the frontier as a picture and a table, and what was left out.

    ``unread`` are files that could not be read, each with the reason. Every foreign string is plain text.
    """
    style = "bold green" if found.pick is not None else "bold red"
    console.print(Text(title(found), style="bold"))
    if warning := simulated_line(found):
        console.print(Text(f"! {warning}", style="bold red"))
    for sentence in leads(found):
        console.print(Text(sentence, style=style))
    for line in left_out_first(found):
        console.print(Text(line, style="yellow"))
    for line in limit_lines(found):
        console.print(Text(f"  {line}", style="dim"))
    if found.near_misses:
        console.print(Text("\nNearest misses", style="bold"))
        for miss in found.near_misses:
            console.print(Text(f"  {named(miss.point, found)}: {'; '.join(missed(miss))}"))
    details = [(name, text) for name, text, _ in detail_rows(found) if text != DASH]
    if details:
        table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
        for name, text in details:
            table.add_row(Text(name, style="dim"), Text(text))
        console.print(Padding(table, (1, 0, 0, 0)))
    if found.ranked:
        console.print()
        for line in text_frontier(found, columns=max(30, min(72, console.width - 14))):
            console.print(Text(line))
        _table(found, console)
        console.print(Text(evidence(found), style="dim"))
    for line in (*note_lines(found), *left_out_lines(found)):
        console.print(Text(f"* {line}", style="dim"))
    for path, why in unread:
        console.print(Text(f"! not read: {printable(path)}: {printable(why)}", style="yellow"))


def _table(found: Recommendation, console: Console) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Configuration", overflow="fold")
    table.add_column(objective_title(found), justify="right")
    table.add_column(figure_title(found.latency), justify="right")
    table.add_column("Rated/meas.", justify="right")
    table.add_column("", overflow="fold", style="dim")
    rows = point_rows(found)
    for row in rows[:_ROWS]:
        table.add_row(*map(Text, (row.label, row.energy, row.latency, row.tdp, row.role)))
    console.print(Padding(table, (1, 0)))
    if len(rows) > _ROWS:
        console.print(Text(f"{len(rows) - _ROWS} more are in --json and on the page (--html).", style="dim"))

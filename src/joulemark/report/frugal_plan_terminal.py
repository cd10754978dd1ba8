"""A plan in a terminal, 60 columns or more."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.frugal.planning.plan import Plan
from joulemark.frugal.planning.plan_course import course_of
from joulemark.report.frugal_plan_words import (
    TOGETHER,
    cost_rows,
    course_rows,
    lead,
    note_lines,
    task_rows,
    title,
    total_row,
)

_TASKS_WITH_COSTS = 6
"""Of more tasks than these the terminal has the sums alone; the page and `--json` have all."""


def print_plan(found: Plan, console: Console) -> None:
    """Print the answer, the table of tasks, costs, other widths of the target, and what to read with them."""
    console.print(Text(title(found), style="bold"))
    console.print(Text(lead(found), style="bold green"))
    console.print(Padding(_tasks(found), (1, 0, 0, 0)))
    if cost_rows(found):
        console.print(Padding(_costs(found), (1, 0, 0, 0)))
    rows = course_rows(course_of(found))
    if rows:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for name in ("Target", "items", "share"):
            table.add_column(name, justify="left" if name == "Target" else "right")
        for row in rows:
            table.add_row(*map(Text, row))
        console.print(Padding(table, (1, 0)))
    for line in note_lines(found):
        console.print(Text(f"* {line}", style="dim"))


def _tasks(found: Plan) -> Table:
    rows = [*task_rows(found), *([total_row(found)] if len(found.tasks) > 1 else [])]
    binding = any(row.binding for row in rows)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Task", overflow="fold")
    for name in ("items", "needed", "share", "gives", "at 40.7 %"):
        table.add_column(name, justify="right", no_wrap=True)
    if binding:
        table.add_column("set by", overflow="fold")
    for row in rows:
        cells = [row.name, row.items, row.needed, row.share, row.gives, row.published]
        cells += [row.binding] if binding else []
        style = "bold" if row is rows[-1] and len(found.tasks) > 1 else ""
        table.add_row(*map(Text, cells), style=style)
    return table


def _costs(found: Plan) -> Table:
    rows = cost_rows(found)
    if len(found.tasks) > _TASKS_WITH_COSTS:
        rows = [row for row in rows if row.task == TOGETHER]
    several = len({row.task for row in rows}) > 1
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Cost")
    if several:
        table.add_column("of", overflow="fold")
    for name in ("planned", "of all items", "saved"):
        table.add_column(name, justify="right", overflow="fold")
    for row in rows:
        of = [row.task] if several else []
        table.add_row(*map(Text, (row.cost, *of, row.planned, row.of_all, row.saved)))
    return table

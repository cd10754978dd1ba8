"""A comparison in a terminal, 60 columns or more."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.metrics.compare import Comparison
from joulemark.metrics.compare_runs import RunsComparison
from joulemark.report.comparison import findings
from joulemark.report.comparison_lead import (
    OTHER_TASKS,
    are_tasks_of_one_model,
    leads,
    pair_headlines,
    title,
)
from joulemark.report.comparison_tables import (
    TWO_COSTS,
    columns,
    ratio_notes,
    ratio_rows,
    reversal_sentence,
    run_lines,
    setting_rows,
    warnings,
)


def print_comparison(compared: RunsComparison, console: Console) -> None:
    """Print what to lead with in words, the table of runs, each run against the first, and what differs.

    Every foreign string is printed as plain text: neither markup nor control characters in it act.
    """
    first = compared.runs[0].label
    pairs = list(zip((run.label for run in compared.runs[1:]), compared.comparisons, strict=True))
    are_tasks = are_tasks_of_one_model(compared)
    if are_tasks:
        console.print(Text(title(compared), style="bold"))
    for sentence in leads(compared):
        console.print(Text(sentence, style="bold green"))
    for sentence in warnings(compared, loud=True):
        console.print(Text(f"! {sentence}", style="bold red"))
    console.print()
    print_runs(compared, console)
    if are_tasks:
        console.print(Text(OTHER_TASKS))
    for (label, comparison), said in zip(pairs, pair_headlines(compared), strict=True):
        console.print(Text(f"\n{label} against {first}", style="bold"))
        if are_tasks:
            console.print(Text(f"  {said}"))
        for sentence in findings(first, label, comparison):
            console.print(Text(f"  {sentence}"))
        _ratios(first, label, comparison, console)
        console.print()
        if comparison.differences:
            console.print(_differences(first, label, comparison))
        else:
            console.print(Text("No setting differs.", style="dim"))
    for sentence in warnings(compared, loud=False):
        console.print(Text(f"* {sentence}", style="dim"))


def print_runs(compared: RunsComparison, console: Console) -> None:
    """Print the table of runs, one line each, and where J/token and J/correct order them differently."""
    lines = run_lines(compared)
    for line in lines:
        console.print(Text.assemble((f"{line.label}  ", "bold"), line.name))
        console.print(Text(f"   {line.told}", style="dim"))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    for heading in columns():
        table.add_column(heading, justify="right", overflow="fold")
    for line in lines:
        table.add_row(Text(f"{line.label} {line.note}".rstrip()), *map(Text, line.cells))
    console.print(Padding(table, (1, 0)))
    for reversal in compared.reversals:
        console.print(Text(reversal_sentence(reversal), style="bold"))
    console.print(Text(TWO_COSTS, style="dim"))


def _ratios(a: str, b: str, comparison: Comparison, console: Console) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Figure", overflow="fold")
    table.add_column("Value", justify="right", no_wrap=True)
    table.add_column("95 % interval", no_wrap=True)
    table.add_column("", overflow="fold", style="dim")
    rows = ratio_rows(a, b, comparison)
    for row in rows:
        table.add_row(
            Text(row.title), Text(row.text), Text(row.interval), Text("" if row.withheld else row.verdict)
        )
    console.print(Padding(table, (1, 0, 0, 0)))
    for sentence in ratio_notes(rows):
        console.print(Text(sentence, style="dim"))


def _differences(a: str, b: str, comparison: Comparison) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("What differs", a, b):
        table.add_column(heading, overflow="fold")
    for row in setting_rows(comparison):
        table.add_row(Text(row.title), Text(row.a), Text(row.b))
    return table

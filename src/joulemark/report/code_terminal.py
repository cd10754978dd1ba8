"""An evaluation of programs in a terminal: how many are right, and what the right ones take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.metrics.code.by_group import Figures, Placed
from joulemark.metrics.code.summary import CodeSummary
from joulemark.report.code_rows import (
    EXTREMES,
    GROUP_COLUMNS,
    Section,
    group_rows,
    headline,
    notes,
    sections,
    warnings,
)
from joulemark.report.wording import printable


def print_evaluation(
    record: EvaluationRecord,
    summary: CodeSummary,
    failures: Mapping[str, str],
    console: Console,
    not_measured: Mapping[str, str] | None = None,
) -> None:
    """Print all of an evaluation. Foreign strings act neither as markup nor as control characters."""
    n = summary.counts["n_problems"]
    console.print(
        Text(f"{printable(record.model)} on {n:,} problems ({printable(record.origin)})", style="bold")
    )
    console.print(Text(headline(record, summary)))
    for sentence in warnings(record, summary, failures):
        console.print(Text(f"! {sentence}", style="bold red"))
    for sentence in notes(summary, not_measured):
        console.print(Text(f"· {sentence}", style="dim"))
    for section in sections(record, summary):
        _section(section, console)
    if not record.settings.measure:
        console.print(Text("\nPrograms were graded only; nothing was timed.", style="dim"))
        return
    _groups("By algorithm", summary.by_algorithm, console)
    _groups("By difficulty", summary.by_difficulty, console)
    for name, title in EXTREMES.items():
        _worst(title, summary.extremes[name].worst, record, console)
    said = f"environment {record.environment_id}: figures rank only within one environment"
    console.print(Text(f"\n{said}", style="dim"))


def _section(section: Section, console: Console) -> None:
    """Print a table; a reason that several figures share is said once."""
    console.print(Text(f"\n{section.title}", style="bold"))
    if section.none:
        console.print(Padding(Text(section.none, style="dim"), (0, 0, 0, 2)))
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    said: set[str] = set()
    for row in section.rows:
        note = row.interval or ("as above" if row.why and row.why in said else row.why)
        said.add(row.why)
        table.add_row(row.title, row.text, row.n and f"n = {row.n}", Text(note, style="dim"))
    console.print(Padding(table, (0, 0, 0, 2)))


def _groups(title: str, groups: Mapping[str, Figures], console: Console) -> None:
    if not groups:
        return
    console.print(Text(f"\n{title}", style="bold"))
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for column in GROUP_COLUMNS.values():
        table.add_column(column, justify="right")
    for group, cells in group_rows(groups):
        table.add_row(group, *cells)
    console.print(Padding(table, (0, 0, 0, 2)))


def _worst(title: str, worst: Sequence[Placed], record: EvaluationRecord, console: Console) -> None:
    if not worst:
        return
    console.print(Text(f"\nThe worst by {title}", style="bold"))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for placed in worst:
        facts = record.problems.get(placed.problem)
        tags = ", ".join(facts.algorithms[:3]).replace("_", " ") if facts is not None else ""
        table.add_row(
            placed.text,
            Text(printable(placed.problem)),
            f"sample {placed.number}",
            Text(printable(tags), style="dim"),
        )
    console.print(Padding(table, (0, 0, 0, 2)))

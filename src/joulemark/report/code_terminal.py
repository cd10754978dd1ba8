"""An evaluation of programs in a terminal: how many are right, and what the right ones take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.metrics.code.by_group import Extremes, Figures
from joulemark.metrics.code.summary import CodeSummary
from joulemark.report.code_cells import OF_GROUPS, Cell, group_columns, group_rows
from joulemark.report.code_extremes import algorithm_counts, extremes_of, is_alike, unplaced_words
from joulemark.report.code_few import TITLE, Few, few_of
from joulemark.report.code_lead import headline
from joulemark.report.code_rows import (
    Section,
    notes,
    sections,
    warnings,
)
from joulemark.report.wording import printable

_N_BEST = 3
_WIDE = 78  # from here on a table of all programs breaks no id


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
    console.print(Text(headline(summary)))
    for sentence in warnings(record, summary, failures):
        console.print(Text(f"! {sentence}", style="bold red"))
    for sentence in notes(summary, not_measured):
        console.print(Text(f"· {sentence}", style="dim"))
    for section in sections(record, summary):
        _section(section, console)
    if not record.settings.measure:
        console.print(Text("\nPrograms were graded only; nothing was timed.", style="dim"))
        return
    columns = group_columns(summary.queued)
    _groups("By algorithm", summary.by_algorithm, columns, console)
    _groups("By difficulty", summary.by_difficulty, columns, console)
    few = few_of(summary)
    if few is not None:
        _few(few, console)
    for title, found in extremes_of(summary) if few is None else ():
        _ends(title, found, record, console)
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


def _groups(title: str, groups: Mapping[str, Figures], columns: Sequence[str], console: Console) -> None:
    if not groups:
        return
    console.print(Text.assemble((f"\n{title}", "bold"), (f" ({OF_GROUPS})", "dim")))
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for group, cells in group_rows(groups):
        table.add_row(group, *map(cell_text, cells))
    console.print(Padding(table, (0, 0, 0, 2)))


def cell_text(cell: Cell) -> Text:
    """Return a cell of two lines, the interval below."""
    return Text.assemble(cell.text, (f"\n{cell.interval}" if cell.interval else "", "dim"))


def _few(few: Few, console: Console) -> None:
    """Print all right programs in one table; their sources are on the page."""
    console.print(Text(f"\n{TITLE}", style="bold"))
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=console.width >= _WIDE, overflow="fold")
    for column in few.columns:
        table.add_column(column, justify="right")
    several = any(row.sample for row in few.rows)
    for row in few.rows:
        name = printable(row.problem) + (f" sample {row.sample}" if several else "")
        table.add_row(Text(name), *row.cells)
    console.print(Padding(table, (0, 0, 0, 2)))
    if few.note:
        console.print(Padding(Text(few.note, style="dim"), (0, 0, 0, 2)))


def _ends(title: str, found: Extremes, record: EvaluationRecord, console: Console) -> None:
    """Print the worst and the best by one metric; the programs themselves are on the page."""
    unplaced = unplaced_words(found)
    if is_alike(found):
        console.print(Text(f"\nBy {title} all are alike: {found.worst[0].text}", style="bold"))
        if unplaced:
            console.print(Padding(Text(unplaced, style="dim"), (0, 0, 0, 2)))
        return
    console.print(Text(f"\nThe worst by {title}", style="bold"))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for placed in found.worst:
        facts = record.problems.get(placed.problem)
        tags = ", ".join(facts.algorithms[:3]).replace("_", " ") if facts is not None else ""
        table.add_row(
            placed.text,
            Text(printable(placed.problem)),
            f"sample {placed.number}",
            Text(printable(tags), style="dim"),
        )
    console.print(Padding(table, (0, 0, 0, 2)))
    best = ", ".join(
        f"{one.text} {printable(one.problem)} sample {one.number}" for one in found.best[:_N_BEST]
    )
    if unplaced:
        console.print(Padding(Text(unplaced, style="dim"), (0, 0, 0, 2)))
    if counts := algorithm_counts(found, least=2):
        console.print(Padding(Text(f"more than one of these: {counts}", style="dim"), (0, 0, 0, 2)))
    console.print(Padding(Text(f"the best: {best}", style="dim"), (0, 0, 0, 2)))

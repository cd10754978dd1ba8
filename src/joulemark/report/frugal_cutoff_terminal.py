"""The published cut-off in a terminal: first what it is, then what it gives."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.frugal.published.study import NullResult, Study
from joulemark.report.frugal_cutoff_tables import StudyTable, study_tables
from joulemark.report.frugal_cutoff_words import (
    constant_text,
    cutoff_text,
    instead_text,
    is_in_part,
    loss_text,
    method_notes,
    note_lines,
    null_lines,
    null_title,
    title,
    truth_text,
    warning_lines,
)


def print_cutoff(found: Study, console: Console) -> None:
    """Print the cut-off, what it is, the truth beside it, and the tables that were asked for."""
    console.print(Text(title(found), style="bold"))
    console.print(Text(cutoff_text(found.cutoff, in_part=is_in_part(found)), style="bold"))
    for line in (constant_text(found), loss_text(found)):
        console.print(Text(line, style="yellow"))
    console.print(Text(truth_text(found), style="bold green"))
    for line in warning_lines(found):
        console.print(Text(f"! {line}", style="bold red"))
    for table in study_tables(found):
        _print_table(table, console)
    _notes(note_lines(found), console)
    console.print(Text(instead_text(found), style="bold green"))


def print_null(found: NullResult, console: Console) -> None:
    """Print what random numbers gave."""
    console.print(Text(null_title(found), style="bold"))
    first, *rest = null_lines(found)
    console.print(Text(first, style="bold"))
    for line in rest:
        console.print(Text(line, style="yellow"))
    _notes(method_notes(found.cutoff, found.ks_p), console)


def _notes(lines: Sequence[str], console: Console) -> None:
    console.print()
    for line in lines:
        console.print(Text(f"· {line}", style="dim"))


def _print_table(shown: StudyTable, console: Console) -> None:
    console.print(Text(f"\n{shown.title}", style="bold"))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for k, column in enumerate(shown.columns):
        words = column in ("criterion", "kind")
        table.add_column(
            column, justify="left" if words else "right", overflow="fold", no_wrap=k > 0 and not words
        )
    for row in shown.rows:
        table.add_row(*map(Text, row))
    console.print(Padding(table, (0, 0, 0, 2)))
    for line in shown.notes:
        console.print(Text(f"  {line}", style="dim"))

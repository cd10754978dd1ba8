"""Statistics of problems in a terminal and as JSON."""

from __future__ import annotations

from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from joulemark.code.problems.problem import DIFFICULTIES
from joulemark.code.problems.statistics import Row, Statistics
from joulemark.report.wording import DASH


def print_statistics(counted: Statistics) -> None:
    """Print the columns of the paper's table: a line a class, then all problems together."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("class")
    for column in ("problems", *DIFFICULTIES, "words", "lines"):
        table.add_column(column, justify="right")
    for row in (*counted.classes, counted.total):
        table.add_row(row.name.replace("_", " "), *_cells(row))
    Console().print(table)
    notes = "words: of the statement, on average; lines: of code in the canonical solution, on average"
    if sum(row.n_problems for row in counted.classes) > counted.total.n_problems - counted.n_unclassified:
        notes = f"a problem counts in each of its classes, and once in all; {notes}"
    Console().print(notes, style="dim")
    if counted.n_unclassified:
        Console().print(f"{counted.n_unclassified} problems are in none of the classes", style="dim")


def statistics_json(counted: Statistics) -> dict[str, object]:
    """Return the statistics as plain values."""
    return asdict(counted)


def _cells(row: Row) -> list[str]:
    means = (DASH if mean is None else f"{mean:.1f}" for mean in (row.mean_words, row.mean_lines))
    return [str(row.n_problems), *(str(row.by_difficulty.get(one, 0)) for one in DIFFICULTIES), *means]

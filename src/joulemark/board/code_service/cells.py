"""The code-efficiency leaderboard as its page shows it: heads that sort, cells with their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.board.code_service.asked import address
from joulemark.board.code_service.figures import (
    COLUMNS,
    LARGER_IS_BETTER,
    at_least,
    short_title,
    title_of,
    tooltip_of,
)
from joulemark.board.code_service.standings import Query, Ranked, Standing, Table
from joulemark.board.standing.cells import FigureCell, known_cell
from joulemark.board.standing.figures import value_from
from joulemark.report.wording import DASH, figure_texts


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column: ``sorted`` as ``aria-sort`` says it; ``href`` sorts by it, or turns the order."""

    name: str
    title: str
    hint: str
    sorted: str
    href: str


@dataclass(frozen=True, slots=True)
class RowCells:
    """A row of a table as it is shown."""

    row: Standing
    rank: str
    why_unranked: str
    cells: tuple[FigureCell, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A table as it is shown; ``terms``: what all of its rows have in common."""

    name: str
    title: str
    terms: str
    n_hidden: int
    heads: tuple[Head, ...]
    rows: tuple[RowCells, ...]


def sections_of(found: Sequence[Table], query: Query) -> list[Section]:
    """Return the tables as the page shows them."""
    columns = COLUMNS[query.view]
    heads = tuple(_head(name, query) for name in columns)
    return [
        Section(
            table.table,
            table.first.dataset.replace("_", " "),
            _terms(table.first),
            table.n_rows - len(table.rows),
            heads,
            tuple(_row(one, columns) for one in table.rows),
        )
        for table in found
    ]


def _terms(row: Standing) -> str:
    said = row.settings
    return (
        f"{row.counts['n_problems']:,} problems, {said['n_tests']:,} tests each (seed {said['seed']}); "
        f"{said['timeout_s']:g} s of CPU time and {said['memory_mib']:,} MiB a call; "
        f"{row.environment}, environment {row.environment_id}"
    )


def _head(name: str, query: Query) -> Head:
    is_sorted = name == query.sort
    descending = query.is_descending if is_sorted else None
    turned = (not descending) if is_sorted else name in LARGER_IS_BETTER
    href = address(query, sort=name, order="desc" if turned else "asc")
    state = {None: "none", True: "descending", False: "ascending"}[descending]
    return Head(name, short_title(name), f"{title_of(name)}. {tooltip_of(name)}", state, f"/code{href}")


def _row(one: Ranked, columns: Sequence[str]) -> RowCells:
    rank = DASH if one.rank is None else str(one.rank)
    return RowCells(one.row, rank, one.why_unranked, tuple(figure_cell(name, one.row) for name in columns))


def figure_cell(name: str, row: Standing) -> FigureCell:
    """Return a figure of a row: a dash has its reason, a mean that a limit withheld its bound."""
    figure = row.figure(name)
    if figure.value is None:
        bound = at_least(name, row.figures)
        if bound is not None:
            text = f"≥ {figure_texts(name, value_from(bound))[0]}"
            return FigureCell(name, text, hint=figure.detail, value=bound.value)
        return FigureCell(name, DASH, why=figure.detail or "It is not known.")
    return known_cell(name, figure)

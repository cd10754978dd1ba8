"""The tables of a pick: the ranking, what a request costs, and what a day costs."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.picking import Picked, Priced, Table
from joulemark.metrics.value import Value
from joulemark.report.pick_words import (
    BY_OUTPUT_ALONE,
    accuracy_text,
    chance_of,
    named,
    percent_of,
    ranged,
    rank_text,
    row_notes,
)
from joulemark.report.wording import DASH, figure_texts, why

_COSTS = (
    ("workload_joules", "J a request"),
    ("workload_joules_per_correct", "J a correct answer"),
    ("workload_usd", "$ a request"),
    ("workload_usd_per_correct", "$ a correct answer"),
    ("workload_gco2e", "gCO2e a request"),
    ("workload_gco2e_per_correct", "gCO2e a correct answer"),
)
_DAY = (
    ("workload_requests_kwh_per_day", "requests, kWh"),
    ("workload_standby_kwh_per_day", "standby, kWh"),
    ("workload_kwh_per_day", "together, kWh"),
    ("workload_usd_per_day", "$"),
    ("workload_gco2e_per_day", "gCO2e"),
    ("workload_busy_share", "at work"),
)
_NAMED = 3  # places that are named one by one where a note holds for all
_TIMES = (
    ("workload_ttft_s", "First token"),
    ("workload_seconds", "Whole answer"),
    ("workload_joules_single", "95 % of single requests, J"),
)


@dataclass(frozen=True, slots=True)
class RankRow:
    """A line of a ranking; ``number`` is its place, by which other tables call it.

    ``beside`` says of a modelled row what its cost leaves out.
    """

    number: str
    rank: str
    label: str
    cost: str
    accuracy: str
    best: str
    why: str
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """Figures by configuration: column titles, and rows of a label with (text, why it is a dash)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def rank_rows(found: Picked, table: Table) -> list[RankRow]:
    """Return a ranking in its order."""
    rows = []
    for place, row in enumerate(table.rows, 1):
        chance = row.probability.value
        rows.append(
            RankRow(
                f"#{place}",
                rank_text(row),
                named(row.priced.candidate.point),
                ranged(found.wanted.figure, row.priced.figures[found.wanted.figure]),
                accuracy_text(row.priced),
                DASH if chance is None else chance_of(chance),
                why(row.probability),
                BY_OUTPUT_ALONE if row.priced.candidate.scaled_j_per_token is not None else "",
            )
        )
    return rows


def cost_grid(table: Table) -> Grid:
    """Return what a request and a correct answer cost."""
    return _grid(table, _COSTS)


def day_grid(table: Table) -> Grid:
    """Return what a day costs."""
    return _grid(table, _DAY)


def time_grid(table: Table) -> Grid:
    """Return how long requests take, and how far single ones lie from the mean."""
    return _grid(table, _TIMES)


def _grid(table: Table, figures: tuple[tuple[str, str], ...]) -> Grid:
    """Return the columns that any row has a figure in."""
    priced = [row.priced for row in table.rows]
    shown = [(name, head) for name, head in figures if any(p.figures[name].value is not None for p in priced)]
    rows = tuple((named(one.candidate.point), tuple(_cell(one, name) for name, _ in shown)) for one in priced)
    return Grid(tuple(head for _, head in shown), rows)


def _cell(row: Priced, name: str) -> tuple[str, str]:
    value = row.figures[name]
    if value.value is None:
        return DASH, why(value)
    if name == "workload_busy_share":
        return percent_of(value.value), ""
    if name == "workload_joules_single":
        return span(value), ""
    if value.unit == "s":
        return figure_texts(name, value)[0], ""
    return figure_texts("", Value(value.value, "1"))[0], ""  # the column names the unit


def span(value: Value) -> str:
    """Return both ends of an interval; that of single requests may reach below 0, where there is nothing."""
    if value.lo is None or value.hi is None:
        return DASH
    lo = figure_texts("", Value(max(0.0, value.lo), "1"))[0]
    return f"{lo} … {figure_texts('', Value(value.hi, '1'))[0]}"


def note_lines(table: Table, most: int) -> list[str]:
    """Return what has to be known of the first rows, a sentence that holds for several of them once."""
    by_note: dict[str, list[str]] = {}
    for place, row in enumerate(table.rows[:most], 1):
        for note in row_notes(row):
            by_note.setdefault(note, []).append(f"#{place}")
    return [f"{_places(places, min(most, len(table.rows)))}: {note}" for note, places in by_note.items()]


def _places(places: list[str], n: int) -> str:
    if len(places) == n > _NAMED:
        return f"{places[0]} to {places[-1]}"
    return ", ".join(places)


def missing_lines(found: Picked) -> list[str]:
    """Return why figures of a day are dashes, each reason once with how many rows it holds for."""
    rows_of: dict[tuple[str, str], list[str]] = {}
    asked = found.workload.requests_per_day is not None
    for table in found.tables:
        for row in table.rows:
            for name, head in _DAY if asked else ():
                value = row.priced.figures[name]
                if value.value is None and name in ("workload_standby_kwh_per_day", "workload_busy_share"):
                    reason = head.partition(",")[0], why(value)
                    rows_of.setdefault(reason, []).append(named(row.priced.candidate.point))
    lines = []
    for (head, text), rows in rows_of.items():
        more = "" if len(rows) == 1 else f" and {len(rows) - 1:,} more"
        lines.append(f"{head[0].upper()}{head[1:]} of {rows[0]}{more}: {text}")
    return lines

"""An answer as the picker's page shows it: words, tables and ranges, in the terminal's own words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from joulemark.board.judging.rung import Rung
from joulemark.board.picker.answer import Answer
from joulemark.board.picker.question import Question
from joulemark.metrics.picking import Named, Ranked, RuledOut, Shortlist, Table
from joulemark.metrics.value import Value
from joulemark.report.pick_table import (
    Grid,
    RankRow,
    cost_grid,
    day_grid,
    missing_lines,
    note_lines,
    rank_rows,
    time_grid,
)
from joulemark.report.pick_words import (
    OBJECTIVES,
    accuracy_line,
    constraint_words,
    leads,
    named,
    nothing_words,
    ruled_out_line,
    table_title,
    title,
    warning,
)
from joulemark.report.wording import printable, why

_RULED_OUT = 12
_NOTED = 8
_LOG_FROM = 5.0  # times the least, where the ranges are drawn on a logarithmic scale


def shown(found: Answer, question: Question) -> dict[str, Any]:
    """Return what the template draws. Every text is plain: the template escapes it."""
    short = found.shortlist
    picked = short.found
    return {
        "title": title(picked),
        "warning": warning(picked),
        "found": bool(picked.tables),
        "leads": leads(picked) if picked.tables else [_nothing(short)],
        "caveat": _caveat(found, picked.tables),
        "lacks_accuracy": _lacks_accuracy(short),
        "accuracy": accuracy_line(picked),
        "objective": OBJECTIVES[picked.wanted.by],
        "tables": [_table(found, table, n) for table, n in zip(picked.tables, short.n_rows, strict=True)],
        "n_tables": short.n_tables,
        "n_candidates": short.n_candidates,
        "n_less_trusted": found.n_less_trusted,
        "ruled_out": [ruled_out_line(one) for one in _told_of(short)],
        "n_ruled_out": short.n_ruled_out,
        "failed_by": [(constraint_words(one), n) for one, n in short.failed_by if n],
        "not_priced": _not_priced(short),
        "n_not_priced": short.n_not_priced,
        "notes": [printable(line) for line in (*picked.notes, *missing_lines(picked))],
        "rates": rate_words(question),
    }


def rate_words(question: Question) -> str:
    """Return what electricity and the grid were taken to be, and who says so."""
    rates, said = question.rates, []
    if rates.usd_per_kwh is not None:
        said.append(f"electricity at ${rates.usd_per_kwh:g} a kWh ({rates.electricity_source})")
    if rates.gco2e_per_kwh is not None:
        zone = f" of {rates.grid_zone}" if rates.grid_zone else ""
        said.append(f"the grid{zone} at {rates.gco2e_per_kwh:g} gCO2e a kWh ({rates.grid_source})")
    if rates.pue != 1:
        said.append(f"a PUE of {rates.pue:g}")
    return "; ".join(said)


def _lacks_accuracy(short: Shortlist) -> dict[str, Any] | None:
    """Return how many rows lack only their accuracy, and the objective that ranks them; null: none does."""
    n, by = short.found.n_per_request, short.found.per_request
    return {"n": n, "by": by, "words": OBJECTIVES[by]} if n else None


def _caveat(found: Answer, tables: Sequence[Table]) -> str:
    """Return that the answer is none of a measurement, or nothing."""
    kinds = {table.kind for table in tables}
    if not kinds or "measured" in kinds:
        return ""
    any_measured = any(one.point.kind == "measured" for one in found.among.columns.candidates)
    why_none = "that was measured here keeps what you ask" if any_measured else "was measured here yet"
    return f"Nothing {why_none}: " + (
        "below are published rows, scaled by their output tokens."
        if "published" in kinds
        else "below are simulations."
    )


def _told_of(short: Shortlist) -> list[RuledOut]:
    """Return those that a figure rules out: that others are not what was named needs no list."""
    found = [
        one
        for one in short.found.ruled_out
        if not all(isinstance(check.constraint, Named) for check in one.failed)
    ]
    return found[:_RULED_OUT]


def _nothing(short: Shortlist) -> str:
    if not short.n_candidates:
        return "There is nothing to pick from on this board yet."
    return nothing_words(short.n_candidates)


def _not_priced(short: Shortlist) -> list[str]:
    lines = []
    for one, n in zip(short.found.not_priced, short.n_alike, strict=True):
        more = "" if n == 1 else f" {n - 1:,} more lack one for a reason of this kind."
        lines.append(f"{named(one.candidate.point)}: {printable(one.text)}{more}")
    return lines


def _table(found: Answer, table: Table, n_rows: int) -> dict[str, Any]:
    picked = found.shortlist.found
    grids: list[tuple[str, Grid]] = [("Costs", cost_grid(table))]
    if picked.workload.requests_per_day is not None:
        grids.append(("A day", day_grid(table)))
    grids.append(("Times and spread", time_grid(table)))
    values = [row.priced.figures[picked.wanted.figure] for row in table.rows]
    return {
        "title": table_title(table),
        "kind": table.kind,
        "n_rows": n_rows,
        "rows": [
            _row(found, told, row, bar)
            for told, row, bar in zip(rank_rows(picked, table), table.rows, bars(values), strict=True)
        ],
        "grids": [(head, grid) for head, grid in grids if grid.columns],
        "notes": note_lines(table, _NOTED),
    }


def _row(found: Answer, told: RankRow, row: Ranked, bar: tuple[float, float, float]) -> dict[str, Any]:
    point = row.priced.candidate.point
    name = point.config_hash or ""
    return {
        "told": told,
        "id": name,
        "range": bar,
        "tied": _tied(row),
        "rung": Rung(found.among.rungs.get(name, 0)),
        "why_no_accuracy": "" if point.accuracy.value is not None else why(point.accuracy),
        "why_no_rank": "" if row.ranks is not None else told.why,
    }


def _tied(row: Ranked) -> bool:
    return row.ranks is not None and row.ranks[0] == 1


def bars(values: list[Value]) -> list[tuple[float, float, float]]:
    """Return where the low end, the point and the high end of each figure lie, in per cent of all ranges."""
    ends = [end for v in values for end in (v.value, v.lo, v.hi) if end is not None]
    if not ends:
        return [(0.0, 0.0, 0.0)] * len(values)
    low, high = min(ends), max(ends)
    logarithmic = low > 0 and high / low > _LOG_FROM
    start, stop = (math.log(low), math.log(high)) if logarithmic else (min(0.0, low), high)

    def place(x: float) -> float:
        at = math.log(x) if logarithmic else x
        return 2 + 96 * (at - start) / (stop - start) if stop > start else 50.0

    found = []
    for v in values:
        point = 0.0 if v.value is None else v.value
        lo, hi = (point if v.lo is None else v.lo), (point if v.hi is None else v.hi)
        found.append((round(place(lo), 2), round(place(point), 2), round(place(hi), 2)))
    return found

"""A pick as one page: a single file, offline, without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joulemark import __version__
from joulemark.metrics.picking import Picked, Table
from joulemark.metrics.picking.definitions import DEFINITIONS
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.page_file import write_page
from joulemark.report.pick_chart import pick_chart, pick_rows
from joulemark.report.pick_table import cost_grid, day_grid, missing_lines, note_lines, rank_rows, time_grid
from joulemark.report.pick_words import (
    OBJECTIVES,
    accuracy_line,
    leads,
    not_priced_lines,
    ruled_out_line,
    table_title,
    title,
    warning,
)
from joulemark.report.templates import template
from joulemark.report.wording import printable

_HOW = (
    "The point is the cost, the bar its 95 % interval; the number is the probability that it is the best of "
    "this picture. Those in green cannot be told from the best."
)
_NO_BARS = "No interval is known of these figures, so no probability either."
_WIDE_PX, _NARROW_PX = 470, 120  # beside the names


def _picture(found: Picked, table: Table) -> Drawing:
    rows = pick_rows(found, table)
    words = "; ".join(
        f"{row['name']}: {row['value']:.4g}"
        + ("" if row["lo"] is None else f" ({row['lo']:.4g} to {row['hi']:.4g})")
        + (f", best in {row['chance']}" if row["chance"] else "")
        for row in rows
    )
    heading = OBJECTIVES[found.wanted.by].capitalize().replace("Co2e", "CO2e")
    note = _HOW if any(row["lo"] is not None for row in rows) else _NO_BARS
    return drawn(
        lambda px: pick_chart(found, rows, px), heading, words, note, wide_px=_WIDE_PX, narrow_px=_NARROW_PX
    )


def _section(found: Picked, table: Table) -> dict[str, Any]:
    grids = [("Costs", cost_grid(table))]
    if found.workload.requests_per_day is not None:
        grids.append(("A day", day_grid(table)))
    grids.append(("Times and spread", time_grid(table)))
    return {
        "title": table_title(table),
        "chart": _picture(found, table),
        "rows": rank_rows(found, table),
        "grids": [(head, grid) for head, grid in grids if grid.columns],
        "notes": note_lines(table, len(table.rows)),
    }


def render_pick(found: Picked) -> str:
    """Return the page as text. Only the charts' own SVG is trusted markup; all else is escaped."""
    page = {
        "title": title(found),
        "warning": warning(found),
        "leads": leads(found),
        "found": bool(found.tables),
        "accuracy": accuracy_line(found),
        "objective": OBJECTIVES[found.wanted.by],
        "tables": [_section(found, table) for table in found.tables],
        "ruled_out": [ruled_out_line(one) for one in found.ruled_out],
        "not_priced": not_priced_lines(found),
        "notes": [printable(line) for line in (*found.notes, *missing_lines(found))],
        "definitions": [(one.title, one.tooltip()) for one in DEFINITIONS],
        "origins": sorted(
            {printable(row.priced.candidate.point.origin) for table in found.tables for row in table.rows}
        ),
        "version": __version__,
    }
    return template("pick").render(page=page)


def write_pick(found: Picked, path: Path, *, fix: str) -> None:
    """Write the page to ``path``; raises `InputError` (``fix`` by the caller) when that fails."""
    write_page(path, render_pick(found), fix=fix)

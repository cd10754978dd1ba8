"""A calibration as one page: a single file, offline, without scripts."""

from __future__ import annotations

from pathlib import Path

from joulemark import __version__
from joulemark.calibration.document import Calibration
from joulemark.metrics import standby, wall_model
from joulemark.record.manifest import Rates
from joulemark.report.calibration_chart import cap_chart, cap_chart_rows, curve_chart, curve_rows
from joulemark.report.calibration_words import (
    cap_rows,
    flag_lines,
    idle_rows,
    load_rows,
    made,
    missing_lines,
    standby_figures,
    standby_lines,
    title,
    wall_line,
)
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.page_file import write_page
from joulemark.report.templates import template

_BARS = "Bars are the meter's bounds; where none is seen, the bound is smaller than the mark."


def _charts(calibration: Calibration) -> list[Drawing]:
    charts = []
    if points := curve_rows(calibration):
        words = "; ".join(f"{row['w']:.4g} W at {row['busy']:.0f} %" for row in points)
        note = "A number beside a diamond tells how many requests ran at once."
        more = note if any(row["label"] for row in points) else ""
        charts.append(drawn(lambda px: curve_chart(points, px), "Power against load", words, _BARS, more))
    if caps := cap_chart_rows(calibration):
        words = "; ".join(f"{row['j']:.3g} J at {row['limit']:.4g} W" for row in caps)
        charts.append(
            drawn(lambda px: cap_chart(caps, px), "Energy per token under power limits", words, _BARS)
        )
    return charts


def render_calibration(calibration: Calibration, rates: Rates) -> str:
    """Return the page as text. Only the charts' own SVG is trusted markup; all else is escaped."""
    page = {
        "title": title(calibration),
        "made": made(calibration),
        "loud": flag_lines(calibration),
        "idle": idle_rows(calibration),
        "standby": standby_lines(standby_figures(calibration, rates)),
        "charts": _charts(calibration),
        "loads": load_rows(calibration),
        "caps": cap_rows(calibration),
        "wall": wall_line(calibration),
        "missing": list(missing_lines(calibration)),
        "definitions": (*standby.DEFINITIONS, *wall_model.DEFINITIONS),
        "version": __version__,
    }
    return template("calibration").render(page=page)


def write_calibration(calibration: Calibration, rates: Rates, path: Path) -> None:
    """Write the page to ``path``; raises `InputError` when that fails."""
    fix = f"make {path.parent} a folder that you may write in, or name another file with --html"
    write_page(path, render_calibration(calibration, rates), fix=fix)

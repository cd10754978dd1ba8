"""A sweep as one page: a single file, offline, without scripts."""

from __future__ import annotations

from pathlib import Path

from joulemark import __version__
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.page_file import write_page
from joulemark.report.sweep_chart import PANEL_PX, Panel, axes_drawn, panel_chart, panel_words, panels
from joulemark.report.sweep_table import columns, energy_unit, matrix, sweep_rows
from joulemark.report.sweep_words import (
    axis_title,
    nothing_drawn,
    point_text,
    progress_text,
    subject,
    title,
    warnings,
)
from joulemark.report.templates import template
from joulemark.report.wording import DASH, printable
from joulemark.sweeps.points import Swept
from joulemark.sweeps.setting import setting_text

_NO_BARS = "No interval is known of these figures."


def _drawing(panel: Panel) -> Drawing:
    bars = "" if any(row["lo"] is not None for row in panel.rows) else _NO_BARS
    return drawn(
        lambda px: panel_chart(panel, px),
        f"{panel.title}, {panel.unit}",
        panel_words(panel),
        bars if panel.unit.startswith("J") else "",
        wide_px=PANEL_PX,
        narrow_px=None,
    )


def render_sweep(swept: Swept, *, frontier: str = "") -> str:
    """Return the page as text; ``frontier`` is the name of the frontier's page beside it.

    Only the charts' own SVG is trusted markup; all else is escaped.
    """
    rows, titles = sweep_rows(swept), columns(swept)
    shown = [k for k in range(len(titles)) if any(row.cells[k] != DASH for row in rows)]
    page = {
        "title": title(swept),
        "subject": subject(swept),
        "warnings": warnings(swept),
        "progress": progress_text(swept),
        "nothing_drawn": nothing_drawn(swept),
        "frontier": frontier,
        "axes": [
            (axis_title(name), [_drawing(panel) for panel in panels(swept, name)])
            for name in axes_drawn(swept)
        ],
        "matrix": matrix(swept),
        "unit": energy_unit(swept),
        "columns": [titles[k] for k in shown],
        "rows": [(row.name, row.state, [row.cells[k] for k in shown], row.why) for row in rows],
        "base": [(printable(name), printable(_text(value))) for name, value in swept.record.base.items()],
        "rules": [(printable(reason), printable(rule)) for reason, rule in swept.record.skip.items()],
        "failures": [
            (point_text(one.record.values, swept.record.axes), printable(one.why), _lines(one.record.detail))
            for one in swept.points
            if one.record.state == "failed"
        ],
        "lines": [
            (
                point_text(one.record.values, swept.record.axes),
                [printable(line) for line in (*one.record.launch, one.record.command)],
            )
            for one in swept.points
            if one.record.command
        ],
        "version": __version__,
    }
    return template("sweep").render(page=page)


def write_sweep(swept: Swept, path: Path, *, frontier: str = "", fix: str) -> None:
    """Write the page to ``path``; raises `InputError` (``fix`` by the caller) when that fails."""
    write_page(path, render_sweep(swept, frontier=frontier), fix=fix)


def _lines(text: str) -> str:
    return "\n".join(printable(line, keep_spaces=True) for line in text.splitlines())


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return setting_text(value) if isinstance(value, str | int | float | bool) else ""

"""A recommendation as one page: a single file, offline, without scripts."""

from __future__ import annotations

from pathlib import Path

from joulemark import __version__
from joulemark.metrics.recommendation import Recommendation
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.frontier_chart import energy_chart, energy_rows, frontier_chart, frontier_rows
from joulemark.report.frontier_table import detail_rows, point_rows
from joulemark.report.frontier_words import (
    evidence,
    figure_title,
    leads,
    left_out_first,
    left_out_lines,
    limit_lines,
    missed,
    named,
    note_lines,
    objective_title,
    simulated_line,
    title,
)
from joulemark.report.page_file import write_page
from joulemark.report.templates import template
from joulemark.report.wording import printable

_STEPS = "The steps are the front: nothing needs less energy at that latency. The dashed line is the limit."
_NO_BARS = "No interval is known of these figures."
_ESTIMATE = (
    "The dim bars are rated power × time: modelled, what is assumed where nobody measures. The number beside "
    "them tells how many times too high that is."
)
_BAR_WIDE_PX, _BAR_NARROW_PX = 520, 130  # beside the names


def _charts(found: Recommendation) -> list[Drawing]:
    charts = []
    rows = frontier_rows(found)
    if rows:
        heading = f"{objective_title(found)} against {figure_title(found.latency)}"
        front = [row for row in rows if row["front"]]
        words = f"{len(rows)} configurations, {len(front)} on the front. {' '.join(leads(found))}"
        bars = "" if any(row["lo"] is not None for row in rows) else _NO_BARS
        charts.append(drawn(lambda px: frontier_chart(found, rows, px), heading, words, _STEPS, bars))
    energies = energy_rows(found)
    if energies:
        words = "; ".join(f"{row['name']}: {row['energy']:.4g} J {row['ratio']}".rstrip() for row in energies)
        note = _ESTIMATE if any(row["estimate"] is not None for row in energies) else ""
        charts.append(
            drawn(
                lambda px: energy_chart(found, energies, px),
                "Energy, and what rated power would have made of it",
                words,
                note,
                wide_px=_BAR_WIDE_PX,
                narrow_px=_BAR_NARROW_PX,
            )
        )
    return charts


def render_frontier(found: Recommendation) -> str:
    """Return the page as text. Only the charts' own SVG is trusted markup; all else is escaped."""
    page = {
        "title": title(found),
        "warning": simulated_line(found),
        "leads": leads(found),
        "left_out_first": left_out_first(found),
        "found": found.pick is not None,
        "limits": limit_lines(found),
        "charts": _charts(found),
        "columns": (objective_title(found), figure_title(found.latency)),
        "rows": point_rows(found),
        "details": detail_rows(found),
        "misses": [(named(miss.point, found), missed(miss)) for miss in found.near_misses],
        "evidence": evidence(found) if found.ranked else "",
        "notes": note_lines(found),
        "left_out": left_out_lines(found),
        "origins": sorted({printable(point.origin) for point in found.ranked}),
        "version": __version__,
    }
    return template("frontier").render(page=page)


def write_frontier(found: Recommendation, path: Path, *, fix: str) -> None:
    """Write the page to ``path``; raises `InputError` (``fix`` by the caller) when that fails."""
    write_page(path, render_frontier(found), fix=fix)

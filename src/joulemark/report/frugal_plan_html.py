"""A plan as one page: a single file, offline, without scripts."""

from __future__ import annotations

from pathlib import Path

from joulemark import __version__
from joulemark.frugal.planning.plan import Plan
from joulemark.frugal.planning.plan_course import course_of
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.frugal_plan_chart import MAX_LINES, course_chart, course_points
from joulemark.report.frugal_plan_words import (
    cost_rows,
    course_rows,
    lead,
    note_lines,
    task_rows,
    title,
    total_row,
)
from joulemark.report.page_file import write_page
from joulemark.report.templates import template

_LINES = (
    "Across: how well the figure is to be known; up: the share of the items that takes. The dashed line is "
    "the target, the dotted one the 40.7 % of the published cut-off, which knows of no target."
)


def _charts(found: Plan) -> list[Drawing]:
    rows = course_points(found)
    if not rows:
        return []
    words = "; ".join(f"{target}: {n} items, {share}" for target, n, share in course_rows(course_of(found)))
    many = f"Of more than {MAX_LINES} tasks only the sum is drawn." if len(found.tasks) > MAX_LINES else ""
    heading = "Items needed against the target"
    return [drawn(lambda px: course_chart(found, rows, px), heading, words, _LINES, many)]


def render_plan(found: Plan) -> str:
    """Return the page as text. Only the chart's own SVG is trusted markup; all else is escaped."""
    rows = task_rows(found)
    page = {
        "title": title(found),
        "lead": lead(found),
        "charts": _charts(found),
        "costs": cost_rows(found),
        "binding": any(row.binding for row in rows),
        "rows": rows,
        "total": total_row(found) if len(rows) > 1 else None,
        "course": course_rows(course_of(found)),
        "notes": note_lines(found),
        "version": __version__,
    }
    return template("frugal_plan").render(page=page)


def write_plan(found: Plan, path: Path, *, fix: str) -> None:
    """Write the page to ``path``; raises `InputError` (``fix`` by the caller) when that fails."""
    write_page(path, render_plan(found), fix=fix)

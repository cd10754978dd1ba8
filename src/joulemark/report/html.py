"""The report of a run as one page: a single file, offline, without scripts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from joulemark.metrics.catalogue import definition
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value
from joulemark.record.energy import MeasuredEnergy
from joulemark.report.course import course_chart, course_words, slowed_words
from joulemark.report.course_rows import MAX_REQUESTS
from joulemark.report.distributions import beyond, latency_chart
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.item_cost import cost_notes, item_cost_chart, item_costs, model_line
from joulemark.report.of_load import is_loaded
from joulemark.report.page import page_values
from joulemark.report.page_file import write_page
from joulemark.report.templates import template
from joulemark.report.theme import NARROW_PX
from joulemark.report.verdicts import lost, verdict_chart, verdict_words
from joulemark.report.wording import figure_texts

if TYPE_CHECKING:
    from joulemark.code.joined.figures import ProgramFigures


def _course(run: RunView) -> Drawing | None:
    if not run.measured_items:
        return None
    title = "Power over the run" if run.timelines else "The course of the run"
    each = (
        "each request" if len(run.measured_items) <= MAX_REQUESTS else "the requests of each stretch of time"
    )
    shaded = f"Shaded: warm-up, the measured window and pauses. The strip below shows {each} by verdict."
    metered = isinstance(run.headline_energy, MeasuredEnergy)
    slowed = slowed_words(run.throttle_s, run.duration_s, metered=metered)
    return drawn(lambda px: course_chart(run, px, run.slowed), title, course_words(run), shaded, slowed)


def _costs(summary: Summary, run: RunView) -> Drawing | None:
    costs = item_costs(run)
    if not costs.drawn:
        return None
    line = model_line(run, summary.cost_model) if costs.axis == "joules" else []
    title = f"{costs.title} against its length"
    words = f"{len(costs.drawn)} requests: {costs.axis} over output tokens, coloured and shaped by verdict."
    return drawn(lambda px: item_cost_chart(costs, line, px), title, words, *cost_notes(costs, line, run))


def _small(summary: Summary) -> list[Drawing]:
    if not summary.n_requests:
        return []
    found = []
    seen: set[tuple[float, ...]] = set()
    for name, latency in summary.latency.items():
        if not latency.samples_s or latency.samples_s in seen:
            continue
        seen.add(latency.samples_s)
        title = definition(name).title
        words = f"Histogram of {len(latency.samples_s)} values in seconds."
        left_out = beyond(latency)
        note = f"n = {len(latency.samples_s):,}"
        if left_out.n:
            note += f", {left_out.n:,} beyond, up to {figure_texts(name, Value(left_out.max_s, 's'))[0]}"
        chart = partial(latency_chart, latency)
        found.append(drawn(chart, title, words, note, wide_px=NARROW_PX, narrow_px=None))
    return found


def _verdicts(summary: Summary) -> list[Drawing]:
    if not summary.n_requests:
        return []
    title = "Of the requests, and of what they cost" if summary.by_verdict.resource else "Of the requests"
    return [drawn(lambda px: verdict_chart(summary, px), title, verdict_words(summary), lost(summary))]


def render(summary: Summary, run: RunView, programs: ProgramFigures | None = None) -> str:
    """Return the page as text. Only the charts' own SVG is trusted markup; all else is escaped."""
    return template("page").render(page=report_values(summary, run, programs))


def report_values(
    summary: Summary, run: RunView, programs: ProgramFigures | None = None
) -> dict[str, object]:
    """Return everything that the page shows, its charts drawn."""
    section = None
    if programs is not None:
        from joulemark.report.page_programs import programs_section  # all of generated code hangs on it

        section = programs_section(programs)
    return {
        **page_values(summary, run, section),
        "course": None if is_loaded(summary) else _course(run),  # a load has a picture of its own
        "cost_chart": _costs(summary, run),
        "verdict_charts": _verdicts(summary),
        "small_charts": _small(summary),
    }


def write_report(summary: Summary, run: RunView, path: Path, programs: ProgramFigures | None = None) -> None:
    """Write the page to ``path``; raises `InputError` when the place cannot be written.

    ``programs``: the figures of the programs in its answers, null where there are none.
    """
    fix = f"free space or permit writing in {path.parent}, then: joulemark report {path.parent}"
    write_page(path, render(summary, run, programs), fix=fix)

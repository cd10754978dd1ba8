"""The report of a run as one page: a single file, offline, without scripts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from joulemark.metrics.catalogue import definition
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.errors import InputError
from joulemark.report.course import course_chart, course_words, slowed_words
from joulemark.report.course_rows import MAX_REQUESTS
from joulemark.report.distributions import beyond, latency_chart
from joulemark.report.item_cost import cost_notes, item_cost_chart, item_costs, model_line
from joulemark.report.page import page_values
from joulemark.report.theme import NARROW_PX, WIDE_PX, Picture, svg
from joulemark.report.verdicts import lost, verdict_chart, verdict_words
from joulemark.report.wording import figure_texts


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG markup, for wide and (where it does not fit) for narrow windows."""

    title: str
    wide: Markup
    narrow: Markup | None = None
    notes: tuple[str, ...] = ()


def _both(draw: Callable[[int], Picture], title: str, words: str, *notes: str) -> Drawing:
    wide, narrow = (Markup(svg(draw(px), title, words)) for px in (WIDE_PX, NARROW_PX))
    return Drawing(title, wide, narrow, tuple(note for note in notes if note))


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
    return _both(lambda px: course_chart(run, px, run.slowed), title, course_words(run), shaded, slowed)


def _costs(summary: Summary, run: RunView) -> Drawing | None:
    costs = item_costs(run)
    if not costs.drawn:
        return None
    line = model_line(run, summary.cost_model)
    title = f"{costs.title} against its length"
    words = f"{len(costs.drawn)} requests: {costs.axis} over output tokens, coloured and shaped by verdict."
    return _both(lambda px: item_cost_chart(costs, line, px), title, words, *cost_notes(costs, line, run))


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
        found.append(
            Drawing(title, Markup(svg(latency_chart(latency, NARROW_PX), title, words)), None, (note,))
        )
    return found


def _verdicts(summary: Summary) -> list[Drawing]:
    if not summary.n_requests:
        return []
    title = "Of the requests, and of what they cost" if summary.by_verdict.resource else "Of the requests"
    return [_both(lambda px: verdict_chart(summary, px), title, verdict_words(summary), lost(summary))]


def coded(text: str) -> Markup:
    """Return a sentence, escaped, with its `commands` set as code."""
    parts = [escape(part) for part in text.split("`")]
    # an odd number of back-ticks leaves the last one as it is
    if len(parts) % 2 == 0:
        parts[-2:] = [parts[-2] + "`" + parts[-1]]
    return Markup("").join(Markup("<code>{}</code>").format(p) if k % 2 else p for k, p in enumerate(parts))


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("joulemark.report", ""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["coded"] = coded
    return environment.get_template("page.html.jinja")


def render(summary: Summary, run: RunView) -> str:
    """Return the page as text. Only the charts' own SVG is trusted markup; all else is escaped."""
    values = {
        **page_values(summary, run),
        "course": _course(run),
        "cost_chart": _costs(summary, run),
        "verdict_charts": _verdicts(summary),
        "small_charts": _small(summary),
    }
    return _template().render(page=values)


def write_report(summary: Summary, run: RunView, path: Path) -> None:
    """Write the page to ``path``, at once: a reader sees the old page or the new one, never half of one.

    Raises `InputError` when the place cannot be written.
    """
    text = render(summary, run)
    try:
        handle, name = tempfile.mkstemp(prefix=".report-", suffix=".html", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise InputError(
            f"the report {path} could not be written",
            why=error.strerror or str(error),
            fix=f"free space or permit writing in {path.parent}, then: joulemark report {path.parent}",
        ) from error

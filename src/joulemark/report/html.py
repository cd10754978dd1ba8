"""The report of a run as one page: a single file, offline, without scripts."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup, escape

from joulemark.metrics.catalogue import definition
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value
from joulemark.record.errors import InputError
from joulemark.report.course import course_chart, course_words
from joulemark.report.distributions import beyond, latency_chart, verdict_chart
from joulemark.report.item_cost import item_cost_chart, item_costs
from joulemark.report.page import page_values
from joulemark.report.theme import NARROW_PX, WIDE_PX, svg
from joulemark.report.wording import figure_texts


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG markup, for wide and (where it does not fit) for narrow windows."""

    title: str
    wide: Markup
    narrow: Markup | None = None
    note: str = ""


def _course(run: RunView) -> Drawing:
    title = "Power over the run" if run.timelines else "The course of the run"
    words = course_words(run)
    wide, narrow = (Markup(svg(course_chart(run, px), title, words)) for px in (WIDE_PX, NARROW_PX))
    note = "Shaded: the measured window, warm-up and pauses. The strip below shows each request."
    return Drawing(title, wide, narrow, note)


def _costs(run: RunView) -> Drawing | None:
    costs = item_costs(run)
    if not costs.points:
        return None
    words = f"{len(costs.points)} points, one a request, in {costs.axis}, coloured and shaped by verdict."
    wide, narrow = (
        Markup(svg(item_cost_chart(costs, px), costs.title, words)) for px in (WIDE_PX, NARROW_PX)
    )
    note = "Bars: the meter's bound of the item." if any(p["lo"] is not None for p in costs.points) else ""
    if costs.n_without:
        note = f"{note} {costs.n_without} requests have none and are not drawn.".strip()
    return Drawing(costs.title, wide, narrow, note)


def _small(summary: Summary) -> list[Drawing]:
    if not summary.n_requests:
        return []
    verdicts = svg(verdict_chart(summary.verdicts, NARROW_PX - 20), "Verdicts", _counted(summary))
    found = [Drawing("What became of the answers", Markup(verdicts))]
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
        found.append(Drawing(title, Markup(svg(latency_chart(latency, NARROW_PX), title, words)), None, note))
    return found


def _counted(summary: Summary) -> str:
    return ", ".join(f"{count} {name}" for name, count in summary.verdicts.items() if count)


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
    costs = _costs(run)
    charts = [_course(run), *([costs] if costs else [])] if run.measured_items else []
    values = {**page_values(summary, run), "charts": charts, "small_charts": _small(summary)}
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

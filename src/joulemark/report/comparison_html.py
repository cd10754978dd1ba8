"""A comparison as one page: a single file, offline, without scripts."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from joulemark import __version__
from joulemark.metrics.compare import Comparison
from joulemark.metrics.compare_definitions import DEFINITIONS
from joulemark.metrics.compare_runs import ComparedRun, RunsComparison
from joulemark.record.errors import InputError
from joulemark.report.comparison import findings, headline
from joulemark.report.comparison_chart import forest_chart, forest_rows, paired_chart, paired_costs
from joulemark.report.comparison_tables import (
    COLUMNS,
    TWO_COSTS,
    ratio_rows,
    reversal_sentence,
    run_lines,
    setting_rows,
    warnings,
)
from joulemark.report.html import coded
from joulemark.report.theme import NARROW_PX, svg
from joulemark.report.wording import printable

_FOREST_WIDE_PX, _FOREST_NARROW_PX = 270, 150  # beside the names of the figures
_PAIRED_WIDE_PX = 350


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart as SVG markup, for wide and for narrow windows."""

    title: str
    wide: Markup
    narrow: Markup
    note: str = ""


def _forest(a: str, b: str, comparison: Comparison) -> list[Drawing]:
    rows = forest_rows(comparison)
    if not rows:
        return []
    title = f"{b} / {a} with 95 % intervals"
    words = "; ".join(f"{row['figure']}: {row['value']:.3g}, {row['verdict']}" for row in rows)
    wide, narrow = (
        Markup(svg(forest_chart(rows, a, b, px), title, words)) for px in (_FOREST_WIDE_PX, _FOREST_NARROW_PX)
    )
    note = (
        "Right of the dashed line there is more of it in "
        + b
        + ". An interval that touches the line is a tie."
    )
    return [Drawing(title, wide, narrow, note)]


def _paired(first: ComparedRun, run: ComparedRun, comparison: Comparison) -> list[Drawing]:
    if not comparison.paired:
        return []
    costs = paired_costs(first.view, run.view, first.label, run.label)
    if not costs.points:
        return []
    title = f"The same items in {first.label} and {run.label}"
    words = (
        f"{len(costs.points)} points, one an item: {costs.unit} in {first.label} across, in {run.label} up."
    )
    wide, narrow = (
        Markup(svg(paired_chart(costs, first.label, run.label, px), title, words))
        for px in (_PAIRED_WIDE_PX, NARROW_PX)
    )
    note = f"Above the dashed line an item took more {costs.unit} in {run.label}."
    if costs.n_without:
        note += f" {costs.n_without:,} items without a cost of their own are not drawn."
    return [Drawing(title, wide, narrow, note)]


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
    return environment.get_template("comparison.html.jinja")


def render_comparison(compared: RunsComparison) -> str:
    """Return the page as text. Only the charts' own SVG is trusted markup; all else is escaped."""
    first = compared.runs[0]
    pairs = [
        {
            "b": run.label,
            "headline": headline(first.label, run.label, comparison),
            "findings": list(findings(first.label, run.label, comparison)),
            "charts": [*_forest(first.label, run.label, comparison), *_paired(first, run, comparison)],
            "rows": ratio_rows(first.label, run.label, comparison),
            "settings": setting_rows(comparison),
        }
        for run, comparison in zip(compared.runs[1:], compared.comparisons, strict=True)
    ]
    page = {
        "title": _title(compared),
        "first": first.label,
        "pairs": pairs,
        "runs": run_lines(compared),
        "columns": list(COLUMNS.values()),
        "reversals": [reversal_sentence(reversal) for reversal in compared.reversals],
        "two_costs": TWO_COSTS,
        "loud": warnings(compared, loud=True),
        "notes": warnings(compared, loud=False),
        "definitions": DEFINITIONS,
        "version": __version__,
    }
    return _template().render(page=page)


def _title(compared: RunsComparison) -> str:
    """Return what tells the runs apart: their models, else their tasks, else their directories."""
    for name in ("model", "task"):
        told = [printable(getattr(run.summary, name)) for run in compared.runs]
        if len(set(told)) == len(told):
            return " against ".join(told)
    return " against ".join(printable(Path(run.name).name) for run in compared.runs)


def write_comparison(compared: RunsComparison, path: Path) -> None:
    """Write the page to ``path``, at once: a reader sees the old page or the new one, never half of one.

    Raises `InputError` when the place cannot be written.
    """
    text = render_comparison(compared)
    try:
        handle, name = tempfile.mkstemp(prefix=".comparison-", suffix=".html", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise InputError(
            f"the page {path} could not be written",
            why=error.strerror or str(error),
            fix=f"make {path.parent} a directory you may write in, or name another file with --html",
        ) from error

"""A comparison as one page: a single file, offline, without scripts."""

from __future__ import annotations

from pathlib import Path

from joulemark import __version__
from joulemark.metrics.compare import Comparison
from joulemark.metrics.compare_definitions import DEFINITIONS
from joulemark.metrics.compare_runs import ComparedRun, RunsComparison
from joulemark.report.comparison import findings, is_busy
from joulemark.report.comparison_chart import forest_chart, forest_rows, paired_chart, paired_costs
from joulemark.report.comparison_lead import (
    OTHER_TASKS,
    are_tasks_of_one_model,
    leads,
    pair_headlines,
    title,
)
from joulemark.report.comparison_tables import (
    TWO_COSTS,
    columns,
    ratio_notes,
    ratio_rows,
    reversal_sentence,
    run_lines,
    setting_rows,
    warnings,
)
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.page_file import write_page
from joulemark.report.templates import template

_FOREST_WIDE_PX, _FOREST_NARROW_PX = 270, 150  # beside the names of the figures
_PAIRED_WIDE_PX = 350


def _forest(a: str, b: str, comparison: Comparison) -> list[Drawing]:
    rows = forest_rows(comparison)
    if not rows:
        return []
    heading = f"{b} / {a} with 95 % intervals"
    words = "; ".join(f"{row['figure']}: {row['value']:.3g}, {row['verdict']}" for row in rows)
    note = f"Right of the dashed line there is more of it in {b}. An interval that touches the line is a tie."
    return [
        drawn(
            lambda px: forest_chart(rows, a, b, px),
            heading,
            words,
            note,
            wide_px=_FOREST_WIDE_PX,
            narrow_px=_FOREST_NARROW_PX,
        )
    ]


def _paired(first: ComparedRun, run: ComparedRun, comparison: Comparison) -> list[Drawing]:
    if not comparison.paired:
        return []
    costs = paired_costs(first.view, run.view, first.label, run.label)
    if not costs.points or (costs.unit == "CPU seconds" and is_busy(comparison)):
        return []
    heading = f"The same items in {first.label} and {run.label}"
    words = (
        f"{len(costs.points)} points, one an item: {costs.unit} in {first.label} across, in {run.label} up."
    )
    note = f"Above the dashed line an item took more {costs.unit} in {run.label}."
    if costs.n_without:
        note += f" {costs.n_without:,} items without a cost of their own are not drawn."
    return [
        drawn(
            lambda px: paired_chart(costs, first.label, run.label, px),
            heading,
            words,
            note,
            wide_px=_PAIRED_WIDE_PX,
        )
    ]


def render_comparison(compared: RunsComparison) -> str:
    """Return the page as text. Only the charts' own SVG is trusted markup; all else is escaped."""
    first = compared.runs[0]
    pairs = [
        {
            "b": run.label,
            "headline": said,
            "findings": list(findings(first.label, run.label, comparison)),
            "charts": [*_forest(first.label, run.label, comparison), *_paired(first, run, comparison)],
            "rows": (rows := ratio_rows(first.label, run.label, comparison)),
            "notes": ratio_notes(rows),
            "settings": setting_rows(comparison),
        }
        for run, comparison, said in zip(
            compared.runs[1:], compared.comparisons, pair_headlines(compared), strict=True
        )
    ]
    page = {
        "title": title(compared),
        "leads": leads(compared),
        "are_tasks": are_tasks_of_one_model(compared),
        "other_tasks": OTHER_TASKS,
        "first": first.label,
        "pairs": pairs,
        "runs": run_lines(compared),
        "columns": columns(),
        "reversals": [reversal_sentence(reversal) for reversal in compared.reversals],
        "two_costs": TWO_COSTS,
        "loud": warnings(compared, loud=True),
        "notes": warnings(compared, loud=False),
        "definitions": DEFINITIONS,
        "version": __version__,
    }
    return template("comparison").render(page=page)


def write_comparison(compared: RunsComparison, path: Path, *, fix: str | None = None) -> None:
    """Write the page to ``path``; raises `InputError` (``fix`` by the caller) when that fails."""
    default = f"make {path.parent} a directory you may write in, with space left"
    write_page(path, render_comparison(compared), fix=fix or default)

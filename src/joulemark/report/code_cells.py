"""Figures of groups of problems, or of models, as cells of a table: none without how many tasks it is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.metrics.code.by_group import Figures
from joulemark.metrics.code.queued import Queued
from joulemark.metrics.value import Value
from joulemark.record.code_run import Purpose
from joulemark.report.busy import DAGGER
from joulemark.report.code_busy import is_of_busy_wall
from joulemark.report.wording import figure_texts, printable

OF_GROUPS = (
    "in brackets: of how many tasks; below: the 95 % interval, where there are enough; NET is a mean of "
    "ratios, NET and NMU corrected are geometric means"
)
GROUP_COLUMNS = {
    "pass_at_1": "pass@1",
    "net": "NET",
    "net_corrected": "NET corrected",
    "nmu_corrected": "NMU corrected",
    "growth_excess_mean": "growth beyond (exponent)",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of a group or a model: the number with how many tasks it is of, and its interval if any."""

    text: str
    interval: str = ""


def cell_of(name: str, value: Value | None) -> Cell:
    """Return a figure as a cell of a table; the interval is that of 95 %."""
    if value is None:
        return Cell("")
    text, interval = figure_texts(name, value)
    of = f" ({value.n:,})" if value.n is not None and value.value is not None else ""
    has_one = value.value is not None and value.lo is not None
    return Cell(text + of, interval.removeprefix("95 % interval ") if has_one else "")


def group_rows(groups: Mapping[str, Figures]) -> list[tuple[str, list[Cell]]]:
    """Return a row of cells for each group."""
    return [
        (printable(group).replace("_", " "), [cell_of(name, figures.get(name)) for name in GROUP_COLUMNS])
        for group, figures in groups.items()
    ]


def group_columns(queued: Mapping[Purpose, Queued]) -> list[str]:
    """Return the heads of the columns of groups."""
    return [
        f"{title} {DAGGER}" if is_of_busy_wall(name, queued) else title
        for name, title in GROUP_COLUMNS.items()
    ]

"""So few right programs that one table shows them all; of more the worst and the best are listed."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.code.by_group import N_SHOWN
from joulemark.metrics.code.summary import CodeSummary
from joulemark.report.busy import DAGGER
from joulemark.report.code_busy import is_of_busy_wall
from joulemark.report.wording import DASH

TITLE = "Every right program: what it takes over the reference's"
_HEADS = {
    "cpu_ratio": "CPU time",
    "memory_ratio": "memory",
    "memory_time_ratio": "memory over time",
    "growth_excess": "growth beyond",
    "net": "NET",
    "nmu": "NMU",
    "ntmu": "NTMU",
}
_MISSING = f"{DASH}: ended, failed, or could not be measured; such a program may be worse than all others"


@dataclass(frozen=True, slots=True)
class FewRow:
    """A right program and its value of each column, as text."""

    problem: str
    sample: int
    program: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Few:
    """All right programs, the slowest first; ``note`` says what a dash is, where there is one."""

    columns: tuple[str, ...]
    rows: tuple[FewRow, ...]
    note: str


def few_of(summary: CodeSummary) -> Few | None:
    """Return the table of all right programs; null where there are none, or more than a list shows."""
    right = [sample for sample in summary.samples if sample.passed]
    names = [name for name in _HEADS if (one := summary.extremes.get(name)) is not None and one.worst]
    if not names or len(right) > N_SHOWN:
        return None
    texts = {
        name: {(one.problem, one.number): one.text for one in summary.extremes[name].worst} for name in names
    }
    order = [(one.problem, one.number) for one in summary.extremes[names[0]].worst]
    right.sort(key=lambda one: _place((one.problem, one.number), order))
    rows = tuple(
        FewRow(
            one.problem,
            one.number,
            one.program or "",
            tuple(texts[name].get((one.problem, one.number), DASH) for name in names),
        )
        for one in right
    )
    columns = tuple(_head(name, summary) for name in names)
    return Few(columns, rows, _MISSING if any(DASH in row.cells for row in rows) else "")


def _place(name: tuple[str, int], order: list[tuple[str, int]]) -> int:
    """Return the place in an order; what has none is first, for it may be the worst."""
    return order.index(name) if name in order else -1


def _head(name: str, summary: CodeSummary) -> str:
    figure = "ntmu_corrected" if name == "memory_time_ratio" else name
    return f"{_HEADS[name]} {DAGGER}" if is_of_busy_wall(figure, summary.queued) else _HEADS[name]

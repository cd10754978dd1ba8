"""The worst and the best programs by each metric, as the terminal and the page title them."""

from __future__ import annotations

from joulemark.metrics.code.by_group import Extremes
from joulemark.metrics.code.summary import CodeSummary
from joulemark.report.busy import DAGGER
from joulemark.report.code_busy import is_of_busy_wall
from joulemark.report.wording import printable

EXTREMES = {
    "cpu_ratio": "CPU time over the reference's",
    "memory_ratio": "peak memory over the reference's",
    "memory_time_ratio": "memory over time, over the reference's",
    "growth_excess": "growth beyond the reference's",
    "net": "NET as the paper defines it: execution time",
    "nmu": "NMU as the paper defines it: peak memory",
    "ntmu": "NTMU as the paper defines it: memory over time",
}


def extremes_of(summary: CodeSummary) -> list[tuple[str, Extremes]]:
    """Return metrics with the worst and the best by each, marked where a busy machine's wall is in it."""
    found = []
    for name, title in EXTREMES.items():
        one = summary.extremes.get(name)
        if one is not None and one.worst:
            figure = "ntmu_corrected" if name == "memory_time_ratio" else name
            marked = f"{title} {DAGGER}" if is_of_busy_wall(figure, summary.queued) else title
            found.append((marked, one))
    return found


def is_alike(found: Extremes) -> bool:
    """Tell whether the worst and the best are shown with one value."""
    return len(found.worst) > 1 and found.worst[0].text == found.best[0].text


def unplaced_words(found: Extremes) -> str:
    """Say how many programs have no place by a metric, of which any may be the worst; empty for none."""
    n = found.n_unplaced
    if not n:
        return ""
    they = "1 more right program has" if n == 1 else f"{n} more right programs have"
    it = "it was" if n == 1 else "they were"
    return f"{they} no place here ({it} ended, failed, or could not be measured) and may be worse"


def algorithm_counts(found: Extremes, *, least: int = 1) -> str:
    """Say how many of the worst are of which algorithm class, of those with at least so many."""
    return ", ".join(
        f"{printable(name).replace('_', ' ')} {count}" for name, count in found.algorithms if count >= least
    )

"""The table of latencies: percentiles without and with failures."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.catalogue import definition
from joulemark.metrics.latency import PERCENTILES, Latency
from joulemark.metrics.summary import Summary
from joulemark.record.reason import Reason
from joulemark.report.busy import marked
from joulemark.report.cells import Cell, cell
from joulemark.report.wording import too_few, why


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """A line of the table; the second form of a latency has no anchor.

    ``reason`` is a sentence where the latency is withheld.
    """

    title: str
    cells: list[Cell]
    n: int
    reason: str = ""
    anchor: str = ""


def latency_cells(latency: Latency, *, with_failures: bool) -> list[Cell]:
    """Return the percentiles of one latency; one that falls on a failed request says so."""
    values = latency.with_failures if with_failures else latency.answered
    return [
        Cell("failed") if value.reason is Reason.REQUEST_FAILED else cell(latency.name, value)
        for value in values.values()
    ]


def latency_rows(summary: Summary) -> list[LatencyRow]:
    """Return a line for each latency, with the second form where requests failed."""
    found: list[LatencyRow] = []
    for name, latency in summary.latency.items():
        if latency.answered[PERCENTILES[0]].reason is Reason.NOT_SCHEDULED:
            continue  # a closed loop knows no time at which a request was due: no line is worth saying so
        n = len(latency.samples_s)
        reason = why(latency.answered[PERCENTILES[0]])
        cells = latency_cells(latency, with_failures=False)
        found.append(LatencyRow(marked(name, definition(name).title, summary), cells, n, reason, name))
        if latency.n_failed and n:
            cells = latency_cells(latency, with_failures=True)
            found.append(LatencyRow("with failures", cells, n + latency.n_failed))
    return found


def latency_notes(summary: Summary) -> list[str]:
    """Return how the percentiles are to be read; of failures only where requests failed."""
    found = ["Percentiles by nearest rank."]
    if any(one.n_failed and one.samples_s for one in summary.latency.values()):
        found.append(
            'The lines "with failures" count each failed request as infinitely late; "failed" is a '
            "percentile that falls on one."
        )
    return [*found, *filter(None, [too_few(summary)])]

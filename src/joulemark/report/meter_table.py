"""The table of meters: what was read, and how far its self-test had it believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.metrics.run_view import RunView
from joulemark.record.simulated import is_simulated_board
from joulemark.report.cells import Cell, notes
from joulemark.report.wording import DASH, printable

_NO_CHANGE = "The self-test did not see it change."
_NOT_BOTH = "The source has not both a counter and a power gauge to compare."


@dataclass(frozen=True, slots=True)
class MeterRow:
    """A source with the outcome of its self-test."""

    name: str
    scope: str
    trust: str
    period: Cell
    ratio: Cell


def meter_rows(run: RunView) -> list[MeterRow]:
    """Return the sources that were read; each segment tested them anew."""
    found = []
    several = len(run.manifest.segments) > 1
    for meter in run.manifest.meters:
        source = meter.qualified
        test = source.qualification
        period = Cell(DASH, _NO_CHANGE)
        if test.update_period_s is not None:
            period = Cell(f"{test.update_period_s * 1e3:,.0f} ms")
        ratio = Cell(DASH, _NOT_BOTH)
        if test.counter_over_power is not None:
            ratio = Cell(f"{test.counter_over_power:.3f}")
        trust = f"{test.trust.value}: {printable(test.reason)}" if test.reason else test.trust.value
        name = f"{source.info.name} (replayed)" if source.info.kind == "replay" else source.info.name
        name += " (SIMULATED)" if is_simulated_board(source.info) else ""
        name += f", segment {meter.segment + 1}" if several else ""
        found.append(MeterRow(printable(name), str(source.info.scope), trust, period, ratio))
    return found


def meter_notes(rows: Sequence[MeterRow]) -> list[str]:
    """Return why cells of the table are dashes."""
    return notes(
        [("Update period", row.period) for row in rows] + [("Counter ÷ power", row.ratio) for row in rows]
    )

"""Money and carbon of all rows at one price and one grid, a reader's own: rows can be compared in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from joulemark.board.standing.board_row import BoardRow, Figure, Spread
from joulemark.board.standing.figure_names import HEADLINE
from joulemark.board.standing.snapshot import Snapshot

JOULES_PER_KWH = 3.6e6
MOST_PRICE, MOST_GRID = 100.0, 10_000.0
"""USD a kWh and g CO2e a kWh: more than anybody pays or any grid emits."""
_KEPT = 4
_UNITS = {"usd_per_correct_answer": "USD", "gco2e_per_correct_answer": "gCO2e"}


@dataclass(frozen=True, slots=True)
class OwnRates:
    """What a reader's electricity costs and emits, a kWh; null: as each submitter declared it."""

    usd_per_kwh: float | None = None
    gco2e_per_kwh: float | None = None

    def by_figure(self) -> Mapping[str, float]:
        """Return the rates that are given, by the figure that they make."""
        rates = {"usd_per_correct_answer": self.usd_per_kwh, "gco2e_per_correct_answer": self.gco2e_per_kwh}
        return {name: rate for name, rate in rates.items() if rate is not None}


def at_rates(found: Snapshot, rates: OwnRates) -> Snapshot:
    """Return the rows at a reader's rates; those of the last few readers are kept with the snapshot.

    Only metered joules are priced: a row without them has neither money nor carbon here, whatever its
    submitter paid for tokens.
    """
    given = rates.by_figure()
    if not given:
        return found
    known = found.repriced.get(rates)
    if known is None:
        rows = tuple(_priced(row, given) for row in found.rows)
        known = Snapshot(found.version, rows, found.updated_at, comparable=frozenset(given))
        for old in list(found.repriced)[: 1 - _KEPT]:
            found.repriced.pop(old, None)
        found.repriced[rates] = known
    return known


def _priced(row: BoardRow, given: Mapping[str, float]) -> BoardRow:
    joules, spread = row.figures.get(HEADLINE), row.spreads.get(HEADLINE)
    figures, spreads = dict(row.figures), dict(row.spreads)
    for name, rate in given.items():
        factor = rate / JOULES_PER_KWH
        figures[name] = _scaled(joules, factor, _UNITS[name])
        spreads.pop(name, None)
        if spread is not None:
            spreads[name] = Spread(spread.mean * factor, spread.sd * factor, spread.n)
    return replace(row, figures=figures, spreads=spreads)


def _scaled(joules: Figure | None, factor: float, unit: str) -> Figure:
    if joules is None:
        return Figure(None, unit, reason="not_measured", detail="It has no joules to price.")
    if joules.value is None:
        return replace(joules, unit=unit)
    lo, hi = (None if end is None else end * factor for end in (joules.lo, joules.hi))
    return replace(joules, value=joules.value * factor, unit=unit, lo=lo, hi=hi)

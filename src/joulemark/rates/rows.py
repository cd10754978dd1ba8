"""The rows of a file of rates as numbers: when each begins and ends in UTC, and its rate in our unit."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.rate_steps import utc_ns, utc_text
from joulemark.rates.columns import Kind, RateColumns
from joulemark.rates.files import RateTable
from joulemark.rates.number import plain_number

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NO_END = np.iinfo(np.int64).min
_UNKNOWN = frozenset({"", "nan", "null", "none", "n/a", "na", "-"})
_LIMITS: Mapping[Kind, tuple[float, float, str]] = {
    "grid": (0.0, 10_000.0, "g/kWh"),
    "tariff": (-1_000.0, 1_000.0, "USD/kWh"),
}
_EARLIEST_NS, _LATEST_NS = utc_ns("1990-01-01T00:00Z"), utc_ns("2200-01-01T00:00Z")


@dataclass(frozen=True, slots=True)
class RateRows:
    """Rows in order of time, no two of one time; all arrays have one entry a row.

    ``begin_ns`` and ``end_ns`` are UTC, ``end_ns`` is `NO_END` where the file has no ends; ``rate`` is
    in g/kWh or USD/kWh, NaN where the file has none; ``number`` is the row's in the file. ``n_forecast``
    counts the rates that nobody has measured yet.
    """

    begin_ns: Ints
    end_ns: Ints
    rate: Floats
    number: Ints
    n_forecast: int

    def __len__(self) -> int:
        return len(self.begin_ns)

    def taken(self, which: NDArray[Any]) -> RateRows:
        """Return some of the rows, by place or by a mask."""
        begin_ns, end_ns, rate = self.begin_ns[which], self.end_ns[which], self.rate[which]
        return RateRows(begin_ns, end_ns, rate, self.number[which], self.n_forecast)


def rate_rows(table: RateTable, columns: RateColumns, kind: Kind) -> RateRows:
    """Read all rows of a table; raises `InputError` with the row for what is no time and no rate."""
    begins, ends, rates, numbers = array("q"), array("q"), array("d"), array("q")
    n_forecast = 0
    for number, row in table.rows:
        rate, forecast = _rate(table, number, row, columns, kind)
        begins.append(_stamp(table, number, row[columns.begin], utc=columns.utc))
        ends.append(
            int(NO_END) if columns.end is None else _stamp(table, number, row[columns.end], utc=columns.utc)
        )
        rates.append(rate)
        numbers.append(number)
        n_forecast += forecast
    if not numbers:
        raise table.refused("it has no rows below its header", "give it one row a time step")
    begin_ns, end_ns, places = (np.array(column, np.int64) for column in (begins, ends, numbers))
    rows = RateRows(begin_ns, end_ns, np.array(rates, np.float64), places, n_forecast)
    return _without_duplicates(table, rows.taken(np.argsort(rows.begin_ns, kind="stable")))


def _stamp(table: RateTable, number: int, value: object, *, utc: bool) -> int:
    text = value.strip() if isinstance(value, str) else repr(value)
    try:
        try:
            t_ns = utc_ns(text)
        except ValueError:
            if not utc:
                raise
            t_ns = utc_ns(f"{text}+00:00" if ":" in text else f"{text}T00:00+00:00")
    except (ValueError, OverflowError) as error:
        fix = "write ISO 8601 with the offset, as 2026-11-30T20:00+01:00, or name the column `timestamp_utc`"
        why = f"{text[:60]!r} is no time with an offset from UTC"
        raise table.refused(why, fix, number) from error
    if not _EARLIEST_NS <= t_ns <= _LATEST_NS:
        raise table.refused(f"{text[:60]!r} lies outside 1990 to 2200", "mend the stamp", number)
    return t_ns


def _rate(
    table: RateTable, number: int, row: Mapping[str, Any], columns: RateColumns, kind: Kind
) -> tuple[float, bool]:
    """Return a row's rate and whether it is a forecast; NaN where the row has none."""
    low, high, unit = _LIMITS[kind]
    for column in columns.values:
        value = row[column.name]
        text = value.strip() if isinstance(value, str) else "" if value is None else repr(value)
        if text.casefold() in _UNKNOWN:
            continue
        try:
            rate = plain_number(text) * column.factor
        except ValueError as error:
            fix = "write a number, or leave the cell empty where the rate is not known"
            why = f"{text[:60]!r} under {column.name!r} is no number"
            raise table.refused(why, fix, number) from error
        if not math.isfinite(rate) or not low <= rate <= high:
            why = f"{text[:60]} under {column.name!r} lies outside {low:,g} to {high:,g} {unit}"
            raise table.refused(why, "mend the number, or the unit in the header", number)
        return rate, column.forecast
    return math.nan, False


def _without_duplicates(table: RateTable, rows: RateRows) -> RateRows:
    """Return ``rows`` (in order) with one of those that say the same twice; raises where two contradict."""
    again = rows.begin_ns[1:] == rows.begin_ns[:-1]
    rate, before = rows.rate[1:], rows.rate[:-1]
    same = (rows.end_ns[1:] == rows.end_ns[:-1]) & ((rate == before) | (np.isnan(rate) & np.isnan(before)))
    if len(at := np.flatnonzero(again & ~same)):
        one, other = rows.number[at[0]], rows.number[at[0] + 1]
        why = f"{table.unit}s {one} and {other} differ for {utc_text(int(rows.begin_ns[at[0]]))}"
        fix = "keep one row a time; local time without an offset gives an hour twice in autumn"
        raise table.refused(why, fix)
    return rows.taken(np.concatenate(([True], ~again)))

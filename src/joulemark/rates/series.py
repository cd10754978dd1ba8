"""Series of rates from a file: their steps in UTC, each with its end; what is not in the file is a gap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.rate_steps import WallSpan, utc_text
from joulemark.rates.columns import Kind, columns_of
from joulemark.rates.files import RateTable, read_rows
from joulemark.rates.rows import NO_END, Floats, Ints, RateRows, rate_rows
from joulemark.record.manifest import RateStep

MAX_STEPS = 50_000


@dataclass(frozen=True, slots=True)
class RateSeries:
    """The steps of a rate that concern some stretches of time, and what they are, in words."""

    steps: tuple[RateStep, ...]
    source: str


def read_series(path: Path, option: str, kind: Kind, spans: Sequence[WallSpan]) -> RateSeries:
    """Read a CSV or JSON file and return the steps that hold at some moment of ``spans``.

    Rows may come in any order and with any offsets. A step lasts to its own end where the file has a column
    of ends, else to the next stamp, but no longer than the step that is commonest in the file: what lies
    beyond is a gap. An empty cell or "NaN" is a gap too. Raises `InputError`, with the line.
    """
    table = read_rows(path, option)
    rows = rate_rows(table, columns_of(table, kind), kind)
    ends, typical_ns = _ends(table, rows)
    known = ~np.isnan(rows.rate)
    source = _source(table.name, rows, ends, typical_ns)
    wanted = known & _concerning(rows.begin_ns, ends, spans)
    steps = tuple(_merged(rows.begin_ns[wanted], ends[wanted], rows.rate[wanted]))
    if len(steps) > MAX_STEPS:
        why = f"{len(steps):,} steps of it lie around the run; {MAX_STEPS:,} are kept at most"
        raise table.refused(
            why, f"name it afterwards, when the run is over: joulemark report RUN {option} FILE"
        )
    return RateSeries(steps, source)


def _ends(table: RateTable, rows: RateRows) -> tuple[Ints, int]:
    """Return when each step ends, and the commonest length."""
    begins, ends, numbers = rows.begin_ns, rows.end_ns, rows.number
    if ends[0] == NO_END:
        if len(rows) < 2:
            why = "one row without a column of ends does not say how long its rate holds"
            raise table.refused(why, "add a column `to`, or the next row")
        typical = _commonest(np.diff(begins))
        return np.minimum(np.append(begins[1:], begins[-1] + typical), begins + typical), typical
    if len(at := np.flatnonzero(ends <= begins)):
        raise table.refused("it ends before it begins", "mend the times", int(numbers[at[0]]))
    if len(at := np.flatnonzero(ends[:-1] > begins[1:])):
        why = f"{table.unit}s {numbers[at[0]]} and {numbers[at[0] + 1]} overlap"
        raise table.refused(why, "let each step end where the next one begins")
    return ends, _commonest(ends - begins)


def _commonest(lengths: Ints) -> int:
    found, counts = np.unique(lengths, return_counts=True)
    return int(found[np.argmax(counts)])


def _concerning(begins: Ints, ends: Ints, spans: Sequence[WallSpan]) -> NDArray[np.bool_]:
    wanted = np.zeros(len(begins), np.bool_)
    for t0, t1 in spans:
        wanted |= (begins < t1) & (ends > t0)
    return wanted


def _merged(begins: Ints, ends: Ints, rates: Floats) -> Iterator[RateStep]:
    """Yield the steps, those next to each other with one rate as one."""
    if not len(begins):
        return
    new = np.concatenate(([True], (begins[1:] != ends[:-1]) | (rates[1:] != rates[:-1])))
    first = np.flatnonzero(new)
    last = np.append(first[1:] - 1, len(begins) - 1)
    for a, b in zip(first, last, strict=True):
        yield RateStep(from_utc=utc_text(int(begins[a])), to_utc=utc_text(int(ends[b])), rate=float(rates[a]))


def _source(name: str, rows: RateRows, ends: Ints, typical_ns: int) -> str:
    gaps = bool(np.isnan(rows.rate).any()) or bool(np.any(ends[:-1] < rows.begin_ns[1:]))
    told = [
        f"{name}, series in steps of {typical_ns / 60e9:g} min",
        f"{utc_text(int(rows.begin_ns[0]))} to {utc_text(int(ends.max()))}",
        "with gaps" if gaps else "",
        f"{rows.n_forecast:,} of {len(rows):,} steps forecast" if rows.n_forecast else "",
    ]
    return ", ".join(filter(None, told))

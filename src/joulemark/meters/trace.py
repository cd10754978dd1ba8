"""A recorded trace on disk: rows of one source, in order of time, and what its recorder said of the source.

Two formats:

* JSONL, one object a line: the fields of `Reading` (``t_ns``, ``values`` and, optionally, ``source``,
  ``scope``, ``flags``). A line ``{"info": {...}}`` gives facts of the source (see `TraceInfo`);
  ``"fault": "gap"`` on a row makes the source answer nothing until the next row, ``"fault": "lost"`` ends it.
* CSV with a header naming ``t_s`` and any quantity, for example ``energy_j`` and ``power_w``; lines
  ``# key = value`` give the facts; an empty cell is a value that was not read.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from joulemark.record.errors import InputError
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity

GAP, LOST = "gap", "lost"
_QUANTITIES = frozenset(str(quantity) for quantity in Quantity)
_DEFAULT_SCOPE = "replay"  # a trace that names no part of a machine is of none


@dataclass(frozen=True, slots=True)
class Row:
    """What the source said ``t_ns`` after the trace's first row; ``fault`` is null, ``gap`` or ``lost``."""

    t_ns: int
    values: Mapping[str, float] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """Facts of the recorded source; the same meaning as in `SourceInfo`."""

    scope: str = _DEFAULT_SCOPE
    counter_modulus_j: float | None = None
    counter_wraps: bool = False
    counter_quantum_j: float = 0.0
    power_window_s: float | None = 0.0
    power_max_w: float | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """The rows of one source and its facts. There is at least one row."""

    info: TraceInfo
    rows: tuple[Row, ...]

    @property
    def duration_ns(self) -> int:
        """From the first to the last row."""
        return self.rows[-1].t_ns

    @property
    def quantities(self) -> tuple[str, ...]:
        """The names of all quantities that occur, in order of first occurrence."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.values))


def load_trace(path: Path, source: str | None = None) -> Trace:
    """Read a trace; of several sources in a JSONL file, ``source`` names the one meant (null: the first).

    Raises `InputError` for a file that is missing, empty, malformed, or runs backwards in time.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        fix = f"give the path of a recorded trace: --meter replay:FILE (looked at {path})"
        raise InputError(f"the trace {path} cannot be read", why=str(error.strerror), fix=fix) from error
    except UnicodeDecodeError as error:
        raise _malformed(path, None, "it is not UTF-8 text") from error
    trace = _read_csv(path, text) if path.suffix.lower() == ".csv" else _read_jsonl(path, text, source)
    if not trace.rows:
        raise _malformed(path, None, "it holds no row" if source is None else f"no row of source {source!r}")
    first_ns = trace.rows[0].t_ns
    rows = tuple(replace(row, t_ns=row.t_ns - first_ns) for row in trace.rows)
    for place in range(1, len(rows)):
        if rows[place].t_ns < rows[place - 1].t_ns:
            raise _malformed(path, None, f"time runs backwards at row {place + 1}")
    return Trace(trace.info, rows)


def _malformed(path: Path, line: int | None, why: str) -> InputError:
    where = f"the trace {path}" if line is None else f"line {line} of the trace {path}"
    fix = 'a JSONL row is {"t_ns": 0, "values": {"energy_j": 1.0}}; a CSV begins with t_s,energy_j,power_w'
    return InputError(f"{where} is malformed", why=why, fix=fix)


def _read_jsonl(path: Path, text: str, source: str | None) -> Trace:
    info, rows = TraceInfo(), []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _malformed(path, number, "it is not JSON") from error
        if not isinstance(row, dict):
            raise _malformed(path, number, "it is not a JSON object")
        try:
            if "info" in row:
                info = _merge(info, row["info"])
                continue
            named = row.get("source")
            source = source if source is not None else named
            if named is None or named == source:
                rows.append(_row(row))
                if "scope" in row:
                    info = replace(info, scope=Scope.named(str(row["scope"])).path)
        except (ValueError, TypeError) as error:
            raise _malformed(path, number, str(error)) from error
    return Trace(info, tuple(rows))


def _row(row: Mapping[str, object]) -> Row:
    t_ns = row.get("t_ns")
    if not isinstance(t_ns, int) or isinstance(t_ns, bool):
        raise ValueError("t_ns is missing or no whole number of nanoseconds")
    values = row.get("values", {})
    if not isinstance(values, dict):
        raise ValueError("values is no object")
    flags = row.get("flags", [])
    if not isinstance(flags, list):
        raise ValueError("flags is no list")
    fault = row.get("fault")
    if fault not in (None, GAP, LOST):
        raise ValueError(f"the fault {fault!r} is neither {GAP!r} nor {LOST!r}")
    numbers = {_quantity(name): _number(value) for name, value in values.items()}
    return Row(t_ns, numbers, tuple(str(flag) for flag in flags), fault)


def _read_csv(path: Path, text: str) -> Trace:
    info, lines = TraceInfo(), []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            try:
                info = _merge(info, {key.strip(): value.strip()})
            except (ValueError, TypeError) as error:
                raise _malformed(path, number, str(error)) from error
        elif line.strip():
            lines.append((number, line))
    return Trace(info, tuple(_csv_rows(path, lines)))


def _csv_rows(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[Row]:
    names: list[str] = []
    for number, line in lines:
        try:
            cells = [cell.strip() for cell in next(csv.reader([line]))]
            if not names:
                if "t_s" not in cells:
                    raise ValueError("the first line names no column t_s")
                names = [name if name == "t_s" else _quantity(name) for name in cells]
                continue
            row = dict(zip(names, cells, strict=True))
            t_ns = round(_number(row.pop("t_s")) * 1e9)
            yield Row(t_ns, {name: _number(value) for name, value in row.items() if value})
        except (ValueError, csv.Error) as error:
            raise _malformed(path, number, str(error)) from error


def _quantity(name: str) -> str:
    if name not in _QUANTITIES:
        raise ValueError(f"{name!r} is no quantity; known are {', '.join(sorted(_QUANTITIES))}")
    return name


def _number(value: object) -> float:
    if not isinstance(value, int | float | str) or isinstance(value, bool):
        raise ValueError(f"{value!r} is no number")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"{value!r} is no number") from None
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is not finite")
    return number


def _merge(info: TraceInfo, facts: object) -> TraceInfo:
    if not isinstance(facts, dict):
        raise ValueError("info is no object")
    for key, value in facts.items():
        if key == "scope":
            info = replace(info, scope=Scope.named(str(value)).path)
        elif key == "counter_wraps":
            info = replace(info, counter_wraps=value in (True, 1, "true", "1", "yes"))
        elif key == "counter_modulus_j":
            info = replace(info, counter_modulus_j=_number(value), counter_wraps=True)
        elif key == "counter_quantum_j":
            info = replace(info, counter_quantum_j=_number(value))
        elif key == "power_window_s":
            info = replace(info, power_window_s=_number(value))
        elif key == "power_max_w":
            info = replace(info, power_max_w=_number(value))
        else:
            raise ValueError(f"{key!r} is no fact of a source")
    return info

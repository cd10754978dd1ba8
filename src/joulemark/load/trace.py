"""Recorded traffic: when requests came, how long they were, and what of their prompts they shared.

Two public formats are read. Azure's CSV (Splitwise, ISCA 2024): ``TIMESTAMP,ContextTokens,GeneratedTokens``
with UTC times of seven decimals. Mooncake's JSON lines: ``timestamp`` in milliseconds, ``input_length``,
``output_length`` and ``hash_ids``, one for each block of 512 tokens of the prompt, the last of which may be
begun only.
"""

from __future__ import annotations

import csv
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import orjson

from joulemark.load.arrivals import LONGEST_S
from joulemark.load.lengths import RequestLengths
from joulemark.record.errors import InputError

_TIME = re.compile(r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|\+00:00)?")
_MOST_TOKENS = 10_000_000
MAX_BYTES = 1 << 30
_FORMATS = "Azure's CSV (TIMESTAMP,ContextTokens,GeneratedTokens) and Mooncake's JSON lines are read"


@dataclass(frozen=True, slots=True)
class Row:
    """A recorded request: ``t_ns`` nanoseconds after the first one, and what was asked for."""

    t_ns: int
    lengths: RequestLengths


@dataclass(frozen=True, slots=True)
class Trace:
    """Recorded requests in the order of their times. ``name`` is the file's, ``digest`` that of its bytes."""

    name: str
    digest: str
    rows: tuple[Row, ...]

    @property
    def duration_s(self) -> float:
        """Seconds from the first request to the last."""
        return (self.rows[-1].t_ns - self.rows[0].t_ns) / 1e9

    def window(self, *, n: int | None = None, seconds: float | None = None) -> Trace:
        """Return its first ``n`` requests, and of these those that came within ``seconds`` of the first."""
        rows = self.rows if n is None else self.rows[:n]
        if seconds is not None:
            end_ns = rows[0].t_ns + seconds * 1e9
            rows = tuple(row for row in rows if row.t_ns <= end_ns)
        return replace(self, rows=rows)

    def times_ns(self, speed: float = 1.0) -> tuple[int, ...]:
        """Return when each request is due in a replay ``speed`` times as fast, from 0 on.

        Raises `InputError` for a speed that there cannot be, and where the replay takes decades.
        """
        if not speed > 0:
            raise InputError(f"--trace-speed {speed} is not possible", why="it must be above 0")
        if self.duration_s / speed > LONGEST_S:
            raise InputError(
                f"{self.name} takes {self.duration_s / speed:.3g} seconds to replay",
                why="its first and its last request are that far apart",
                fix="take a part of it with --trace-seconds or --requests, or raise --trace-speed",
            )
        first = self.rows[0].t_ns
        return tuple(round((row.t_ns - first) / speed) for row in self.rows)


class _Fault(Exception):
    pass


def read_trace(path: Path) -> Trace:
    """Read a trace; raises `InputError` for a file that is none, with the place of the fault.

    A file of more than `MAX_BYTES` is refused before it fills the memory.
    """
    try:
        with path.open("rb") as file:
            large = os.fstat(file.fileno()).st_size > MAX_BYTES
            data = b"" if large else file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(
            f"the trace {path} cannot be read", why=error.strerror or str(error), fix=_FORMATS
        ) from error
    if large or len(data) > MAX_BYTES:
        raise InputError(
            f"the trace {path} is too large",
            why=f"it has over {MAX_BYTES >> 20} MiB",
            fix="cut it, for example with head -n 1000000",
        )
    text = data.decode("utf-8", errors="replace").removeprefix("\ufeff")
    reader = _mooncake if text.lstrip().startswith("{") else _azure
    rows: list[Row] = []
    try:
        rows += reader(text)
    except _Fault as fault:
        raise InputError(f"{path.name} is no trace", why=str(fault), fix=_FORMATS) from fault
    if not rows:
        raise InputError(f"{path.name} holds no request", fix=_FORMATS)
    rows.sort(key=lambda row: row.t_ns)  # stable: requests of one instant stay in their order
    first = rows[0].t_ns
    moved = tuple(Row(row.t_ns - first, row.lengths) for row in rows)
    return Trace(path.name, hashlib.sha256(data).hexdigest(), moved)


def _azure(text: str) -> Iterator[Row]:
    lines = csv.reader(text.splitlines())
    header = next(lines, [])
    columns = {name.strip().lower(): number for number, name in enumerate(header)}
    try:
        places = [columns[name] for name in ("timestamp", "contexttokens", "generatedtokens")]
    except KeyError as missing:
        raise _Fault(f"there is no column {missing}") from None
    try:
        for number, cells in enumerate(lines, start=2):
            if not cells:
                continue
            with _at_line(number):
                if len(cells) <= max(places):
                    raise _Fault(f"it has {len(cells)} columns")
                at, prompt, output = (cells[column] for column in places)
                yield Row(_utc_ns(at), RequestLengths(_tokens(prompt), _tokens(output)))
    except csv.Error as error:
        raise _Fault(f"it is not CSV ({error})") from error


def _mooncake(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            with _at_line(number):
                yield _mooncake_row(line)


def _mooncake_row(line: str) -> Row:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _Fault(f"it is not JSON ({error})") from error
    if not isinstance(fields, dict):
        raise _Fault("it is no JSON object")
    at = fields.get("timestamp")
    if isinstance(at, bool) or not isinstance(at, int | float) or not 0 <= at < 1e12:
        raise _Fault(f"its timestamp is {at!r}, no number of milliseconds")
    blocks = fields.get("hash_ids", [])
    if not isinstance(blocks, list) or not all(type(block) is int for block in blocks):
        raise _Fault("its hash_ids are no list of whole numbers")
    prompt, output = (_tokens(fields.get(name)) for name in ("input_length", "output_length"))
    return Row(round(at * 1e6), RequestLengths(prompt, output, tuple(blocks)))


@contextmanager
def _at_line(number: int) -> Iterator[None]:
    try:
        yield
    except _Fault as fault:
        raise _Fault(f"line {number}: {fault}") from fault


def _tokens(value: object) -> int:
    """Return a number of tokens; a request of none is one of one, as an engine makes it."""
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"\d{1,8}", text) or int(text) > _MOST_TOKENS:
        raise _Fault(f"{value!r} is no number of tokens")
    return max(int(text), 1)


def _utc_ns(text: str) -> int:
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise _Fault(f"{text!r} is no time")
    try:
        whole = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
    except ValueError as error:
        raise _Fault(f"{text!r} is no time") from error
    return int(whole.timestamp()) * 1_000_000_000 + int((found[2] or "").ljust(9, "0") or 0)

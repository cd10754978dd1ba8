"""The points of a sweep as rows, and a grid of two or more axes as a matrix with its empty cells."""

from __future__ import annotations

from dataclasses import dataclass, field

from joulemark.metrics.engine_figures import DECODE_SHARE, KV_MEAN, PREEMPTIONS
from joulemark.metrics.loaded_definitions import MEAN_BATCH
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.value import Value
from joulemark.record.reason import Reason
from joulemark.report.sweep_words import axis_title, point_text, short_text, state_text, why_text
from joulemark.report.wording import DASH, printable, why
from joulemark.sweeps.axes import LOADS
from joulemark.sweeps.points import Swept, SweptPoint
from joulemark.sweeps.setting import Setting, setting_text

COLUMNS = (
    "Energy",
    "per correct",
    "Per token",
    "To first token",
    "Whole answer",
    "Tokens/s",
    "Made/s",
    "Batch",
    "Decode",
    "Preempted",
    "KV used",
)
_LATENCIES = ("tpot_mean", "ttft_mean", "e2el_mean")


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One point: ``cells`` in the order of `COLUMNS`; ``why`` says what is missing and why."""

    name: str
    state: str
    cells: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A grid: ``columns`` are the values of one axis, ``rows`` what the others say.

    A cell is the energy and the number of its note, null where it needs none; ``notes`` count from 1.
    """

    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, int | None], ...]], ...]
    notes: tuple[str, ...] = field(default_factory=tuple)


def energy_unit(swept: Swept) -> str:
    """Return what the joules are of: ``J per request`` where nothing is known better."""
    units = {one.measured.point.unit for one in swept.points if one.measured is not None}
    return f"J per {units.pop() if len(units) == 1 else 'request'}"


def medium(swept: Swept) -> str | None:
    """Return what all points make, ``image`` or ``video``; null where there is anything else."""
    units = {one.measured.point.unit for one in swept.points if one.measured is not None}
    return next(iter(units)) if len(units) == 1 and "request" not in units else None


def whole_title(swept: Swept) -> str:
    """Return what a request's whole time is the time of."""
    return "Whole answer" if medium(swept) is None else "A batch"


def columns(swept: Swept) -> tuple[str, ...]:
    """Return the titles of `SweepRow.cells`."""
    made = medium(swept)
    titles = {
        "Whole answer": whole_title(swept),
        "Made/s": "Made/s" if made is None else f"{made.title()}s/s",
    }
    return tuple(titles.get(title, title) for title in COLUMNS)


def sweep_rows(swept: Swept) -> list[SweepRow]:
    """Return a row a point, in the order of the grid."""
    return [_row(one, swept) for one in swept.points]


def _row(one: SweptPoint, swept: Swept) -> SweepRow:
    name = point_text(one.record.values, swept.record.axes)
    if one.measured is None:
        return SweepRow(name, state_text(one), (DASH,) * len(COLUMNS), why_text(one))
    point, engine = one.measured.point, one.measured.engine.figures
    waits = [figure_of(point, name) for name in _LATENCIES]
    cells = (
        short_text(point.energy_j, suffix=" J"),
        short_text(point.joules_per_correct, suffix=" J"),
        *map(_seconds, waits),
        short_text(point.tokens_per_second),
        short_text(point.throughput) if point.unit != "request" else DASH,
        short_text(engine[MEAN_BATCH.name]),
        short_text(engine[DECODE_SHARE.name], 100, " %"),
        short_text(engine[PREEMPTIONS.name]),
        short_text(engine[KV_MEAN.name], 100, " %"),
    )
    missing = [why_text(one)] if one.why else []
    missing += [
        why(value)
        for value in (point.energy_j, waits[0] if point.unit == "request" else waits[2])
        if value.reason not in (None, Reason.CLIENT_INVALID)  # the point itself says so
    ]
    return SweepRow(name, state_text(one), cells, " ".join(dict.fromkeys(filter(None, missing))))


def _seconds(value: Value) -> str:
    if value.value is None:
        return DASH
    return short_text(value, 1e3, " ms") if value.value < 1 else short_text(value, suffix=" s")


def matrix(swept: Swept) -> Matrix | None:
    """Return the grid as a matrix of energies; null for a grid of one axis, whose table says it all.

    The load is across where it is varied, else the axis of the most values.
    """
    axes = {name: values for name, values in swept.record.axes.items() if len(values) > 1}
    if len(axes) < 2:
        return None
    across = next((name for name in LOADS if name in axes), max(axes, key=lambda name: len(axes[name])))
    down = [name for name in axes if name != across]
    found: dict[tuple[str, ...], dict[str, SweptPoint]] = {}
    for one in swept.points:
        key = tuple(_text(one.record.values.get(name)) for name in down)
        found.setdefault(key, {})[_text(one.record.values.get(across))] = one
    columns = [_text(value) for value in axes[across]]
    notes: dict[str, int] = {}
    rows = []
    for key, cells in found.items():
        told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in zip(down, key, strict=True))
        rows.append((printable(told), tuple(_cell(cells.get(column), notes) for column in columns)))
    return Matrix(axis_title(across), tuple(map(printable, columns)), tuple(rows), tuple(notes))


def _text(value: Setting) -> str:
    return "" if value is None else setting_text(value)


def _cell(one: SweptPoint | None, notes: dict[str, int]) -> tuple[str, int | None]:
    if one is None:
        return DASH, None
    if one.measured is not None:
        energy = one.measured.point.energy_j
        reason = why_text(one) or why(energy)
        text = short_text(energy)
    else:
        reason, text = why_text(one) or state_text(one), DASH
    return text, notes.setdefault(reason, len(notes) + 1) if reason else None

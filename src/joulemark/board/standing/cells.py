"""The cells of the leaderboard: a figure in words and digits, and for a dash the sentence that says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from joulemark.board.judging.rung import Rung
from joulemark.board.standing.board_row import BoardRow, Figure, Spread
from joulemark.board.standing.configuration import ONE_AT_A_TIME
from joulemark.board.standing.figure_names import ENERGY, HEADLINE, LATENCIES, SHORT
from joulemark.board.standing.figures import value_from
from joulemark.board.standing.listing import Listed
from joulemark.board.standing.ranks import is_marked
from joulemark.metrics.catalogue import definition
from joulemark.metrics.point_label import point_label
from joulemark.report.wording import DASH, around_texts, figure_texts

COLUMNS = (
    HEADLINE,
    "accuracy",
    ENERGY,
    "tokens_per_second",
    "ttft_p50",
    "tpot_mean",
    "e2el_p50",
    "usd_per_correct_answer",
    "gco2e_per_correct_answer",
    "net_joules",
    "ipj",
    "accuracy_per_watt",
    "thermal_throttle_pct",
    "power_cap_throttle_pct",
)
"""The figures that a table shows; the page of a configuration shows all."""
ALWAYS = (HEADLINE, "accuracy", ENERGY)
"""What a narrow window shows of them."""
_TOLD_ABOVE = {"ipj": " per J", "accuracy_per_watt": " per W", "tokens_per_second": " tokens/s"}
_NOT_STREAMED = "Its answers were not streamed: every latency of the run is withheld."
_INTERVALS = {"ci95": "95 % interval", "bound": "meter's bound"}
_STATISTICS = {"mean": "mean", "p50": "median", "p95": "95th percentile"}


@dataclass(frozen=True, slots=True)
class FigureCell:
    """A figure: its text, the interval below it, the spread over runs, and what a tooltip says.

    ``why`` is the reason of a dash, for readers that cannot hover. ``value`` is what it is sorted by.
    ``mark`` is why it stands beside no other's.
    """

    name: str
    text: str
    interval: str = ""
    spread: str = ""
    hint: str = ""
    why: str = ""
    value: float | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class RowCells:
    """A row of a table as it is shown."""

    row: BoardRow
    rank: str
    why_unranked: str
    rung: Rung
    hardware: str
    setup: str
    cells: tuple[FigureCell, ...]


def row_cells(listed: Listed, columns: Sequence[str] = COLUMNS) -> RowCells:
    """Return a row with the figures of ``columns``."""
    row = listed.row
    return RowCells(
        row=row,
        rank=DASH if listed.rank is None else str(listed.rank),
        why_unranked=listed.why_unranked,
        rung=Rung(row.rung),
        hardware=hardware(row),
        setup=setup(row),
        cells=tuple(figure_cell(name, row) for name in columns),
    )


def figure_cell(name: str, row: BoardRow) -> FigureCell:
    """Return a figure of a row."""
    figure = row.figures.get(name) or Figure(None, "1", reason="not_measured", detail="It was not measured.")
    spread = row.spreads.get(name)
    if figure.value is None:
        why = _NOT_STREAMED if name in LATENCIES and row.streamed is False else figure.detail
        return FigureCell(
            name, DASH, spread=_spread(name, spread, figure.unit), why=why or "It is not known."
        )
    cell = known_cell(name, figure, _spread(name, spread, figure.unit))
    return replace(cell, mark=row.times_not_comparable) if is_marked(row, name) else cell


def known_cell(name: str, figure: Figure, spread: str = "") -> FigureCell:
    """Return a figure that has a value: with its interval, or why there is none."""
    text, interval = (_bare(name, part) for part in figure_texts(name, value_from(figure)))
    kind = _INTERVALS.get(figure.interval or "", "")
    between = interval.removeprefix(kind).strip() if kind else ""
    hint = f"{kind} {between}" if between else "no interval"
    if figure.n is not None:
        hint += f", n = {figure.n:,}"
    if not between and figure.detail:
        hint += f". {figure.detail}"
    return FigureCell(name, text, between, spread, hint, value=figure.value)


def figure_title(name: str, unit: str = "request") -> str:
    """Return what a figure is called in full."""
    if name == ENERGY:
        return f"Energy per {unit}"
    if name in LATENCIES:
        latency, _, statistic = name.rpartition("_")
        failed = "left out" if statistic == "mean" else "counted as infinitely late"
        return f"{definition(latency).title}, {_STATISTICS[statistic]}, failed requests {failed}"
    return definition(name).title


def short_title(name: str, unit: str = "request") -> str:
    """Return what the head of a column says."""
    return f"J / {unit}" if name == ENERGY else SHORT[name]


def hardware(row: BoardRow) -> str:
    """Return the devices of a row."""
    if row.hardware is None:
        return "hardware not told"
    return row.hardware if row.n_devices in (None, 1) else f"{row.n_devices} × {row.hardware}"


def engine(row: BoardRow) -> str:
    """Return the engine of a row; nothing for one that its publisher does not tell."""
    if row.kind == "published":
        return ""
    return " ".join(filter(None, (row.engine, row.engine_version)))


def load(row: BoardRow) -> str:
    """Return the load of a row, or of published rows the axes that tell them apart."""
    if row.kind == "published":
        axes = {name: value for name, value in row.settings.items() if name != "quantization"}
        told = point_label(None, None, axes)
        return "" if told == point_label(None, None, {}) else told
    return "" if row.load == ONE_AT_A_TIME else row.load


def setup(row: BoardRow) -> str:
    """Return quantization, engine and load of a row, those that are told."""
    return ", ".join(part for part in (row.quantization, engine(row), load(row)) if part)


def _spread(name: str, spread: Spread | None, unit: str) -> str:
    """Return mean ± σ (n), the unit once."""
    if spread is None:
        return ""
    mean, sd = around_texts(name, spread.mean, spread.sd, unit)
    number, gap, told = mean.partition(" ")
    if gap and sd.endswith(gap + told):
        mean, sd = number, _bare(name, sd)
    return f"{mean} ± {sd} ({spread.n})"


def _bare(name: str, text: str) -> str:
    """Return a figure without the unit that the head of its column tells."""
    return text.removesuffix(_TOLD_ABOVE.get(name, "")) if name in _TOLD_ABOVE else text

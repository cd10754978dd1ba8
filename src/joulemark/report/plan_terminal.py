"""A simulated plan in a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from joulemark.report.wording import DASH
from joulemark.simulate.plan import SIMULATED, Plan, Row

_ROWS = 12
_REASONS = 5


def print_plan(made: Plan, console: Console, *, show_all: bool = False) -> None:
    """Print the pick and the table of set-ups; the best and why others fail, or ``show_all``."""
    wanted = made.wanted
    console.print(
        Text(
            f"{wanted.model.name} on up to {wanted.gpus} × {wanted.gpu.name}, {wanted.rate:g} requests/s of "
            f"{wanted.prompt_tokens:g} → {wanted.output_tokens:g} tokens",
            style="bold",
        )
    )
    console.print(Text(SIMULATED, style="yellow"))
    console.print(Text(_lead(made), style="bold green" if made.pick else "bold red"))
    served = [row for row in made.rows if row.figures is not None]
    failing = [row for row in made.rows if row.figures is None]
    shown = served if show_all else served[:_ROWS]
    if shown:
        console.print()
        console.print(_table(shown))
        console.print(
            Text(
                "  mean latencies; W of all GPUs in use; most/s: the most it serves; beyond: a limit",
                style="dim",
            )
        )
    if len(shown) < len(served):
        console.print(Text(f"  and {len(served) - len(shown)} more that keep up: --all", style="dim"))
    if failing:
        console.print(Text(f"\nDo not keep up: {len(failing)}", style="bold"))
        for row in failing if show_all else failing[:_REASONS]:
            console.print(Text(f"  {row.set_up.label}: {row.why}"))


def _lead(made: Plan) -> str:
    pick = made.pick
    if pick is None:
        return "No set-up that was tried keeps up within the limits."
    assert pick.figures is not None
    within = [row for row in made.rows if row.within_limits and row.figures is not None]
    sentence = (
        f"Least energy within the limits: {pick.set_up.label} ({_gpus(pick)}), "
        f"{_three(pick.figures.request_j)} J a request"
    )
    fastest = min(within, key=_tpot)
    if fastest is pick or fastest.figures is None:
        return sentence + "; it is also the fastest per token."
    saved = 1 - pick.figures.request_j / fastest.figures.request_j
    return sentence + f"; {saved:.0%} less than the fastest per token ({fastest.set_up.label})."


def _gpus(row: Row) -> str:
    return "1 GPU" if row.set_up.gpus == 1 else f"{row.set_up.gpus} GPUs"


def _tpot(row: Row) -> float:
    figures = row.figures
    return figures.tpot_mean_s if figures is not None and figures.tpot_mean_s is not None else 0.0


def _table(rows: list[Row]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("set-up", "GPUs", "J/req", "TPOT ms", "TTFT ms", "W", "most/s", ""):
        table.add_column(name, justify="left" if name == "set-up" else "right", no_wrap=True)
    for row in rows:
        figures = row.figures
        assert figures is not None
        table.add_row(
            row.set_up.label,
            str(row.set_up.gpus),
            _three(figures.request_j),
            _ms(figures.tpot_mean_s),
            _ms(figures.ttft_mean_s),
            f"{figures.power_w:,.0f}",
            _three(row.capacity),
            "" if row.within_limits else "beyond",
            style="" if row.within_limits else "dim",
        )
    return table


def _ms(value_s: float | None) -> str:
    return DASH if value_s is None else _three(value_s * 1e3)


def _three(value: float) -> str:
    """Return a number with three digits that count."""
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f}"

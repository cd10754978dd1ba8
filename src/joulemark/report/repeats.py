"""How far figures moved from repeat to repeat, as rows and in words."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.metrics.catalogue import definition
from joulemark.metrics.repeats import Spread
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason
from joulemark.report.cells import Cell
from joulemark.report.lineage import of_meters
from joulemark.report.wording import DASH, around_texts, figure_texts, why

ONE_RUN = (
    "One run has no spread; `--repeat 3` asks everything three times and gives mean ± standard deviation."
)


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """A figure over the repeats: ``mean`` ± ``sigma`` of ``n``, and the value of each."""

    name: str
    title: str
    mean: Cell
    sigma: Cell
    n: int
    each: str


def n_repeats(summary: Summary) -> int:
    """Return how many complete repeats there are."""
    return max((spread.n for spread in summary.repeats.values()), default=0)


def spread_text(name: str, spread: Spread) -> str:
    """Return ``mean ± sigma (n = …)``; needs a sigma."""
    mean, sigma = _texts(name, spread)
    return f"{mean.text} ± {sigma.text} (n = {spread.n})"


def spread_rows(summary: Summary) -> list[SpreadRow]:
    """Return a row for each figure of the repeats that this kind of run has; nothing of a single run."""
    if n_repeats(summary) < 2:
        return []
    rows = []
    for name, spread in summary.repeats.items():
        if _beside_the_point(name, spread, summary):
            continue
        mean, sigma = _texts(name, spread)
        # all to the digits of the deviation, so that they can be compared at sight
        sigma_of = spread.sigma or 0.0
        each = ", ".join(around_texts(name, v, sigma_of, spread.unit)[0] for v in spread.values)
        rows.append(SpreadRow(name, definition(name).title, mean, sigma, spread.n, each))
    return rows


def left_out(summary: Summary) -> str:
    """Return which repeats enter no spread, or nothing."""
    if not summary.repeats_left_out:
        return ""
    numbers = ", ".join(str(repeat + 1) for repeat in summary.repeats_left_out)
    return f"Left out, as it is not complete: repeat {numbers}."


def _beside_the_point(name: str, spread: Spread, summary: Summary) -> bool:
    """Tell which rows lack something that the page says elsewhere: joules, or a notion of correct."""
    if spread.mean is not None:
        return False
    if name == "mean_score":
        return summary.figures["accuracy"].reason is not Reason.REAL_VALUED_SCORE
    return of_meters(name) and summary.figures["total_joules"].value is None


def _value(value: float, spread: Spread) -> Value:
    return Value(value, spread.unit)


def _texts(name: str, spread: Spread) -> tuple[Cell, Cell]:
    if spread.mean is None:
        reason = why(withheld(spread.unit, spread.reason or Reason.NOT_MEASURED, detail=spread.detail))
        return Cell(DASH, reason), Cell(DASH, reason)
    if spread.sigma is None:
        reason = (spread.reason or Reason.SINGLE_RUN).text
        return Cell(figure_texts(name, _value(spread.mean, spread))[0]), Cell(DASH, reason)
    mean, sigma = around_texts(name, spread.mean, spread.sigma, spread.unit)
    return Cell(mean), Cell(sigma)

"""Cells of tables: a text, and for a dash the sentence that says why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from joulemark.metrics.value import Value
from joulemark.report.wording import DASH, figure_texts, gathered, why


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text; ``why`` is the reason of a dash, shown on hover and in the notes below the table."""

    text: str
    why: str = ""


def cell(name: str, value: Value) -> Cell:
    """Return a figure as a cell; ``name`` is that of its definition."""
    return Cell(figure_texts(name, value)[0], why(value))


def known(value: object, reason: str) -> Cell:
    """Return a plain value as a cell, and a null one as a dash with its reason."""
    return Cell(DASH, reason) if value is None else Cell(str(value))


def notes(cells: Iterable[tuple[str, Cell]]) -> list[str]:
    """Return why cells are dashes, one line a reason: what a reader on paper cannot hover over."""
    reasons = ((title, one.why) for title, one in cells if one.text == DASH)
    return [
        f"{DASH} {', '.join(dict.fromkeys(titles))}: {sentence}"
        for sentence, titles in gathered(reasons).items()
    ]

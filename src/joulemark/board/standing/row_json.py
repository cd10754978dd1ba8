"""A row of the leaderboard as plain JSON and back, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from joulemark.board.standing.board_row import BoardRow, Figure, Spread

_TUPLES = ("runs", "notes")
_ROW = frozenset(one.name for one in fields(BoardRow))
_FIGURE = tuple((one.name, one.default) for one in fields(Figure))


def row_to_json(row: BoardRow) -> dict[str, Any]:
    """Return a row as plain values; of its figures what is at its default is left out."""
    found = {one.name: getattr(row, one.name) for one in fields(row)}
    found["settings"] = dict(row.settings)
    found["figures"] = {name: figure_to_json(figure) for name, figure in row.figures.items()}
    found["spreads"] = {
        name: {"mean": one.mean, "sd": one.sd, "n": one.n} for name, one in row.spreads.items()
    }
    for name in _TUPLES:
        found[name] = list(found[name])
    return found


def figure_to_json(figure: Figure) -> dict[str, Any]:
    """Return a figure as plain values; value and unit always, the rest where it says something."""
    return {
        name: value
        for name, default in _FIGURE
        if (value := getattr(figure, name)) != default or name in ("value", "unit")
    }


def row_of_json(found: Mapping[str, Any]) -> BoardRow:
    """Return the row; raises ``KeyError`` or ``TypeError`` for what is none.

    A field that another version wrote is passed over.
    """
    given = {name: value for name, value in found.items() if name in _ROW}
    given["figures"] = {name: Figure(**figure) for name, figure in found["figures"].items()}
    given["spreads"] = {name: Spread(**spread) for name, spread in found["spreads"].items()}
    for name in _TUPLES:
        given[name] = tuple(found[name])
    return BoardRow(**given)

"""What a reader asks of the leaderboard, and the rows that answer it: tables, never one mixed list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.configuration import is_loaded
from joulemark.board.standing.figure_names import ENERGY, HEADLINE, LARGER_IS_BETTER
from joulemark.board.standing.ranks import Rank, is_marked, ranks_of, why_no_rank
from joulemark.board.standing.repriced import OwnRates, at_rates
from joulemark.board.standing.snapshot import Snapshot

MOST_ROWS = 50
Order = Literal["asc", "desc"]
KIND_ORDER = {"measured": 0, "published": 1, "simulated": 2}
"""Which kind stands first."""
_TIERS = {"A": 0, "B": 1, "C": 2}
NO_TIER = "none"
LEADING = (HEADLINE, ENERGY, "accuracy", "mean_score", "tokens_per_second")


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked for; null: whatever it is.

    ``tier`` may be `NO_TIER`; ``rung`` is the lowest. ``model`` and ``hardware`` are parts of the name,
    whatever its case; the rest is equal or not. ``sort`` null is the figure that a table leads with;
    ``order`` null is the better end of a figure first. ``rates`` price all rows alike.
    """

    task: str | None = None
    table: str | None = None
    hardware: str | None = None
    tier: str | None = None
    engine: str | None = None
    quantization: str | None = None
    kind: str | None = None
    rung: int | None = None
    model: str | None = None
    sort: str | None = None
    order: Order | None = None
    rates: OwnRates = field(default_factory=OwnRates)

    @property
    def is_filtered(self) -> bool:
        """Whether any row may be left out."""
        return self != Query(sort=self.sort, order=self.order, rates=self.rates)


@dataclass(frozen=True, slots=True)
class Listed:
    """A row with its rank among all of its table that may be ranked, or why it has none."""

    row: BoardRow
    rank: Rank | None
    why_unranked: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that may be ranked together, those that were asked for; ``n_rows`` of them in all.

    ``figure`` is what they are sorted by, ``n_ranked`` how many rows of the whole table have a rank by it.
    """

    name: str
    like: BoardRow
    figure: str
    n_rows: int
    n_ranked: int
    rows: tuple[Listed, ...]


def matching(found: Snapshot, query: Query) -> list[int]:
    """Return the places of the rows that a query asks for. Its values are compared and nothing else."""
    model, hardware = (part and part.casefold() for part in (query.model, query.hardware))
    plain: list[tuple[str, str]] = [
        (name, wanted)
        for name in ("task", "table", "engine", "quantization", "kind")
        if (wanted := getattr(query, name))
    ]
    tier = None if query.tier == NO_TIER else query.tier
    return [
        place
        for place, row in enumerate(found.rows)
        if all(getattr(row, name) == wanted for name, wanted in plain)
        and (not query.tier or row.tier == tier)
        and (query.rung is None or row.rung >= query.rung)
        and (not model or model in row.model.casefold())
        and (not hardware or hardware in (row.hardware or "").casefold())
    ]


def tables(
    found: Snapshot, query: Query, limit: int = MOST_ROWS, offset: int = 0, each: int | None = None
) -> list[Table]:
    """Return the tables that hold what is asked for, with rows ``offset`` to ``offset + limit`` of them all.

    Tables are in an order of their own (measured first, tasks by name, tiers side by side), rows within by
    the figure, those without it last, and then by their ids: the same question has the same answer. ``each``:
    where there are several tables, no more rows of one than so many, and those of the larger tables first, so
    that many small ones keep nobody from being seen.
    """
    found = at_rates(found, query.rates)
    grouped = _by_table(found, matching(found, query))
    given = None if each is None or len(grouped) < 2 else _allotted(found, grouped, limit, each)
    made = []
    skip, left = offset, limit
    for name, places in grouped:
        figure = query.sort or leading(found, name)
        n = left if given is None else given[name]
        shown = (
            _sorted(found, places, figure, query.order)[skip : skip + n] if n and skip < len(places) else []
        )
        skip, left = max(0, skip - len(places)), left - len(shown)
        ranks = ranks_of(found, name, figure)
        rows = tuple(
            Listed(
                found.rows[place],
                ranks.get(place),
                "" if place in ranks else why_no_rank(found, place, figure),
            )
            for place in shown
        )
        made.append(Table(name, found.rows[places[0]], figure, len(places), len(ranks), rows))
    return made


def _allotted(
    found: Snapshot, grouped: Sequence[tuple[str, list[int]]], limit: int, each: int
) -> Mapping[str, int]:
    """Return how many rows of each table are shown: of what is measured first, of large ones first."""
    made, left = {}, limit
    for name, places in sorted(
        grouped, key=lambda pair: (KIND_ORDER[found.rows[pair[1][0]].kind], -len(pair[1]))
    ):
        made[name] = min(left, each, len(places))
        left -= made[name]
    return made


def leading(found: Snapshot, table: str) -> str:
    """Return the figure that a table leads with: the first of `LEADING` that any of its rows has."""
    places = list(found.tables().get(table, ()))
    known = (name for name in LEADING if np.isfinite(found.column(name)[places]).any())
    return next(known, LEADING[0])


def best_first(figure: str) -> Order:
    """Return the order in which the better rows of a figure come first."""
    return "desc" if figure in LARGER_IS_BETTER else "asc"


def choices(found: Snapshot) -> Mapping[str, tuple[str, ...]]:
    """Return what there is to choose from, by the names of `Query`; kept with the snapshot."""
    if not found.choices:
        for name in ("task", "hardware", "engine", "quantization", "kind"):
            values = {value for row in found.rows if (value := getattr(row, name)) is not None}
            found.choices[name] = tuple(
                sorted(values, key=lambda text: (KIND_ORDER.get(text, 0), text.casefold(), text))
            )
        tiers = {row.tier or NO_TIER for row in found.rows}
        found.choices["tier"] = tuple(sorted(tiers, key=lambda tier: _TIERS.get(tier, 9)))
    return found.choices


def _by_table(found: Snapshot, places: Sequence[int]) -> list[tuple[str, list[int]]]:
    grouped: dict[str, list[int]] = {}
    for place in places:
        grouped.setdefault(found.rows[place].table, []).append(place)
    return sorted(grouped.items(), key=lambda pair: _table_order(found.rows[pair[1][0]]))


def _table_order(row: BoardRow) -> tuple[object, ...]:
    return (
        KIND_ORDER[row.kind],
        row.is_canary,
        row.task.casefold(),
        row.unit,
        row.questions or "",
        is_loaded(row.load),
        _TIERS.get(row.tier or "", 9),
        row.scope or "~",
        row.table,
    )


def _sorted(found: Snapshot, places: Sequence[int], figure: str, order: Order | None) -> list[int]:
    at = np.array(places, dtype=np.int64)
    values = found.column(figure)[at]
    descending = (order or best_first(figure)) == "desc"
    marked = np.array([is_marked(found.rows[place], figure) for place in places], dtype=np.bool_)
    # rows are in the order of their ids, which a stable sort keeps; NaN comes last either way
    marked |= np.isnan(values)
    return [int(place) for place in at[np.lexsort((-values if descending else values, marked))]]

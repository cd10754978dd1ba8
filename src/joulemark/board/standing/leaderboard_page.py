"""What the page of the leaderboard shows, as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from joulemark.board.judging.rung import Rung
from joulemark.board.standing.cells import ALWAYS, COLUMNS, RowCells, figure_title, row_cells, short_title
from joulemark.board.standing.figure_names import AT_OWN_RATES, NO_ORDER
from joulemark.board.standing.listing import (
    MOST_ROWS,
    NO_TIER,
    Query,
    Table,
    best_first,
    choices,
    tables,
)
from joulemark.board.standing.query_parameters import address, parameters
from joulemark.board.standing.ranks import is_marked
from joulemark.board.standing.snapshot import Snapshot
from joulemark.board.standing.words import KINDS, task_words, tier_words
from joulemark.report.wording import TIERS

EACH = 10
"""How many rows of a table a page shows that has several."""
MOST_OTHERS = 200
"""How many further tables it names, the largest."""


MOST_REASONS = 5
"""How many reasons for no rank, and for no comparison of times, stand below a table."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column: ``href`` sorts by it, ``sorted`` as `aria-sort` has it."""

    name: str
    title: str
    hint: str
    href: str
    sorted: str
    wide: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the page. ``first`` begins a task, whose tiers stand one below the other.

    ``marks`` say why times of shown rows stand beside no other's, ``unranked`` why rows have no rank: each
    reason with how many rows it holds for, the commonest first and `MOST_REASONS` at most.
    """

    name: str
    task: str
    tier: str
    first: bool
    heads: tuple[Head, ...]
    rows: tuple[RowCells, ...]
    n_rows: int
    n_ranked: int
    ranked_by: str
    more: str
    marks: tuple[tuple[str, int], ...] = ()
    unranked: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A field of the form: its name, its label, what can be chosen (value, words) and what is."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    chosen: str


def leaderboard_values(found: Snapshot, query: Query, page: int) -> dict[str, Any]:
    """Return the page ``page`` (from 1) of what is asked for."""
    offset = (page - 1) * MOST_ROWS
    made = tables(found, query, MOST_ROWS, offset, each=None if page > 1 else EACH)
    n_rows = sum(table.n_rows for table in made)
    shown = [table for table in made if table.rows]
    several = len(made) > 1
    hidden = sorted((table for table in made if not table.rows), key=lambda table: -table.n_rows)
    named = {table.name for table in hidden[:MOST_OTHERS]}
    others = [table for table in made if table.name in named]
    return {
        "sections": sections(shown, query, several=several),
        "others": [
            (table.n_rows, f"{task_words(table.like)} · {tier_words(table.like)}", _only(table, query))
            for table in others
        ],
        "n_unlisted": len(made) - len(shown) - len(others),
        "n_rows": n_rows,
        "n_tables": len(made),
        "fields": fields(found, query),
        "query": query,
        "rates": {name: parameters(query).get(name, "") for name in ("usd_per_kwh", "gco2e_per_kwh")},
        "kept": {k: v for k, v in parameters(query).items() if k in ("table", "sort", "order")},
        "pages": [] if several else _pages(n_rows, query, page),
        "everything": address(Query()),
        "exports": address(query),
        "is_filtered": query.is_filtered,
        "empty_board": not found.rows,
        "heading": shown[0].like.task if query.table and shown else "",
        "version_of_rows": found.version,
    }


def sections(
    shown: Sequence[Table], query: Query, *, several: bool, more: Callable[[Table], str] | None = None
) -> list[Section]:
    """Return tables as they are shown.

    ``more`` gives the place of a whole table in files, where tables are sorted by who reads them.
    """
    made, before = [], ""
    for table in shown:
        task = task_words(table.like)
        made.append(
            Section(
                name=table.name,
                task=task,
                tier=tier_words(table.like),
                first=task != before,
                heads=tuple(_head(name, table, query, links=more is None) for name in _columns(table)),
                rows=tuple(row_cells(listed, _columns(table)) for listed in table.rows),
                n_rows=table.n_rows,
                n_ranked=table.n_ranked,
                ranked_by=figure_title(table.figure, table.like.unit),
                more=(more(table) if more else _only(table, query))
                if several and table.n_rows > len(table.rows)
                else "",
                marks=_commonest(_marks(table)),
                unranked=_commonest(one.why_unranked for one in table.rows if one.why_unranked),
            )
        )
        before = task
    return made


def _commonest(reasons: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(reasons).most_common(MOST_REASONS))


def _marks(table: Table) -> Iterator[str]:
    columns = _columns(table)
    for one in table.rows:
        figures = one.row.figures
        if any(is_marked(one.row, name) and _known(figures.get(name)) for name in columns):
            yield one.row.times_not_comparable


def fields(found: Snapshot, query: Query) -> list[Choice]:
    """Return the fields of the form, each with nothing to choose first."""
    there = choices(found)

    def of(name: str, label: str, words: dict[str, str] | None = None) -> Choice:
        options = tuple((value, (words or {}).get(value, value)) for value in there.get(name, ()))
        return Choice(name, label, (("", "any"), *options), str(getattr(query, name) or ""))

    tiers = {**{tier: f"{tier}: {told}" for tier, told in TIERS.items()}, NO_TIER: "no tier"}
    rungs = tuple((str(int(rung)), f"{rung.title} or more") for rung in Rung)
    return [
        of("task", "Task"),
        of("hardware", "Hardware"),
        of("tier", "Tier of the measurement", tiers),
        of("engine", "Engine"),
        of("quantization", "Quantization"),
        of("kind", "Kind", KINDS),
        Choice("rung", "Trust", (("", "any"), *rungs), "" if query.rung is None else str(query.rung)),
    ]


def _columns(table: Table) -> tuple[str, ...]:
    """Return the figures of a table: those that a shown row has, and of runs those that matter most.

    What rows are sorted by stands among the first, where a narrow window shows it.
    """
    first = ALWAYS if table.like.kind != "published" else ()
    led = () if table.figure in ALWAYS else (table.figure,)
    known = (name for name in COLUMNS if any(_known(one.row.figures.get(name)) for one in table.rows))
    own = (table.figure,) if table.figure in ALWAYS and not first else ()
    return tuple(dict.fromkeys((*first[:1], *led, *first[1:], *own, *known)))


def _known(figure: Any) -> bool:
    return figure is not None and figure.value is not None


def _head(name: str, table: Table, query: Query, *, links: bool) -> Head:
    order = (query.order or best_first(name)) if name == table.figure else None
    turned = "asc" if order == "desc" else "desc" if order == "asc" else best_first(name)
    hint = figure_title(name, table.like.unit)
    if name in query.rates.by_figure():
        hint += ", all at the rate that you gave"
    elif name in AT_OWN_RATES:
        hint += ", each at its own submitter's rates: sorted when asked for, never ranked"
    elif name in NO_ORDER:
        hint += ": no rank, less of it is not better in itself"
    return Head(
        name,
        short_title(name, table.like.unit),
        hint,
        address(replace(query, sort=name, order=turned)) if links else "",
        {"asc": "ascending", "desc": "descending"}[order] if order else "none",
        name not in ALWAYS and name != table.figure,
    )


def _only(table: Table, query: Query) -> str:
    return address(replace(query, table=table.name))


def _pages(n_rows: int, query: Query, page: int) -> list[tuple[str, str, bool]]:
    """Return links to pages: number, address, whether it is this one; none where one page holds all."""
    last = -(-n_rows // MOST_ROWS)
    if last < 2:
        return []
    near = sorted({1, last, *range(max(1, page - 2), min(last, page + 2) + 1)})
    return [(str(n), address(query, page=n), n == page) for n in near]

"""The leaderboard as documents: JSON page by page, CSV and Parquet whole."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
import polars as pl

from joulemark.board.judging.rung import Rung
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.figure_names import NAMES
from joulemark.board.standing.listing import Query, Table, tables
from joulemark.board.standing.row_json import row_to_json
from joulemark.board.standing.snapshot import Snapshot

MOST_EXPORTED = 1_000_000
_TEXTS = (
    "id",
    "kind",
    "table",
    "model",
    "task",
    "questions",
    "unit",
    "engine",
    "engine_version",
    "quantization",
    "hardware",
    "tier",
    "scope",
    "load",
    "stands_for",
    "source",
    "measured_at",
    "energy_source",
    "times_not_comparable",
)
_WHOLE = ("n_devices", "n_runs", "n_signers", "rung")


def leaderboard_json(found: Snapshot, query: Query, limit: int, offset: int) -> bytes:
    """Return rows ``offset`` to ``offset + limit`` of what is asked for, with their tables and ranks."""
    made = tables(found, query, limit, offset)
    return orjson.dumps(
        {
            "version": found.version,
            "n_rows": sum(table.n_rows for table in made),
            "limit": limit,
            "offset": offset,
            "tables": [
                {
                    "table": table.name,
                    "sorted_by": table.figure,
                    "n_rows": table.n_rows,
                    "n_ranked": table.n_ranked,
                }
                for table in made
            ],
            "rows": list(_ranked_rows(made)),
        }
    )


def _ranked_rows(made: Sequence[Table]) -> Iterator[dict[str, Any]]:
    for table in made:
        for listed in table.rows:
            rank = listed.rank
            yield {
                **row_to_json(listed.row),
                "sorted_by": table.figure,
                "rank": None if rank is None else {"best": rank.best, "worst": rank.worst},
                "why_unranked": listed.why_unranked,
            }


def frame_of(found: Snapshot, query: Query) -> pl.DataFrame:
    """Return all that is asked for as a table: a line a configuration, four columns a figure and more.

    A null figure has its reason in the column beside it.
    """
    records = [
        record
        for table in tables(found, query, MOST_EXPORTED)
        for listed in table.rows
        for record in [
            {
                "rank_best": None if listed.rank is None else listed.rank.best,
                "rank_worst": None if listed.rank is None else listed.rank.worst,
                "why_unranked": listed.why_unranked,
                "sorted_by": table.figure,
                **_record(listed.row),
            }
        ]
    ]
    return pl.DataFrame(records, schema=_schema())


def csv_of(frame: pl.DataFrame) -> bytes:
    """Return a frame as CSV, in which no text begins as a formula of a spreadsheet does."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    guarded = frame.with_columns(
        pl.when(pl.col(name).str.contains(r"^[=+\-@\t\r]"))
        .then(pl.lit("'") + pl.col(name))
        .otherwise(pl.col(name))
        .alias(name)
        for name in texts
    )
    return guarded.write_csv().encode()


def parquet_of(frame: pl.DataFrame) -> bytes:
    """Return a frame as Parquet."""
    held = io.BytesIO()
    frame.write_parquet(held)
    return held.getvalue()


def _record(row: BoardRow) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(row, name) for name in (*_TEXTS, *_WHOLE)}
    found["trust"] = Rung(row.rung).title
    found["settings"] = orjson.dumps(dict(row.settings), option=orjson.OPT_SORT_KEYS).decode()
    for name in NAMES:
        figure, spread = row.figures.get(name), row.spreads.get(name)
        found[name] = None if figure is None else figure.value
        found[f"{name}_lo"] = None if figure is None else figure.lo
        found[f"{name}_hi"] = None if figure is None else figure.hi
        found[f"{name}_reason"] = "not_measured" if figure is None else figure.reason
        found[f"{name}_mean"] = None if spread is None else spread.mean
        found[f"{name}_sd"] = None if spread is None else spread.sd
        found[f"{name}_runs"] = None if spread is None else spread.n
    return found


def _schema() -> dict[str, type[pl.DataType]]:
    found: dict[str, type[pl.DataType]] = {
        "rank_best": pl.Int64,
        "rank_worst": pl.Int64,
        "why_unranked": pl.String,
        "sorted_by": pl.String,
    }
    found |= dict.fromkeys(_TEXTS, pl.String)
    found |= dict.fromkeys(_WHOLE, pl.Int64)
    found |= {"trust": pl.String, "settings": pl.String}
    for name in NAMES:
        found |= {name: pl.Float64, f"{name}_lo": pl.Float64, f"{name}_hi": pl.Float64}
        found |= {f"{name}_reason": pl.String, f"{name}_mean": pl.Float64, f"{name}_sd": pl.Float64}
        found[f"{name}_runs"] = pl.Int64
    return found

"""The code-efficiency leaderboard as JSON and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from joulemark.board.code_service.answers import StandingJson, StandingsJson
from joulemark.board.code_service.figures import NAMES
from joulemark.board.code_service.standings import Query, Ranked, Table
from joulemark.board.standing.api_types import FigureJson, RankJson
from joulemark.board.standing.exports import csv_of as guarded_csv

_TEXTS = ("job_id", "model", "finished_at", "table", "dataset", "environment_id", "environment")
_COUNTS = ("n_problems", "n_solved", "n_samples", "n_right")
_SETTINGS = ("n_tests", "seed", "timeout_s", "memory_mib")


def standings_json(found: Sequence[Table], query: Query, root: str) -> StandingsJson:
    """Return the rows as the API tells them, with every figure."""
    rows = [_told(one, root) for table in found for one in table.rows]
    return StandingsJson(sorted_by=query.sort, rows=rows)


def _told(one: Ranked, root: str) -> StandingJson:
    row = one.row
    return StandingJson(
        job_id=row.job_id,
        page=f"{root}/code/jobs/{row.job_id}",
        model=row.model,
        finished_at=row.finished_at,
        table=row.table,
        dataset=row.dataset,
        environment_id=row.environment_id,
        environment=row.environment,
        busy=list(row.busy),
        settings=dict(row.settings),
        counts=dict(row.counts),
        figures={name: FigureJson(**asdict(row.figure(name))) for name in NAMES},
        rank=None if one.rank is None else RankJson(best=one.rank.best, worst=one.rank.worst),
        why_unranked=one.why_unranked,
    )


def csv_of(found: Sequence[Table], query: Query) -> bytes:
    """Return the rows as CSV: beside each figure its ends, its n, and why it is null or has no interval."""
    lines = [_line(one, query) for table in found for one in table.rows]
    return guarded_csv(pl.DataFrame(lines, schema=_schema()))


def _line(one: Ranked, query: Query) -> dict[str, Any]:
    row = one.row
    line: dict[str, Any] = {
        "rank_best": None if one.rank is None else one.rank.best,
        "rank_worst": None if one.rank is None else one.rank.worst,
        "why_unranked": one.why_unranked,
        "sorted_by": query.sort,
        **{name: getattr(row, name) for name in _TEXTS},
        **{name: row.counts.get(name) for name in _COUNTS},
        **{name: row.settings.get(name) for name in _SETTINGS},
    }
    for name in NAMES:
        figure = row.figure(name)
        line |= {name: figure.value, f"{name}_lo": figure.lo, f"{name}_hi": figure.hi}
        line |= {f"{name}_n": figure.n, f"{name}_detail": figure.detail}
    return line


def _schema() -> dict[str, type[pl.DataType]]:
    schema: dict[str, type[pl.DataType]] = {"rank_best": pl.Int64, "rank_worst": pl.Int64}
    schema |= {"why_unranked": pl.String, "sorted_by": pl.String}
    schema |= dict.fromkeys(_TEXTS, pl.String) | dict.fromkeys(_COUNTS, pl.Int64)
    schema |= dict.fromkeys(_SETTINGS, pl.Int64) | {"timeout_s": pl.Float64}
    for name in NAMES:
        schema |= dict.fromkeys((name, f"{name}_lo", f"{name}_hi"), pl.Float64)
        schema |= {f"{name}_n": pl.Int64, f"{name}_detail": pl.String}
    return schema

"""The answers of the leaderboard's API as types, so that its OpenAPI schema says what there is."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class FigureJson(BaseModel):
    """A figure. A null has the code of its reason and, as ``detail``, the sentence; an interval its kind."""

    value: float | None
    unit: str
    lo: float | None = None
    hi: float | None = None
    interval: str | None = None
    n: int | None = None
    reason: str | None = None
    detail: str = ""


class SpreadJson(BaseModel):
    """Mean and sample standard deviation over ``n`` runs."""

    mean: float
    sd: float
    n: int


class RankJson(BaseModel):
    """The places that a row may have among its table: more than one where intervals meet."""

    best: int
    worst: int


class RowJson(BaseModel):
    """A configuration: see `joulemark.board.standing.board_row.BoardRow`."""

    id: str
    kind: Literal["measured", "published", "simulated"]
    table: str
    model: str
    task: str
    questions: str | None
    unit: str
    engine: str
    engine_version: str | None
    quantization: str | None
    hardware: str | None
    n_devices: int | None
    tier: str | None
    scope: str | None
    load: str
    settings: dict[str, str | int | float | bool | None]
    figures: dict[str, FigureJson]
    spreads: dict[str, SpreadJson]
    n_runs: int
    n_signers: int
    rung: int
    runs: list[str]
    stands_for: str | None
    source: str | None
    is_canary: bool
    is_ranked: bool
    why_not_ranked: str
    streamed: bool | None
    energy_source: str | None
    measured_at: str | None
    notes: list[str]
    n_questions: int | None = None
    times_not_comparable: str = ""


class RankedRowJson(RowJson):
    """A row of the leaderboard with its rank by the figure it is sorted by; a null has its reason."""

    sorted_by: str
    rank: RankJson | None
    why_unranked: str


class TableJson(BaseModel):
    """A table: rows that may be ranked together. ``n_rows`` are those that were asked for."""

    table: str
    sorted_by: str
    n_rows: int
    n_ranked: int


class LeaderboardJson(BaseModel):
    """A page of the leaderboard; rows of one table stand together, and no rank goes beyond its table."""

    version: int
    n_rows: int
    limit: int
    offset: int
    tables: list[TableJson]
    rows: list[RankedRowJson]


class GroundJson(BaseModel):
    """Why a submission stands as it does."""

    code: str
    why: str


class RunJson(BaseModel):
    """A submitted run: how it stands, and every figure as the board recomputed it."""

    digest: str
    status: str
    rung: int
    rung_title: str
    rung_shows: str
    grounds: list[GroundJson]
    received_at: str
    measured_at: str | None
    signer: str
    joulemark_version: str | None
    configuration: str | None
    checks_passed: list[str]
    row: RowJson | None
    recomputed: dict[str, Any] | None

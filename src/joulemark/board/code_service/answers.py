"""What the API of the code service answers, as types: its OpenAPI schema is made of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from joulemark.board.code_service.job_options import DatasetName, JobOptions, ModelName
from joulemark.board.code_service.job_state import JobState, Progress
from joulemark.board.standing.api_types import FigureJson, RankJson

NO_NUL = r"^[^\x00]*$"
"""PostgreSQL keeps no such character."""
JobId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
RequestId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
Limit = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]


class JobJson(BaseModel):
    """A job as everyone sees it.

    ``place``: in the queue, from 1, while it waits. ``why``: of a job that failed. ``result``: of a job that
    is done, where one job is asked for: the record without programs, every figure, and how wrong ones ended.
    """

    id: str
    state: JobState
    created_at: str
    finished_at: str | None
    options: JobOptions
    progress: Progress
    attempts: int
    place: int | None = None
    why: str | None = None
    page: str
    result: dict[str, Any] | None = None


class JobMadeJson(JobJson):
    """A job just made. ``secret`` opens what is the uploader's alone; it cannot be read again."""

    secret: str
    private_page: str


class JobsJson(BaseModel):
    """Jobs, the latest first; ``n_waiting`` of all."""

    jobs: list[JobJson]
    n_waiting: int


class DatasetJson(BaseModel):
    """A data set that can be chosen; ``revision``: SHA-256 of what was read."""

    id: str
    title: str
    revision: str
    n_problems: int


class StandingJson(BaseModel):
    """A row of the leaderboard. ``table`` names what it may be ranked with; ``busy``: which of its figures
    are the machine's load.
    """

    job_id: str
    page: str
    model: str
    finished_at: str
    table: str
    dataset: str
    environment_id: str
    environment: str
    busy: list[str]
    settings: dict[str, int | float]
    counts: dict[str, int]
    figures: dict[str, FigureJson]
    rank: RankJson | None
    why_unranked: str


class StandingsJson(BaseModel):
    """The leaderboard: rows of one table stand together, ranked by ``sorted_by``."""

    sorted_by: str
    rows: list[StandingJson]


class ModelRequestGiven(BaseModel):
    """A wish that a model be evaluated. ``contact``: how to reach who wishes it; moderators alone see it."""

    model_config = ConfigDict(extra="forbid")

    model: ModelName
    dataset: DatasetName | None = None
    words: Annotated[str, Field(max_length=2000, pattern=NO_NUL)] = ""
    contact: Annotated[str, Field(max_length=200, pattern=NO_NUL)] = ""


class ModelRequestTaken(BaseModel):
    """What is said to who wishes an evaluation."""

    id: str
    state: Literal["open"] = "open"


class ModelRequestJson(ModelRequestGiven):
    """A wish as a moderator sees it."""

    id: str
    at: str
    state: Literal["open", "taken", "declined"]
    decided_at: str | None


class ModelRequestsJson(BaseModel):
    """Wishes, the oldest first."""

    requests: list[ModelRequestJson]


class DecisionGiven(BaseModel):
    """What a moderator decides of a wish."""

    model_config = ConfigDict(extra="forbid")

    state: Literal["taken", "declined"]

"""An answer of the picker as JSON, and its type for the API's schema."""

from __future__ import annotations

from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict

from joulemark.board.picker.answer import Answer
from joulemark.metrics.picking import picked_json


class PickRow(BaseModel):
    """A configuration with its figures of the workload by the names of the methodology page.

    ``config_hash`` is the id of its configuration. A null figure has its entry in ``reasons``; ``intervals``
    are by figure.
    """

    model_config = ConfigDict(extra="allow")

    model: str
    label: str
    kind: str
    device: str | None
    n_devices: int | None
    tier: str | None
    scope: str | None
    task: str
    config_hash: str | None
    intervals: dict[str, Any]
    reasons: dict[str, Any]
    workload: dict[str, Any] | None
    extrapolated: list[str]
    notes: list[str]


class RankedRow(PickRow):
    """A row of a table: its range of ranks, how it keeps each limit, and its chance to be the best."""

    rank_range: list[int] | None
    probability_best: float | None
    limits: list[dict[str, Any]]


class RuledOutRow(PickRow):
    """A row that keeps not all that was asked, with the limits that it fails."""

    failed: list[dict[str, Any]]


class PickTable(BaseModel):
    """Rows that may be ranked together; ``n_rows`` there are in all."""

    kind: str
    tier: str | None
    scope: str | None
    task: str | None
    questions: str | None
    n_rows: int
    rows: list[RankedRow]


class Unpriced(BaseModel):
    """A configuration without the figure that is ranked by, and how many lack it for the same reason."""

    model_config = ConfigDict(extra="allow")

    model: str
    label: str
    code: str
    text: str
    n_alike: int


class FailedBy(BaseModel):
    """How many configurations a limit rules out."""

    name: str
    limit: str | float
    at_least: bool | None
    n: int


class PickAnswer(BaseModel):
    """What to run for a workload. Tables of different kinds of evidence are never merged.

    ``version`` is that of the board. Of tables, rows and what is ruled out the first are here; the counts are
    of all. ``n_per_request`` of those without a price lack only their accuracy.
    """

    version: int
    by: str
    figure: str
    workload: dict[str, Any]
    asked: list[dict[str, Any]]
    rates: dict[str, Any]
    best: RankedRow | None
    tables: list[PickTable]
    ruled_out: list[RuledOutRow]
    not_priced: list[Unpriced]
    notes: list[str]
    units: dict[str, str]
    n_candidates: int
    n_less_trusted: int
    n_tables: int
    n_ruled_out: int
    n_not_priced: int
    failed_by: list[FailedBy]
    n_per_request: int


def answer_json(found: Answer, rates: dict[str, Any]) -> bytes:
    """Return the document of `PickAnswer`."""
    short = found.shortlist
    document: dict[str, Any] = picked_json(short.found)
    for table, n in zip(document["tables"], short.n_rows, strict=True):
        table["n_rows"] = n
    for one, n in zip(document["not_priced"], short.n_alike, strict=True):
        one["n_alike"] = n
    return orjson.dumps(
        {
            "version": found.version,
            **document,
            "rates": rates,
            "n_candidates": short.n_candidates,
            "n_less_trusted": found.n_less_trusted,
            "n_tables": short.n_tables,
            "n_ruled_out": short.n_ruled_out,
            "n_not_priced": short.n_not_priced,
            "failed_by": [
                {
                    "name": one.name,
                    "limit": getattr(one, "wanted", None) or getattr(one, "bound", None),
                    "at_least": getattr(one, "at_least", None),
                    "n": n,
                }
                for one, n in short.failed_by
            ],
        }
    )

"""The API of the leaderboard."""

from __future__ import annotations

from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Request, Response
from fastapi import Path as Place
from fastapi import Query as Parameter

from joulemark.board.board_address import board_address
from joulemark.board.refusal import Refused, refusals
from joulemark.board.standing.api_types import LeaderboardJson, RowJson, RunJson
from joulemark.board.standing.exports import csv_of, frame_of, leaderboard_json, parquet_of
from joulemark.board.standing.feed import atom, latest
from joulemark.board.standing.listing import Query
from joulemark.board.standing.query_parameters import query_of
from joulemark.board.standing.remembered import remembered
from joulemark.board.standing.row_json import row_to_json
from joulemark.board.standing.snapshot import snapshot
from joulemark.board.standing.submitted import submitted

MOST = 500
JSON, CSV = "application/json", "text/csv; charset=utf-8"
PARQUET, ATOM = "application/vnd.apache.parquet", "application/atom+xml"
Asked = Annotated[Query, Depends(query_of)]
Limit = Annotated[int, Parameter(ge=1, le=MOST)]
Offset = Annotated[int, Parameter(ge=0, le=10_000_000)]
Digest = Annotated[str, Place(pattern="^[0-9a-f]{64}$")]


def router() -> APIRouter:
    """Return the routes of the leaderboard's API, its exports and its feed."""
    routes = APIRouter(tags=["leaderboard"])
    api = "/api/v1"
    routes.add_api_route(
        f"{api}/leaderboard", leaderboard, response_class=Response, responses=_typed(LeaderboardJson)
    )
    for name, media_type, call in (("csv", "text/csv", as_csv), ("parquet", PARQUET, as_parquet)):
        routes.add_api_route(
            f"{api}/leaderboard.{name}", call, response_class=Response, responses=_binary(media_type)
        )
    routes.add_api_route(
        f"{api}/configurations/{{configuration}}",
        configuration_json,
        response_class=Response,
        responses={**_typed(RowJson), **refusals(404)},
    )
    routes.add_api_route(
        f"{api}/runs/{{digest}}",
        run_json,
        response_class=Response,
        responses={**_typed(RunJson), **refusals(404, 410)},
    )
    routes.add_api_route("/feed.atom", feed, response_class=Response, responses=_binary(ATOM))
    return routes


def leaderboard(request: Request, query: Asked, limit: Limit = 50, offset: Offset = 0) -> Response:
    """Return rows of the leaderboard: tables one after the other, ranks within each."""
    engine = request.app.state.engine
    found = snapshot(engine)
    key = ("json", found.version, query, limit, offset)
    made = remembered(engine).get(key, lambda: leaderboard_json(found, query, limit, offset))
    return Response(made, media_type=JSON)


def as_csv(request: Request, query: Asked) -> Response:
    """Return all rows that are asked for as CSV."""
    engine = request.app.state.engine
    found = snapshot(engine)
    made = remembered(engine).get(("csv", found.version, query), lambda: csv_of(frame_of(found, query)))
    return Response(made, media_type=CSV, headers=_attached("csv"))


def as_parquet(request: Request, query: Asked) -> Response:
    """Return all rows that are asked for as Parquet."""
    engine = request.app.state.engine
    found = snapshot(engine)
    key = ("parquet", found.version, query)
    made = remembered(engine).get(key, lambda: parquet_of(frame_of(found, query)))
    return Response(made, media_type=PARQUET, headers=_attached("parquet"))


def configuration_json(request: Request, configuration: Digest) -> Response:
    """Return a configuration: its row as the leaderboard has it."""
    row = snapshot(request.app.state.engine).row(configuration)
    if row is None:
        raise Refused(404, "there is no such configuration", "it has no accepted run, or never had")
    return Response(orjson.dumps(row_to_json(row)), media_type=JSON)


def run_json(request: Request, digest: Digest) -> Response:
    """Return a run: how it stands, and every figure as the board recomputed it from its evidence."""
    return Response(orjson.dumps(submitted(request.app.state.engine, digest).to_json()), media_type=JSON)


def feed(request: Request) -> Response:
    """Return the runs that were accepted last."""
    engine = request.app.state.engine
    root = board_address(request)
    key = ("feed", snapshot(engine).version, root)
    made = remembered(engine).get(key, lambda: atom(latest(engine), root))
    return Response(made, media_type=ATOM)


def _typed(model: type) -> dict[int | str, dict[str, object]]:
    # the model is the schema; the answer is made of checked values, and not checked a second time
    return {200: {"model": model, "description": "As asked"}}


def _binary(media_type: str) -> dict[int | str, dict[str, object]]:
    schema = {"schema": {"type": "string"}}
    return {200: {"description": "As asked", "content": {media_type: schema}}}


def _attached(kind: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="joulemark-leaderboard.{kind}"'}

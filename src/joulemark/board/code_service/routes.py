"""The API of the code service: upload programs, follow a job, read figures; and ask for a model."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from joulemark.board.board_address import board_address
from joulemark.board.code_service.answers import (
    DatasetJson,
    DecisionGiven,
    JobId,
    JobJson,
    JobMadeJson,
    JobsJson,
    Limit,
    ModelRequestGiven,
    ModelRequestJson,
    ModelRequestsJson,
    ModelRequestTaken,
    Offset,
    RequestId,
    StandingsJson,
)
from joulemark.board.code_service.asked import Asked
from joulemark.board.code_service.datasets import offered
from joulemark.board.code_service.exports import csv_of, standings_json
from joulemark.board.code_service.job_options import JobOptions
from joulemark.board.code_service.job_queue import cancel
from joulemark.board.code_service.job_state import JobState
from joulemark.board.code_service.jobs import files_of, job, jobs, n_in, require_secret
from joulemark.board.code_service.model_requests import ask, decide, open_requests
from joulemark.board.code_service.receiving import FORM, LINES, Upload
from joulemark.board.code_service.secret import LEAST_KEY_CHARS, MOST_KEY_CHARS
from joulemark.board.code_service.standings import standings, tables
from joulemark.board.code_service.take import take
from joulemark.board.database.writing import transaction
from joulemark.board.intake.callers import Moderator
from joulemark.board.refusal import Refused, refusals

_ZIP = "application/zip"
_secret = HTTPBearer(
    auto_error=False, scheme_name="JobSecret", description="The secret of a job, told when it was made."
)
Secret = Annotated[HTTPAuthorizationCredentials | None, Depends(_secret)]
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=LEAST_KEY_CHARS,
        max_length=MOST_KEY_CHARS,
        pattern="^[!-~]+$",
        description="Any text that nobody guesses, a UUID for example: the same request with it is one job",
    ),
]
_FILE = {"type": "string", "format": "binary"}


def _upload_body() -> dict[str, Any]:
    """Return how an upload is sent, for the schema: a form, or the file with the options as parameters."""
    schema = JobOptions.model_json_schema()
    definitions = schema.pop("$defs", {})
    options = {
        name: definitions.get(one.get("$ref", "").rpartition("/")[2], one)
        for name, one in schema["properties"].items()
    }
    form = {
        "type": "object",
        "properties": {**options, "file": _FILE},
        "required": ["file", "model"],
        "additionalProperties": False,
    }
    content = {FORM: {"schema": form}, **{kind: {"schema": _FILE} for kind in LINES}}
    parameters = [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": one,
            "description": "Where the body is the file alone",
        }
        for name, one in options.items()
    ]
    return {"requestBody": {"required": True, "content": content}, "parameters": parameters}


def router() -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/api/v1/code", tags=["code"])
    routes.add_api_route(
        "/jobs",
        post_job,
        methods=["POST"],
        status_code=202,
        response_model=JobMadeJson,
        responses={
            200: {"model": JobMadeJson, "description": "It is known: as it stands"},
            **refusals(403, 409, 415, 503),
        },
        openapi_extra=_upload_body(),
        dependencies=[Depends(allowed), Depends(rated("code"))],
    )
    routes.add_api_route("/jobs", get_jobs, methods=["GET"])
    routes.add_api_route("/jobs/{job_id}", get_job, methods=["GET"], responses=refusals(404))
    routes.add_api_route("/jobs/{job_id}", delete_job, methods=["DELETE"], responses=refusals(401, 403, 404))
    routes.add_api_route(
        "/jobs/{job_id}/files",
        get_files,
        methods=["GET"],
        response_class=Response,
        responses={
            200: {"description": "Raw runs and programs", "content": {_ZIP: {"schema": _FILE}}},
            **refusals(401, 403, 404, 409),
        },
    )
    routes.add_api_route("/datasets", get_datasets, methods=["GET"])
    routes.add_api_route("/leaderboard", get_leaderboard, methods=["GET"])
    routes.add_api_route(
        "/leaderboard.csv",
        get_csv,
        methods=["GET"],
        response_class=Response,
        responses={200: {"description": "As asked", "content": {"text/csv": {"schema": {"type": "string"}}}}},
    )
    routes.add_api_route(
        "/requests",
        post_request,
        methods=["POST"],
        status_code=202,
        responses=refusals(503),
        dependencies=[Depends(rated("wish"))],
    )
    routes.add_api_route("/requests", get_requests, methods=["GET"], responses=refusals(401, 403))
    routes.add_api_route(
        "/requests/{request_id}/decisions",
        post_decision,
        methods=["POST"],
        responses=refusals(401, 403, 404, 409),
    )
    return routes


def allowed(request: Request) -> None:
    """Raise `Refused` (403) where this board takes no programs."""
    if not request.app.state.settings.code_service:
        raise Refused(
            403,
            "this board takes no generated programs",
            "its operator runs no worker",
            "evaluate them with `joulemark code eval`",
        )


def rated(kind: str) -> Any:
    """Return a dependency that counts requests by address, and raises `Refused` (429)."""

    def count(request: Request) -> None:
        request.app.state.rates.count(request, kind)

    return count


def post_job(
    request: Request, response: Response, upload: Upload, idempotency_key: IdempotencyKey = None
) -> JobMadeJson:
    """Upload generated programs: a form with ``file``, or the file alone with the options as parameters.

    The file is a JSON list or JSON lines, of ``task_id`` with ``solution`` (a program), ``completion`` (the
    rest of the prompt) or ``answer`` (a model's words), or EffiBench's of ``problem_idx`` with
    ``completion``. Other fields of a row are not read.
    """
    engine, root = request.app.state.engine, board_address(request)
    identity, is_new = take(engine, upload, idempotency_key)
    if not is_new:
        response.status_code = 200
    with engine.connect() as connection:
        found = job(connection, identity.job_id, root)
    private = f"{found.page}?key={identity.secret}"
    return JobMadeJson(**found.model_dump(), secret=identity.secret, private_page=private)


def get_jobs(
    request: Request, state: JobState | None = None, limit: Limit = 50, offset: Offset = 0
) -> JobsJson:
    """List jobs, the latest first."""
    with request.app.state.engine.connect() as connection:
        found = jobs(connection, board_address(request), state=state, limit=limit, offset=offset)
        return JobsJson(jobs=found, n_waiting=n_in(connection, JobState.WAITING))


def get_job(request: Request, job_id: JobId) -> JobJson:
    """Return a job: its state, how far it is, its place in the queue, and its result once it is done."""
    with request.app.state.engine.connect() as connection:
        return job(connection, job_id, board_address(request), with_result=True)


def delete_job(request: Request, job_id: JobId, secret: Secret) -> JobJson:
    """Cancel a job, or withdraw what came of it: programs and figures are gone."""
    engine = request.app.state.engine
    with engine.connect() as connection:
        require_secret(connection, job_id, None if secret is None else secret.credentials)
    cancel(engine, job_id)
    with engine.connect() as connection:
        return job(connection, job_id, board_address(request))


def get_files(request: Request, job_id: JobId, secret: Secret) -> Response:
    """Return raw runs, programs and the whole report as a zip, for the uploader alone."""
    with request.app.state.engine.connect() as connection:
        require_secret(connection, job_id, None if secret is None else secret.credentials)
        data = files_of(connection, job_id)
    attached = {"Content-Disposition": f'attachment; filename="joulemark-code-{job_id[:8]}.zip"'}
    return Response(data, media_type=_ZIP, headers=attached)


def get_datasets(request: Request) -> list[DatasetJson]:
    """List the data sets that can be chosen."""
    with request.app.state.engine.connect() as connection:
        sets = offered(connection)
    return [
        DatasetJson(id=one.dataset_id, title=one.title, revision=one.revision, n_problems=len(one.problems))
        for one in sets
    ]


def get_leaderboard(request: Request, query: Asked) -> StandingsJson:
    """Return the code-efficiency leaderboard."""
    found = tables(standings(request.app.state.engine), query)
    return standings_json(found, query, board_address(request))


def get_csv(request: Request, query: Asked) -> Response:
    """Return the code-efficiency leaderboard as CSV, with intervals and reasons."""
    found = tables(standings(request.app.state.engine), query)
    attached = {"Content-Disposition": 'attachment; filename="joulemark-code.csv"'}
    return Response(csv_of(found, query), media_type="text/csv; charset=utf-8", headers=attached)


def post_request(request: Request, given: ModelRequestGiven) -> ModelRequestTaken:
    """Ask that a model be evaluated. A moderator reads it; nothing is spent by itself."""
    with transaction(request.app.state.engine) as connection:
        return ModelRequestTaken(id=ask(connection, given))


def get_requests(request: Request, _: Moderator) -> ModelRequestsJson:
    """List what waits for a moderator."""
    with request.app.state.engine.connect() as connection:
        return ModelRequestsJson(requests=open_requests(connection))


def post_decision(
    request: Request, request_id: RequestId, given: DecisionGiven, _: Moderator
) -> ModelRequestJson:
    """Take or decline a request."""
    with transaction(request.app.state.engine) as connection:
        return decide(connection, request_id, given.state)

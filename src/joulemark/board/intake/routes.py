"""The API of submissions: take one, tell of it, withdraw it, appeal."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from joulemark.board.database.stored_bundle import bundle_of
from joulemark.board.database.writing import writing
from joulemark.board.intake.answers import (
    AppealAnswer,
    AppealGiven,
    Digest,
    SubmissionAnswer,
    WithdrawalGiven,
    WithdrawnAnswer,
)
from joulemark.board.intake.appeal import lodge
from joulemark.board.intake.bodies import ZIP, ZIP_BODY, Body
from joulemark.board.intake.callers import Credentials, role_of
from joulemark.board.intake.ingest import submission
from joulemark.board.intake.signed import APPEAL, is_by
from joulemark.board.intake.standing_changes import withdraw
from joulemark.board.intake.take import take
from joulemark.board.intake.told import told
from joulemark.board.refusal import Refused, refusals

_TAKEN: dict[int | str, dict[str, Any]] = {
    200: {"model": SubmissionAnswer, "description": "It is known: as it stands"},
    201: {"model": SubmissionAnswer, "description": "It was taken and is accepted"},
    202: {"model": SubmissionAnswer, "description": "It was taken and is held back: why, and how to appeal"},
}
_BYTES: dict[int | str, dict[str, Any]] = {
    200: {"content": {ZIP: {"schema": {"type": "string", "format": "binary"}}}, "description": "The bundle"}
}


def router() -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/api/v1/submissions", tags=["submissions"])
    routes.add_api_route(
        "",
        post_submission,
        methods=["POST"],
        status_code=201,
        responses={**_TAKEN, **refusals(401, 410, 415)},
        response_model=SubmissionAnswer,
        openapi_extra=ZIP_BODY,
    )
    routes.add_api_route("/{digest}", get_submission, methods=["GET"], responses=refusals(404))
    routes.add_api_route(
        "/{digest}/bundle",
        get_bundle,
        methods=["GET"],
        response_class=Response,
        responses={**_BYTES, **refusals(404, 410)},
    )
    routes.add_api_route(
        "/{digest}/withdrawals", post_withdrawal, methods=["POST"], responses=refusals(403, 404, 409)
    )
    routes.add_api_route(
        "/{digest}/appeals",
        post_appeal,
        methods=["POST"],
        status_code=201,
        responses=refusals(403, 404, 409),
    )
    return routes


def post_submission(
    request: Request,
    response: Response,
    body: Body,
    credentials: Credentials,
    idempotency_key: Annotated[str | None, Header(description="SHA-256 of the bundle, in hex")] = None,
) -> SubmissionAnswer:
    """Submit a bundle (``application/zip``). The same bundle again gets the same answer.

    Every figure is recomputed from its answers and readings. Refused with the check that failed where one
    did; held back with its grounds where it is nothing that its device could have done, or a copy of another.
    """
    kind = request.headers.get("content-type", ZIP).partition(";")[0].strip().lower()
    if kind not in (ZIP, "application/octet-stream"):
        raise Refused(415, "a bundle is sent as application/zip")
    if idempotency_key is not None and idempotency_key.strip().lower() != hashlib.sha256(body).hexdigest():
        raise Refused(
            400,
            "the Idempotency-Key is not the SHA-256 of the body",
            "something was changed or lost on the way",
            "send it again",
        )
    stored = take(request, body, counts=role_of(request, credentials) is None)
    held = stored.row["status"] != "accepted"
    response.status_code = (202 if held else 201) if stored.is_new else 200
    with request.app.state.engine.connect() as connection:
        return told(request, connection, stored.row, is_new=stored.is_new)


def get_submission(request: Request, digest: Digest) -> SubmissionAnswer:
    """Tell how a submission stands: its status and rung, the grounds, challenges."""
    with request.app.state.engine.connect() as connection:
        return told(request, connection, known(submission(connection, digest)))


def get_bundle(request: Request, digest: Digest) -> Response:
    """Return the bytes of an accepted bundle, so that everybody can verify it."""
    with request.app.state.engine.connect() as connection:
        row = known(submission(connection, digest))
        if row["status"] == "withdrawn":
            raise Refused(410, "the bundle was withdrawn by its signer")
        if row["status"] != "accepted":
            raise Refused(404, "the bundle is not public", "it is held back")
        data = bundle_of(connection, digest)
    headers = {
        "Content-Disposition": f'attachment; filename="{digest[:16]}.joulemark.zip"',
        "Cache-Control": "no-cache",  # it may be withdrawn
        "ETag": f'"{digest}"',
    }
    return Response(data, media_type=ZIP, headers=headers)


def post_withdrawal(request: Request, digest: Digest, given: WithdrawalGiven) -> WithdrawnAnswer:
    """Withdraw a submission: only its signer can. The bundle and what was derived of it are deleted."""
    request.app.state.rates.count(request, "withdrawal")
    if given.bundle != digest:
        raise Refused(409, "the statement is about another bundle")
    with writing(request.app.state.engine) as connection:
        row = known(submission(connection, digest))
        if not is_by(row["signer"], "withdrawal", given):
            raise Refused(
                403, "only the signer of a bundle can withdraw it", "the statement is not signed by it"
            )
        if row["status"] != "withdrawn":
            withdraw(connection, row)
    return WithdrawnAnswer(digest=digest, status="withdrawn")


def post_appeal(request: Request, digest: Digest, given: AppealGiven) -> AppealAnswer:
    """Ask a moderator to look at a submission that is held back, rejected or withdrawn.

    Signed (over ``joulemark appeal v1`` and the words with ``bundle`` and ``format``) it counts as the
    submitter's own.
    """
    request.app.state.rates.count(request, "appeal")
    with writing(request.app.state.engine) as connection:
        row = known(submission(connection, digest))
        signed = given.signature is not None
        if signed and not is_by(row["signer"], "appeal", given, bundle=digest, format=APPEAL):
            raise Refused(403, "the appeal is not signed by the signer of the bundle")
        if row["status"] == "accepted":
            raise Refused(409, "there is nothing to appeal", "the submission is accepted")
        if row["status"] == "withdrawn" and not signed:
            raise Refused(403, "only the signer of a withdrawn bundle can appeal", "the appeal is not signed")
        made = lodge(connection, digest, given.words, is_signed=signed)
        if made is None:
            raise Refused(409, "enough appeals of this submission wait already", fix="wait for a decision")
    return AppealAnswer.model_validate({name: made[name] for name in AppealAnswer.model_fields})


def known(row: dict[str, Any] | None) -> dict[str, Any]:
    """Return a row; raises `Refused` (404) where there is none."""
    if row is None:
        raise Refused(404, "there is no such submission", fix="name it by all 64 digits of its digest")
    return row

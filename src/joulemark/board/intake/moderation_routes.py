"""The API of moderation, and of the audit log, which everybody may read."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from joulemark.board.database.writing import writing
from joulemark.board.intake import audit
from joulemark.board.intake.answers import (
    AppealAnswer,
    AppealDecisionGiven,
    AppealId,
    AuditAnswer,
    AuditLine,
    DecisionGiven,
    Digest,
    SubmissionAnswer,
)
from joulemark.board.intake.appeal import appeal, decide_appeal
from joulemark.board.intake.callers import Moderator
from joulemark.board.intake.decision import decide
from joulemark.board.intake.ingest import submission
from joulemark.board.intake.routes import known
from joulemark.board.intake.told import told
from joulemark.board.refusal import Refused, refusals

_PUBLIC_ACTORS = frozenset({"submitter", "somebody", audit.BOARD})


def router() -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/api/v1", tags=["moderation"])
    routes.add_api_route(
        "/submissions/{digest}/decisions",
        post_decision,
        methods=["POST"],
        responses=refusals(401, 403, 404, 409),
    )
    routes.add_api_route(
        "/appeals/{appeal_id}/decisions",
        post_appeal_decision,
        methods=["POST"],
        responses=refusals(401, 403, 404, 409),
    )
    routes.add_api_route("/audit", get_audit, methods=["GET"])
    return routes


def post_decision(
    request: Request, digest: Digest, given: DecisionGiven, actor: Moderator
) -> SubmissionAnswer:
    """Accept, reject or hold back a submission, or note that it was audited; with a note."""
    with writing(request.app.state.engine) as connection:
        row = known(submission(connection, digest))
        decide(connection, actor, row, given.decision, given.note)
        return told(request, connection, known(submission(connection, digest)))


def post_appeal_decision(
    request: Request, appeal_id: AppealId, given: AppealDecisionGiven, actor: Moderator
) -> AppealAnswer:
    """Grant or deny an appeal; granted, the submission is accepted."""
    return decided(request, appeal_id, given, actor)


def decided(request: Request, appeal_id: str, given: AppealDecisionGiven, actor: str) -> AppealAnswer:
    """Decide an appeal and return it; raises `Refused`."""
    with writing(request.app.state.engine) as connection:
        row = appeal(connection, appeal_id)
        if row is None:
            raise Refused(404, "there is no such appeal")
        if row["state"] != "open":
            raise Refused(409, "the appeal was decided already", f"it was {row['state']}")
        held = known(submission(connection, row["digest"]))
        decide_appeal(connection, actor, row, held, grant=given.grant, words=given.note)
    state = "granted" if given.grant else "denied"
    return AppealAnswer.model_validate(
        {name: row[name] for name in AppealAnswer.model_fields} | {"state": state}
    )


def get_audit(
    request: Request,
    subject: Annotated[str | None, Query(pattern="^[0-9a-f]{64}$")] = None,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> AuditAnswer:
    """Tell what was done to which submission, the newest first, and moderators' notes; not who they are."""
    with request.app.state.engine.connect() as connection:
        found = audit.lines(connection, subject=subject, before=before, limit=limit, public=True)
    lines = [AuditLine(**_public(line)) for line in found]
    return AuditAnswer(lines=lines, before=lines[-1].id if len(lines) == limit else None)


def _public(line: dict[str, Any]) -> dict[str, Any]:
    actor = line["actor"]
    known_actor = actor in _PUBLIC_ACTORS or line["action"] in audit.BY_SIGNER
    return {**line, "actor": actor if known_actor else "moderator"}

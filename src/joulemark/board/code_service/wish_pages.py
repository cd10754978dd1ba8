"""Which models are asked for, as a moderator sees it: behind the session of the moderation pages."""

from __future__ import annotations

import hmac
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from joulemark.board.code_service.answers import RequestId
from joulemark.board.code_service.model_requests import decide, open_requests
from joulemark.board.database.writing import transaction
from joulemark.board.intake.callers import session_of
from joulemark.board.intake.sessions import Session
from joulemark.board.pages.environment import page
from joulemark.board.refusal import Refused

_HOME = "/moderation/models"


def router() -> APIRouter:
    """Return the pages."""
    routes = APIRouter(prefix=_HOME, include_in_schema=False)
    routes.add_api_route("", wishes_page, methods=["GET"])
    routes.add_api_route("/{request_id}/decisions", decision_form, methods=["POST"])
    return routes


def wishes_page(request: Request) -> Response:
    """Show what waits for a moderator."""
    session = _session(request)
    with request.app.state.engine.connect() as connection:
        found = open_requests(connection)
    answer = page(request, "code_wishes", wishes=found, csrf=session.csrf)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def decision_form(
    request: Request,
    request_id: RequestId,
    csrf: Annotated[str, Form(max_length=100)],
    state: Annotated[Literal["taken", "declined"], Form()],
) -> Response:
    """Take or decline a wish."""
    if not hmac.compare_digest(csrf.encode("utf-8", "replace"), _session(request).csrf.encode()):
        raise Refused(403, "the form is not of this session", fix=f"open {_HOME} again")
    with transaction(request.app.state.engine) as connection:
        decide(connection, request_id, state)
    return RedirectResponse(_HOME, 303)


def _session(request: Request) -> Session:
    """Return the moderator's session. Raises `Refused` (401) for anybody else."""
    found = session_of(request)
    if found is None:
        raise Refused(401, "you are not signed in", fix="sign in at /moderation")
    return found

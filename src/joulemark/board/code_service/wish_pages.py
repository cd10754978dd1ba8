"""Which models are asked for, as a moderator sees it: behind the session of the moderation pages."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from joulemark.board.code_service.answers import RequestId
from joulemark.board.code_service.model_requests import decide, open_requests
from joulemark.board.database.writing import transaction
from joulemark.board.intake.callers import Csrf, require_form, require_session
from joulemark.board.pages.environment import page

_HOME = "/moderation/models"


def router() -> APIRouter:
    """Return the pages."""
    routes = APIRouter(prefix=_HOME, include_in_schema=False)
    routes.add_api_route("", wishes_page, methods=["GET"])
    routes.add_api_route("/{request_id}/decisions", decision_form, methods=["POST"])
    return routes


def wishes_page(request: Request) -> Response:
    """Show what waits for a moderator."""
    session = require_session(request)
    with request.app.state.engine.connect() as connection:
        found = open_requests(connection)
    answer = page(request, "code_wishes", wishes=found, csrf=session.csrf)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def decision_form(
    request: Request,
    request_id: RequestId,
    csrf: Csrf,
    state: Annotated[Literal["taken", "declined"], Form()],
) -> Response:
    """Take or decline a wish."""
    require_form(request, csrf)
    with transaction(request.app.state.engine) as connection:
        decide(connection, request_id, state)
    return RedirectResponse(_HOME, 303)

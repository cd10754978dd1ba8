"""The moderation page: what waits for a person, and what was decided. Behind a moderator's key."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from joulemark.board.board_address import board_address
from joulemark.board.database.connection import shown_option
from joulemark.board.database.writing import writing
from joulemark.board.intake.answers import AppealDecisionGiven, AppealId, ChallengeGiven, Digest, Words
from joulemark.board.intake.callers import Csrf, require_form, session_of
from joulemark.board.intake.challenge_routes import challenged
from joulemark.board.intake.decision import Decision, decide
from joulemark.board.intake.ingest import submission
from joulemark.board.intake.keys import hash_of, holder
from joulemark.board.intake.moderation_routes import decided
from joulemark.board.intake.queue import Queue, queue
from joulemark.board.intake.routes import known
from joulemark.board.intake.sessions import COOKIE, LIFE_S
from joulemark.board.pages.environment import page
from joulemark.board.refusal import Refused

_HOME = "/moderation"


def router() -> APIRouter:
    """Return the pages."""
    routes = APIRouter(prefix=_HOME, include_in_schema=False)
    routes.add_api_route("", moderation_page, methods=["GET"])
    routes.add_api_route("/login", login, methods=["POST"])
    routes.add_api_route("/logout", logout, methods=["POST"])
    routes.add_api_route("/submissions/{digest}/decisions", decision_form, methods=["POST"])
    routes.add_api_route("/submissions/{digest}/challenges", challenge_form, methods=["POST"])
    routes.add_api_route("/appeals/{appeal_id}/decisions", appeal_form, methods=["POST"])
    return routes


def moderation_page(request: Request) -> Response:
    """Show what waits; without a session, where to sign in."""
    session = session_of(request)
    if session is None:
        status = 401 if request.cookies.get(COOKIE) else 200
        return _uncached(page(request, "moderation_login", status, keys_add=_keys_add(request)))
    with request.app.state.engine.connect() as connection:
        found: Queue = queue(connection)
    return _uncached(page(request, "moderation", queue=found, csrf=session.csrf, actor=session.actor))


def login(request: Request, key: Annotated[str, Form(max_length=300)]) -> Response:
    """Sign in with a moderator's key."""
    state = request.app.state
    state.rates.count(request, "key")
    with state.engine.connect() as connection:
        found = holder(connection, state.settings, key.strip())
    if found is None or found[1] != "moderator":
        raise Refused(403, "the key opens nothing here", fix=f"`{_keys_add(request)}` makes one")
    answer = RedirectResponse(_HOME, 303)
    answer.set_cookie(
        COOKIE,
        state.sessions.begin(found[0], hash_of(key.strip())),
        max_age=int(LIFE_S),
        path=_HOME,
        httponly=True,
        samesite="strict",
        secure=board_address(request).startswith("https:"),
    )
    return answer


def logout(request: Request, csrf: Csrf) -> Response:
    """Sign out."""
    require_form(request, csrf)
    request.app.state.sessions.end(request.cookies.get(COOKIE))
    answer = RedirectResponse(_HOME, 303)
    answer.delete_cookie(COOKIE, path=_HOME)
    return answer


def decision_form(
    request: Request,
    digest: Digest,
    csrf: Csrf,
    decision: Annotated[Decision, Form()],
    note: Annotated[Words, Form()],
) -> Response:
    """Decide about a submission."""
    session = require_form(request, csrf)
    with writing(request.app.state.engine) as connection:
        decide(connection, session.actor, known(submission(connection, digest)), decision, note)
    return RedirectResponse(_HOME, 303)


def challenge_form(
    request: Request, digest: Digest, csrf: Csrf, n: Annotated[int, Form(ge=1, le=64)] = 12
) -> Response:
    """Challenge a submission."""
    session = require_form(request, csrf)
    challenged(request, digest, session.actor, ChallengeGiven(n=n))
    return RedirectResponse(_HOME, 303)


def appeal_form(
    request: Request,
    appeal_id: AppealId,
    csrf: Csrf,
    grant: Annotated[bool, Form()],
    note: Annotated[Words, Form()],
) -> Response:
    """Decide an appeal."""
    session = require_form(request, csrf)
    decided(request, appeal_id, AppealDecisionGiven(grant=grant, note=note), session.actor)
    return RedirectResponse(_HOME, 303)


def _keys_add(request: Request) -> str:
    return f"joulemark board keys add NAME {shown_option(request.app.state.settings.database_url)}"


def _uncached(answer: Any) -> Response:
    answer.headers["Cache-Control"] = "no-store"
    assert isinstance(answer, Response)
    return answer

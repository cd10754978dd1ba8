"""Who calls: the key in a request's header, and how often an address may do what costs something."""

from __future__ import annotations

import hmac
from typing import Annotated

from fastapi import Depends, Form, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from joulemark.board.intake.guard import ADDRESS, too_often
from joulemark.board.intake.keys import Role, holder, holder_of
from joulemark.board.intake.rate import Rate
from joulemark.board.intake.sessions import COOKIE, Session
from joulemark.board.refusal import Refused
from joulemark.board.settings import BoardSettings

_bearer = HTTPBearer(auto_error=False, description="A key of this board; `joulemark board keys` makes them.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


class Rates:
    """The buckets of an application, by what is done: each address has one of each."""

    def __init__(self, settings: BoardSettings) -> None:
        self._by_kind = {
            "submission": Rate(settings.submissions_per_hour, 3600.0),
            "withdrawal": Rate(settings.submissions_per_hour, 3600.0),
            "nonce": Rate(settings.submissions_per_hour, 3600.0),
            "opening": Rate(settings.submissions_per_hour, 3600.0),
            "appeal": Rate(10, 3600.0),
            "code": Rate(settings.submissions_per_hour, 3600.0),
            "wish": Rate(10, 3600.0),
            "key": Rate(20, 600.0),
        }

    def count(self, request: Request, kind: str) -> None:
        """Count one; raises `Refused` (429) for one too many."""
        if wait_s := self._by_kind[kind].wait_s(request.scope[ADDRESS]):
            raise too_often(wait_s)


def role_of(request: Request, credentials: HTTPAuthorizationCredentials | None) -> tuple[str, Role] | None:
    """Return name and role of the caller, null without a key. Raises `Refused` (401) for one not known."""
    if credentials is None:
        return None
    state = request.app.state
    with state.engine.connect() as connection:
        found = holder(connection, state.settings, credentials.credentials)
    if found is None:
        state.rates.count(request, "key")
        raise _no_key("the key is not one of this board's")
    return found


def moderator(request: Request, credentials: Credentials) -> str:
    """Return the name of the moderator that calls; raises `Refused` (401, 403) for anybody else."""
    found = role_of(request, credentials)
    if found is None:
        raise _no_key("this is for moderators")
    if found[1] != "moderator":
        raise Refused(403, "this is for moderators", "the key is a submitter's")
    return found[0]


Moderator = Annotated[str, Depends(moderator)]
Csrf = Annotated[str, Form(max_length=100)]


def session_of(request: Request) -> Session | None:
    """Return the session of a moderator's browser; null where it is none, is over, or its key was revoked."""
    state, token = request.app.state, request.cookies.get(COOKIE)
    found: Session | None = state.sessions.find(token)
    if found is None:
        return None
    with state.engine.connect() as connection:
        if holder_of(connection, state.settings, found.key_hash) == (found.actor, "moderator"):
            return found
    state.sessions.end(token)
    return None


def require_session(request: Request) -> Session:
    """Return the session of a moderator's browser; raises `Refused` (401) where there is none."""
    found = session_of(request)
    if found is None:
        raise Refused(401, "you are not signed in", fix="sign in at /moderation")
    return found


def require_form(request: Request, csrf: str) -> Session:
    """Return the session whose own page sent a form; raises `Refused`: 401 for none, 403 for another form."""
    session = require_session(request)
    if not hmac.compare_digest(csrf.encode("utf-8", "replace"), session.csrf.encode()):
        raise Refused(403, "the form is not of this session", fix="open its page again")
    return session


def _no_key(what: str) -> Refused:
    return Refused(
        401,
        what,
        fix="send a moderator's key as `Authorization: Bearer KEY`",
        headers={"WWW-Authenticate": "Bearer"},
    )

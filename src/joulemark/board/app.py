"""The web application: settings and a database in, routes and pages out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

import joulemark
from joulemark.board.allowed_methods import allowed_methods
from joulemark.board.apart import Apart
from joulemark.board.code_service import page_routes as code_pages
from joulemark.board.code_service import routes as code
from joulemark.board.code_service import wish_pages
from joulemark.board.database.connection import connect
from joulemark.board.database.upgrade import upgrade
from joulemark.board.intake import challenge_routes, moderation_pages, moderation_routes, submit_pages
from joulemark.board.intake import routes as submissions
from joulemark.board.intake.callers import Rates
from joulemark.board.intake.guard import Guard
from joulemark.board.intake.sessions import Sessions
from joulemark.board.malformed import malformed
from joulemark.board.methodology import routes as methodology
from joulemark.board.pages.environment import STATIC
from joulemark.board.pages.refused import refused_page
from joulemark.board.picker import routes as picker
from joulemark.board.refusal import REFUSALS, Refused
from joulemark.board.settings import BoardSettings
from joulemark.board.standing import page_routes as leaderboard_pages
from joulemark.board.standing import routes as leaderboard
from joulemark.board.warm import warm
from joulemark.record.errors import InputError

API = "/api/v1"
_ROOMS = (
    submissions,
    challenge_routes,
    moderation_routes,
    leaderboard,
    code,
    leaderboard_pages,
    submit_pages,
    moderation_pages,
    picker,
    methodology,
    code_pages,
    wish_pages,
)
"""Every module with routes, the API's before the pages'."""
_log = logging.getLogger(__name__)
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def create_app(settings: BoardSettings) -> FastAPI:
    """Return the board. Its database is brought up to date first; raises `InputError` where it cannot be."""
    engine = connect(settings.database_url)
    try:
        upgrade(engine)
    except InputError:
        engine.dispose()
        raise

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.create_task(asyncio.to_thread(warm, engine))
        yield
        await warming
        engine.dispose()

    app = FastAPI(
        title="Joulemark board",
        version=joulemark.__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        responses=REFUSALS,
        lifespan=lifespan,
    )
    app.state.settings, app.state.engine = settings, engine
    app.state.worker = Apart(deadline_s=settings.verify_deadline_s)
    app.state.drawer = Apart(n_places=1, deadline_s=settings.verify_deadline_s, memory_bytes=None)
    app.state.rates, app.state.sessions = Rates(settings), Sessions()
    for room in _ROOMS:
        app.include_router(room.router())
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Guard, settings=settings, answer=_refused)
    app.middleware("http")(_with_headers)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(HTTPException, _not_served)
    for failed in (OperationalError, InterfaceError, PoolTimeout):
        app.add_exception_handler(failed, _no_database)
    app.add_exception_handler(RequestValidationError, _malformed)
    return app


async def _with_headers(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await call_next(request)
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    if request.url.path.startswith("/api/"):
        return JSONResponse(error.to_json(), error.status, headers=error.headers)
    return refused_page(request, error)


async def _not_served(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405 and (methods := allowed_methods(request.app, request.url.path)):
        headers["Allow"] = ", ".join(methods)
    return await _refused(request, Refused(error.status_code, str(error.detail), headers=headers))


async def _no_database(request: Request, error: Exception) -> Response:
    """The one answer beyond 4xx: nothing was stored, and the client is to come again."""
    _log.error("the database failed: %s", type(getattr(error, "orig", None) or error).__name__)
    away = Refused(503, "the database does not answer", fix="try again", headers={"Retry-After": "30"})
    return await _refused(request, away)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return await _refused(request, malformed(error.errors(), "the request cannot be taken as it is"))

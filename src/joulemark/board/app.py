"""The web application: settings and a database in, routes and pages out."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

import joulemark
from joulemark.board.database.connection import connect
from joulemark.board.database.upgrade import upgrade
from joulemark.board.pages.refused import refused_page
from joulemark.board.pages.routes import add_pages
from joulemark.board.refusal import Refused
from joulemark.board.settings import BoardSettings

API = "/api/v1"
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
    upgrade(engine)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        engine.dispose()

    app = FastAPI(
        title="Joulemark board",
        version=joulemark.__version__,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.settings, app.state.engine = settings, engine
    app.middleware("http")(_with_headers)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(HTTPException, _not_served)
    app.add_exception_handler(RequestValidationError, _malformed)
    add_pages(app)
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
    return await _refused(request, Refused(error.status_code, str(error.detail), headers=headers))


async def _malformed(request: Request, error: Exception) -> Response:
    """Say which part of a request is malformed, and echo none of it."""
    assert isinstance(error, RequestValidationError)
    places = sorted({".".join(str(part) for part in one["loc"])[:80] for one in error.errors()})[:5]
    why = "; ".join(sorted({str(one["msg"])[:120] for one in error.errors()})[:5])
    return await _refused(request, Refused(422, f"malformed: {', '.join(places)}", why))

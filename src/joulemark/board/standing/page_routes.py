"""The pages of the leaderboard: rows, a configuration, a run's evidence."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from fastapi import Query as Parameter
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from joulemark.board.apart import Broke, Busy, TookTooLong, Worker
from joulemark.board.database.stored_bundle import bundle_of
from joulemark.board.pages.environment import page, render
from joulemark.board.refusal import Refused
from joulemark.board.short_digest import whole_digest
from joulemark.board.standing.configuration_page import configuration_values
from joulemark.board.standing.evidence_page import evidence_html, head_values, no_evidence
from joulemark.board.standing.leaderboard_page import leaderboard_values
from joulemark.board.standing.remembered import remembered
from joulemark.board.standing.routes import Asked, Digest
from joulemark.board.standing.serving_page import places_on_it, serving_values
from joulemark.board.standing.snapshot import snapshot
from joulemark.board.standing.submitted import submitted

Page = Annotated[int, Parameter(ge=1, le=100_000)]
_READ = ["GET", "HEAD"]


def router() -> APIRouter:
    """Return the routes of the pages."""
    routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    routes.add_api_route("/", leaderboard, methods=_READ)
    routes.add_api_route("/configurations/{configuration}", configuration, methods=_READ)
    routes.add_api_route("/runs/{digest}", run, methods=_READ)
    routes.add_api_route("/frontier", serving, methods=_READ)
    return routes


def leaderboard(request: Request, query: Asked, page: Page = 1) -> HTMLResponse:
    """Show the leaderboard."""
    engine = request.app.state.engine
    found = snapshot(engine)

    def made() -> bytes:
        return render(
            "leaderboard", path="/", static=False, **leaderboard_values(found, query, page)
        ).encode()

    return HTMLResponse(remembered(engine).get(("page", found.version, query, page), made))


def configuration(request: Request, configuration: Digest) -> HTMLResponse:
    """Show a configuration."""
    engine = request.app.state.engine
    found = snapshot(engine)
    row = found.row(configuration)
    if row is None:
        raise Refused(404, "there is no such configuration", "it has no accepted run, or never had")

    def made() -> bytes:
        return render(
            "configuration", path="", static=False, **configuration_values(found, engine, row)
        ).encode()

    return HTMLResponse(remembered(engine).get(("configuration", found.version, configuration), made))


def run(request: Request, digest: str) -> Response:
    """Show the evidence of a run; by the first digits of its digest, lead there."""
    engine = request.app.state.engine
    if (whole := whole_digest(engine, digest)) != digest:
        return RedirectResponse(f"{request.scope.get('root_path', '')}/runs/{whole}", 302)
    found = submitted(engine, digest)

    def made() -> bytes:
        with engine.connect() as connection:
            data = bundle_of(connection, digest)
        if data is None:
            return no_evidence("Its bundle is not here any more.").encode()
        worker: Worker = request.app.state.drawer
        try:
            return worker.run(evidence_html, data).encode()
        except Busy:
            again = {"Retry-After": "10"}
            raise Refused(503, "other evidence is being drawn", fix="try again", headers=again) from None
        except (TookTooLong, Broke):
            return no_evidence(
                "It is too much to be drawn here; its bundle and its figures are whole."
            ).encode()

    evidence = Markup(remembered(engine).get(("evidence", digest), made).decode())
    return page(request, "run", static=False, evidence=evidence, **head_values(found))


def serving(
    request: Request,
    model: Annotated[str | None, Parameter(max_length=200)] = None,
    task: Annotated[str | None, Parameter(max_length=200)] = None,
) -> HTMLResponse:
    """Show what energy and time loaded servers trade."""
    engine = request.app.state.engine
    found = snapshot(engine)

    def made() -> bytes:
        values = serving_values(found, model or None, task or None)
        return render("serving", path="/frontier", static=False, **values).encode()

    # what is drawn stays as it is while other rows change
    drawn = hash(tuple(found.updated_at.get(found.rows[place].id) for place in places_on_it(found)))
    return HTMLResponse(remembered(engine).get(("serving", drawn, model, task), made))

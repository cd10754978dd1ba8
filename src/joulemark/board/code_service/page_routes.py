"""The pages of the code service: the list with its forms, a job, and the uploader's own report."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from joulemark.board.code_service.answers import JobId, JobJson, ModelRequestGiven
from joulemark.board.code_service.asked import Asked, address
from joulemark.board.code_service.cells import sections_of
from joulemark.board.code_service.datasets import offered
from joulemark.board.code_service.evaluated import PAGE, SUMMARY
from joulemark.board.code_service.figures import NAMES, View, title_of, tooltip_of
from joulemark.board.code_service.job_options import JobOptions, Measured
from joulemark.board.code_service.job_queue import MAX_ATTEMPTS, cancel
from joulemark.board.code_service.job_state import JobState
from joulemark.board.code_service.jobs import file_of, files_of, job, n_in, require_secret
from joulemark.board.code_service.model_requests import ask
from joulemark.board.code_service.receiving import Upload
from joulemark.board.code_service.routes import allowed, rated
from joulemark.board.code_service.standings import standings, tables
from joulemark.board.code_service.take import checked, take
from joulemark.board.code_service.uploads import MAX_ROWS, MAX_UPLOAD_BYTES
from joulemark.board.database.writing import transaction
from joulemark.board.pages.environment import page
from joulemark.board.refusal import Refused
from joulemark.board.standing.remembered import remembered
from joulemark.metrics.code.distribution import Distribution
from joulemark.report.code_chart import ratio_chart, ratio_words
from joulemark.report.theme import NARROW_PX, WIDE_PX, svg

Key = Annotated[str, Form(max_length=200)]
_MEASURED = {
    Measured.ALL: "all figures",
    Measured.PAPER: "the paper's: ET, MU, TMU",
    Measured.CORRECTED: "the corrected ones: CPU time, scaled input",
    Measured.NOTHING: "right or wrong alone",
}
_VIEWS = {View.PAPER: "as the paper defines them", View.CORRECTED: "corrected"}
_N_WRONG = 100


def router() -> APIRouter:
    """Return the pages."""
    routes = APIRouter(prefix="/code", include_in_schema=False)
    routes.add_api_route("", code_page, methods=["GET"])
    uploading = [Depends(allowed), Depends(rated("code"))]
    routes.add_api_route("", upload_form, methods=["POST"], dependencies=uploading)
    routes.add_api_route("/requests", request_form, methods=["POST"], dependencies=[Depends(rated("wish"))])
    routes.add_api_route("/jobs/{job_id}", job_page, methods=["GET"])
    routes.add_api_route("/jobs/{job_id}/cancel", cancel_form, methods=["POST"])
    routes.add_api_route("/jobs/{job_id}/report", report_page, methods=["GET"])
    routes.add_api_route("/jobs/{job_id}/files", files_page, methods=["GET"])
    return routes


def code_page(request: Request, query: Asked, asked: str = "") -> Response:
    """Show the leaderboard of generated code, what waits, and the forms."""
    rows = standings(request.app.state.engine)
    with request.app.state.engine.connect() as connection:
        sets = offered(connection)
        counts = {state.value: n_in(connection, state) for state in (JobState.WAITING, JobState.RUNNING)}
    return page(
        request,
        "code",
        query=query,
        sections=sections_of(tables(rows, query), query),
        n_rows=len(rows),
        is_filtered=any((query.dataset, query.environment, query.model)),
        exports=address(query),
        datasets=sorted({row.dataset for row in rows}),
        environments=sorted({(row.environment_id, row.environment) for row in rows}),
        figures=[(name, title_of(name)) for name in NAMES],
        views=_VIEWS,
        sets=sets,
        takes=request.app.state.settings.code_service,
        counts=counts,
        defaults=JobOptions(model="x"),
        measured=_MEASURED,
        most_mib=MAX_UPLOAD_BYTES >> 20,
        most_rows=MAX_ROWS,
        was_asked=asked == "1",
    )


def upload_form(request: Request, upload: Upload) -> Response:
    """Take an upload from the form, as the API takes it, and lead to its page."""
    identity, _ = take(request.app.state.engine, upload)
    return RedirectResponse(f"/code/jobs/{identity.job_id}?key={identity.secret}", 303)


def request_form(
    request: Request,
    model: Annotated[str, Form(max_length=200)] = "",
    dataset: Annotated[str, Form(max_length=200)] = "",
    words: Annotated[str, Form(max_length=4000)] = "",
    contact: Annotated[str, Form(max_length=400)] = "",
) -> Response:
    """Take a wish from the form."""
    given = checked(
        ModelRequestGiven,
        {
            "model": model.strip(),
            "dataset": dataset or None,
            "words": words.strip(),
            "contact": contact.strip(),
        },
    )
    with transaction(request.app.state.engine) as connection:
        ask(connection, given)
    return RedirectResponse("/code?asked=1#request", 303)


def job_page(request: Request, job_id: JobId, key: str = "") -> Response:
    """Show how far a job is, and what came of it; with its secret also what is the uploader's alone."""
    engine = request.app.state.engine
    private = None
    with engine.connect() as connection:
        if key:
            require_secret(connection, job_id, key)
        found = job(connection, job_id, with_result=True)
        if key and found.state is JobState.DONE:
            with suppress(Refused):  # not kept, or too large: what everyone may read is there all the same
                private = orjson.loads(file_of(connection, job_id, SUMMARY))
    answer = page(
        request,
        "code_job",
        job=found,
        state=found.state.value,
        has_ended=found.state.has_ended,
        most_attempts=MAX_ATTEMPTS,
        measured=_MEASURED[found.options.measured],
        key=key,
        tooltip=tooltip_of,
        chart=_chart(request, found),
        wrong=_wrong(found, private)[:_N_WRONG],
        n_wrong=len(_wrong(found, private)),
        n_shown=_N_WRONG,
    )
    return _private(answer) if key else answer


def cancel_form(request: Request, job_id: JobId, key: Key) -> Response:
    """Cancel a job, or withdraw what came of it."""
    with request.app.state.engine.connect() as connection:
        require_secret(connection, job_id, key)
    cancel(request.app.state.engine, job_id)
    return RedirectResponse(f"/code/jobs/{job_id}", 303)


def report_page(request: Request, job_id: JobId, key: str = "") -> Response:
    """Show the uploader the whole report, programs and all."""
    with request.app.state.engine.connect() as connection:
        require_secret(connection, job_id, key)
        return _private(HTMLResponse(file_of(connection, job_id, PAGE)))


def files_page(request: Request, job_id: JobId, key: str = "") -> Response:
    """Hand the uploader the raw runs."""
    with request.app.state.engine.connect() as connection:
        require_secret(connection, job_id, key)
        data = files_of(connection, job_id)
    attached = {"Content-Disposition": f'attachment; filename="joulemark-code-{job_id[:8]}.zip"'}
    return _private(Response(data, media_type="application/zip", headers=attached))


def _private(answer: Response) -> Response:
    """Keep what a secret opens out of caches and of search engines."""
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer


def _wrong(found: JobJson, private: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Return the programs that are wrong: how each ended, and for the uploader what it said."""
    if private is not None:
        told: list[dict[str, Any]] = private["wrong"]
        return told
    return [] if found.result is None else list(found.result["summary"]["wrong"])


def _chart(request: Request, found: JobJson) -> dict[str, Markup] | None:
    """Draw the ratios to the reference, once a job; null where there are none."""
    if found.result is None:
        return None
    summary = found.result["summary"]
    drawn = summary["distribution"]
    ratios = Distribution(
        tuple(drawn["counts"]),
        int(drawn["n_at_least"]),
        drawn.get("n_told_faster"),
        drawn.get("n_told_slower"),
    )
    if not ratios.n:
        return None
    kept = remembered(request.app.state.engine)
    band = summary.get("aa_band")

    def drawn_at(px: int) -> bytes:
        title = "Programs by their CPU time over the reference's"
        return svg(ratio_chart(ratios, band, px), title, ratio_words(ratios)).encode()

    widths = {"wide": WIDE_PX, "narrow": NARROW_PX}
    return {
        name: Markup(kept.get(("code", found.id, px), partial(drawn_at, px)).decode())
        for name, px in widths.items()
    }

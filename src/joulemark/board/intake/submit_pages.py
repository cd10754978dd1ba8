"""The pages on which one submits, and on which a submission is followed."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from joulemark.board.board_address import board_address
from joulemark.board.database.writing import writing
from joulemark.board.intake.answers import Digest, Words
from joulemark.board.intake.appeal import lodge
from joulemark.board.intake.audit import lines
from joulemark.board.intake.ingest import submission
from joulemark.board.intake.routes import known
from joulemark.board.intake.take import take
from joulemark.board.intake.told import told
from joulemark.board.judging.rung import Rung
from joulemark.board.pages.environment import page
from joulemark.board.refusal import Refused
from joulemark.board.short_digest import whole_digest
from joulemark.bundles.submission import members as m
from joulemark.bundles.submission.signing import fingerprint

_STATUS = {
    "accepted": "It is accepted and stands on the leaderboard.",
    "quarantined": "It is held back: it verifies, and something about it needs an explanation or a look.",
    "rejected": "A moderator looked at it and rejected it.",
    "withdrawn": "Its signer withdrew it; what was sent is deleted.",
}
_LIMITS = {
    "packed_mib": m.MAX_PACKED // 2**20,
    "unpacked_mib": m.MAX_UNPACKED // 2**20,
    "answers": f"{m.MAX_ITEMS:,}",
    "n_values": f"{m.MAX_SAMPLES:,}",
}


def router() -> APIRouter:
    """Return the pages."""
    routes = APIRouter(include_in_schema=False)
    routes.add_api_route("/submit", submit_page, methods=["GET"])
    routes.add_api_route("/submit", submit_form, methods=["POST"])
    routes.add_api_route("/submissions/{digest}", status_page, methods=["GET"])
    routes.add_api_route("/submissions/{digest}/appeals", appeal_form, methods=["POST"])
    return routes


def submit_page(request: Request) -> Response:
    """Tell how to submit."""
    settings = request.app.state.settings
    limits = {**_LIMITS, "per_hour": settings.submissions_per_hour}
    return page(request, "submit", board=board_address(request), limits=limits, rungs=list(Rung))


def submit_form(
    request: Request, bundle: Annotated[UploadFile, File()], agreed: Annotated[str, Form()] = ""
) -> Response:
    """Take a bundle from the form, as the API takes it."""
    if agreed != "yes":
        raise Refused(
            422,
            "nothing was taken",
            "submissions are published under CC BY 4.0",
            "tick the box to agree to that",
        )
    stored = take(request, bundle.file.read())
    return _to(request, f"/submissions/{stored.row['digest']}")


def status_page(request: Request, digest: str, appealed: bool = False) -> Response:
    """Show how a submission stands; by the first digits of its digest, lead there."""
    if (whole := whole_digest(request.app.state.engine, digest)) != digest:
        return _to(request, f"/submissions/{whole}")
    with request.app.state.engine.connect() as connection:
        row = known(submission(connection, digest))
        answer = told(request, connection, row)
        log = lines(connection, subject=digest, public=True)
    return page(
        request,
        "submission",
        one=answer,
        signer=fingerprint(answer.signer),
        rung=Rung(answer.rung),
        meaning=_STATUS[answer.status],
        log=[_line(one) for one in log],
        appealed=appealed,
        board=board_address(request),
    )


def appeal_form(request: Request, digest: Digest, words: Annotated[Words, Form()]) -> Response:
    """Take an appeal from the form."""
    request.app.state.rates.count(request, "appeal")
    with writing(request.app.state.engine) as connection:
        row = known(submission(connection, digest))
        if row["status"] not in ("quarantined", "rejected"):
            raise Refused(409, "there is nothing to appeal", f"the submission is {row['status']}")
        if lodge(connection, digest, words, is_signed=False) is None:
            raise Refused(409, "enough appeals of this submission wait already", fix="wait for a decision")
    return _to(request, f"/submissions/{digest}?appealed=true")


def _line(line: dict[str, Any]) -> dict[str, str]:
    return {
        "at": line["at"][:19].replace("T", " "),
        "action": line["action"],
        "note": str(line["details"].get("note", "")),
    }


def _to(request: Request, path: str) -> Response:
    return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", 303)

"""The API of challenges and nonces."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from joulemark.board.apart import Broke, Busy, TookTooLong
from joulemark.board.database.stored_bundle import bundle_of
from joulemark.board.database.times import utc_now
from joulemark.board.database.writing import writing
from joulemark.board.intake.answers import (
    ChallengeAnswer,
    ChallengeGiven,
    ChallengeId,
    Digest,
    NonceAnswer,
    NonceGiven,
    OpeningsGiven,
)
from joulemark.board.intake.callers import Moderator
from joulemark.board.intake.challenge import challenge, close, issue
from joulemark.board.intake.ingest import submission
from joulemark.board.intake.nonces import new_nonce
from joulemark.board.intake.regrade import Opened, Opening, openable, regrade
from joulemark.board.intake.routes import known
from joulemark.board.intake.signed import is_by
from joulemark.board.intake.told import challenge_told
from joulemark.board.refusal import Refused, refusals
from joulemark.tasks.registry import built_in_tasks


def router() -> APIRouter:
    """Return the routes."""
    routes = APIRouter(prefix="/api/v1")
    routes.add_api_route(
        "/submissions/{digest}/challenges",
        post_challenge,
        methods=["POST"],
        status_code=201,
        responses=refusals(401, 403, 404, 409),
        tags=["challenges"],
    )
    routes.add_api_route(
        "/challenges/{challenge_id}",
        get_challenge,
        methods=["GET"],
        responses=refusals(404),
        tags=["challenges"],
    )
    routes.add_api_route(
        "/challenges/{challenge_id}/openings",
        post_openings,
        methods=["POST"],
        responses=refusals(403, 404, 409),
        tags=["challenges"],
    )
    routes.add_api_route("/nonces", post_nonce, methods=["POST"], status_code=201, tags=["nonces"])
    return routes


def post_challenge(
    request: Request, digest: Digest, actor: Moderator, given: ChallengeGiven | None = None
) -> ChallengeAnswer:
    """Ask the submitter of a bundle to open some of its answers, drawn by chance. For moderators."""
    return challenge_told(challenged(request, digest, actor, given or ChallengeGiven()))


def challenged(request: Request, digest: str, actor: str, given: ChallengeGiven) -> dict[str, Any]:
    """Make a challenge and return its row; raises `Refused`."""
    state = request.app.state
    with state.engine.connect() as connection:
        known(submission(connection, digest))
        data = bundle_of(connection, digest)
    if data is None:
        raise Refused(409, "there is nothing to open", "the bundle was withdrawn or rejected")
    answers: list[tuple[str, int]] | str = _apart(request, openable, data)
    if isinstance(answers, str):
        raise Refused(409, "the answers of this submission cannot be asked for", answers)
    with writing(state.engine) as connection:
        known(submission(connection, digest))
        return issue(connection, actor, digest, answers, n=given.n, due_days=given.due_days)


def get_challenge(request: Request, challenge_id: ChallengeId) -> ChallengeAnswer:
    """Tell which answers a challenge asks for, and what came of it."""
    with request.app.state.engine.connect() as connection:
        return challenge_told(_known(challenge(connection, challenge_id)))


def post_openings(request: Request, challenge_id: ChallengeId, given: OpeningsGiven) -> ChallengeAnswer:
    """Open every answer that a challenge asks for, signed by the key of the bundle.

    The commitments are computed anew and the answers graded anew; neither keys nor answers are kept. Where
    all are as stated the submission is challenged; where one is not it is held back.
    """
    state = request.app.state
    state.rates.count(request, "opening")
    with state.engine.connect() as connection:
        row = _known(challenge(connection, challenge_id))
        held = known(submission(connection, row["digest"]))
        data = bundle_of(connection, row["digest"])
    if given.challenge != challenge_id or given.bundle != row["digest"] or data is None:
        raise Refused(409, "the openings are of another challenge or bundle")
    if not is_by(held["signer"], "openings", given):
        raise Refused(403, "only the signer of a bundle can open its answers")
    asked = {(one["item_id"], one["repeat"]) for one in row["asked"]}
    sent = [(one.item_id, one.repeat) for one in given.answers]
    if len(sent) != len(set(sent)) or set(sent) != asked:
        raise Refused(422, "not exactly the answers that were asked for are opened")
    openings = [Opening(one.item_id, one.repeat, bytes.fromhex(one.key), one.answer) for one in given.answers]
    opened: list[Opened] = _apart(request, regrade, data, openings)
    with writing(state.engine) as connection:
        row = _known(challenge(connection, challenge_id))
        if row["state"] != "open" or row["due_at"] < utc_now():
            raise Refused(409, "the challenge is over", f"it is {challenge_told(row).state}")
        return challenge_told(close(connection, row, known(submission(connection, row["digest"])), opened))


def post_nonce(request: Request, given: NonceGiven) -> NonceAnswer:
    """Return a nonce for a run of a built-in task: it picks the questions and their order.

    A run that is submitted within a day with a nonce of this board, used for the first time, was asked no
    earlier than the nonce was made.
    """
    request.app.state.rates.count(request, "nonce")
    if given.task not in built_in_tasks():
        raise Refused(
            422, "the task does not come with Joulemark", fix="`joulemark task list` names those that do"
        )
    with writing(request.app.state.engine) as connection:
        made = new_nonce(connection, given.task)
    return NonceAnswer(**made, command=f"joulemark bench run {made['task']} --nonce {made['nonce']}")


def _known(row: dict[str, Any] | None) -> dict[str, Any]:
    if row is None:
        raise Refused(404, "there is no such challenge")
    return row


def _apart(request: Request, function: Any, *given: Any) -> Any:
    try:
        return request.app.state.worker.run(function, *given)
    except (Busy, TookTooLong):
        raise Refused(429, "the board is busy", fix="send it again", headers={"Retry-After": "30"}) from None
    except Broke:
        raise Refused(422, "the answers cannot be graded", "doing so ended the process") from None

"""A submission as the API and its page tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from sqlalchemy import Connection, select

from joulemark.board.board_address import board_address
from joulemark.board.database.tables import challenges
from joulemark.board.database.times import utc_now
from joulemark.board.intake.answers import ChallengeAnswer, SubmissionAnswer
from joulemark.board.judging.rung import Rung

_APPEAL = "post words to {address}/appeals, or use the form on its page"


def told(
    request: Request, connection: Connection, row: Mapping[str, Any], *, is_new: bool = False
) -> SubmissionAnswer:
    """Return the answer about a submission's row."""
    base, digest, status = board_address(request), row["digest"], row["status"]
    status_page = f"{base}/submissions/{digest}"
    return SubmissionAnswer(
        digest=digest,
        status=status,
        rung=row["rung"],
        rung_title=Rung(row["rung"]).title,
        grounds=row["grounds"],
        received_at=row["received_at"],
        signer=row["signer"],
        run_id=row["run_id"],
        size_bytes=row["size_bytes"],
        joulemark_version=row["joulemark_version"],
        nonce_fresh=row["nonce_fresh"],
        reproduced_by=row["reproduced_by"],
        challenges=challenges_of(connection, digest),
        page=f"{base}/runs/{digest}" if status == "accepted" else status_page,
        status_page=status_page,
        appeal=None
        if status == "accepted"
        else _APPEAL.format(address=f"{base}/api/v1/submissions/{digest}"),
        is_new=is_new,
    )


def challenges_of(connection: Connection, digest: str) -> list[ChallengeAnswer]:
    """Return the challenges of a submission, the oldest first."""
    wanted = select(challenges).where(challenges.c.digest == digest).order_by(challenges.c.issued_at)
    return [challenge_told(dict(row)) for row in connection.execute(wanted).mappings()]


def challenge_told(row: Mapping[str, Any]) -> ChallengeAnswer:
    """Return the answer about a challenge's row; one that is open past its time has lapsed."""
    lapsed = row["state"] == "open" and row["due_at"] < utc_now()
    return ChallengeAnswer.model_validate({**row, "state": "lapsed" if lapsed else row["state"]})

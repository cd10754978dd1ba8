"""A submission as the API and its page tell it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fastapi import Request
from sqlalchemy import Connection, select

from joulemark.board.database.tables import challenges
from joulemark.board.database.times import utc_now
from joulemark.board.intake.answers import ChallengeAnswer, SubmissionAnswer
from joulemark.board.judging.rung import Rung

_HOST = re.compile(r"[A-Za-z0-9.-]{1,250}(?::\d{1,5})?|\[[0-9A-Fa-f:]{2,45}\](?::\d{1,5})?")
_APPEAL = "post words to {address}/appeals, or use the form on its page"


def base_of(request: Request) -> str:
    """Return the address of the board without a slash at its end."""
    public = request.app.state.settings.public_url
    if public:
        return str(public).rstrip("/")
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}" if _HOST.fullmatch(host) else ""


def told(
    request: Request, connection: Connection, row: Mapping[str, Any], *, is_new: bool = False
) -> SubmissionAnswer:
    """Return the answer about a submission's row."""
    base, digest, status = base_of(request), row["digest"], row["status"]
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

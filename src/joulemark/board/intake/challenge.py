"""Challenges: a few answers, drawn after the bundle was signed, that its submitter is to open."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, update

from joulemark.board.database.tables import challenges
from joulemark.board.database.times import utc_in, utc_now
from joulemark.board.intake.audit import note
from joulemark.board.intake.regrade import Opened
from joulemark.board.intake.standing_changes import set_evidence, set_status

_CODES: Mapping[str, tuple[str, str]] = {
    "commitment": ("another_answer", "is not the answer that was committed to"),
    "verdict": ("edited_verdict", "is graded otherwise than stated"),
}
DAY_S = 86_400.0
MOST_ANSWERS = 64
"""The most answers that one challenge asks for."""


def issue(
    connection: Connection,
    actor: str,
    digest: str,
    answers: Sequence[tuple[str, int]],
    *,
    n: int,
    due_days: int,
) -> dict[str, Any]:
    """Ask for ``n`` of ``answers`` (all, where there are fewer), drawn by chance; returns the row.

    What an earlier challenge asked for and nobody opened is asked for again beside them: who leaves a draw
    unanswered gets no better one.
    """
    owed = _unopened(connection, digest)
    others = [one for one in answers if one not in owed]
    n_others = min(n, len(others), MOST_ANSWERS - len(owed))
    drawn = [*owed, *secrets.SystemRandom().sample(others, n_others)]
    row = {
        "id": secrets.token_hex(16),
        "digest": digest,
        "issued_at": utc_now(),
        "due_at": utc_in(due_days * DAY_S),
        "asked": [{"item_id": item_id, "repeat": repeat} for item_id, repeat in sorted(drawn)],
        "state": "open",
        "closed_at": None,
        "finding": None,
    }
    connection.execute(insert(challenges).values(**row))
    note(connection, actor, "challenged", digest, challenge=row["id"], n=len(drawn))
    return row


def _unopened(connection: Connection, digest: str) -> set[tuple[str, int]]:
    asked = select(challenges.c.asked).where(challenges.c.digest == digest, challenges.c.state == "open")
    found = connection.execute(asked.order_by(challenges.c.issued_at)).scalars()
    owed = dict.fromkeys((one["item_id"], one["repeat"]) for answers in found for one in answers)
    return set(list(owed)[:MOST_ANSWERS])


def challenge(connection: Connection, challenge_id: str) -> dict[str, Any] | None:
    """Return the row of a challenge, null where there is none."""
    found = connection.execute(select(challenges).where(challenges.c.id == challenge_id)).mappings().first()
    return None if found is None else dict(found)


def close(
    connection: Connection, row: Mapping[str, Any], submission: Mapping[str, Any], opened: Sequence[Opened]
) -> dict[str, Any]:
    """Note what came of opening every answer that was asked for; returns the challenge's row."""
    wrong = [one for one in opened if one.outcome != "same"]
    values = {
        "state": "failed" if wrong else "passed",
        "closed_at": utc_now(),
        "finding": [{"item_id": one.item_id, "repeat": one.repeat, "outcome": one.outcome} for one in opened],
    }
    connection.execute(update(challenges).where(challenges.c.id == row["id"]).values(**values))
    note(
        connection,
        submission["signer"],
        "opened",
        submission["digest"],
        challenge=row["id"],
        n=len(opened),
        n_wrong=len(wrong),
    )
    if wrong:
        _held_back(connection, submission, wrong, len(opened))
    else:
        set_evidence(connection, submission, challenge_passed=True)
    return {**row, **values}


def _held_back(
    connection: Connection, submission: Mapping[str, Any], wrong: Sequence[Opened], n: int
) -> None:
    grounds = list(submission["grounds"])
    for outcome, (code, words) in _CODES.items():
        found = [one for one in wrong if one.outcome == outcome]
        if found:
            grounds.append({"code": code, "why": f"of {n} answers that were opened, {len(found)} {words}"})
    set_evidence(connection, {**submission, "status": "quarantined"}, challenge_passed=False)
    set_status(connection, submission, "quarantined", grounds)

"""A submission by the first digits of its digest, as the command line prints them."""

from __future__ import annotations

import re

from sqlalchemy import Engine, select

from joulemark.board.database.tables import submissions
from joulemark.board.refusal import Refused

LEAST = 8
DIGITS = 64
_BEGINNING = re.compile(rf"[0-9a-f]{{{LEAST},{DIGITS}}}", re.ASCII)


def whole_digest(engine: Engine, text: str) -> str:
    """Return the digest that ``text`` is, or begins. Raises `Refused` (404) for none, and for several."""
    begins = text.lower()
    if not _BEGINNING.fullmatch(begins):
        raise Refused(
            404,
            "there is no such run",
            f"a run is named by the {DIGITS} digits (0-9, a-f) of its digest; the first {LEAST} are enough",
            "copy it from where `joulemark bench submit` printed it, or find the run on the leaderboard",
        )
    if len(begins) == DIGITS:
        return begins
    digest = submissions.c.digest
    asked = select(digest).where(digest >= begins, digest < f"{begins}g").limit(2)
    with engine.connect() as connection:
        found = connection.execute(asked).scalars().all()
    if not found:
        raise Refused(
            404, "there is no such run", "no digest of a bundle that was taken here begins like that"
        )
    if len(found) > 1:
        raise Refused(404, "more than one run begins with these digits", fix="give more of its digest")
    return str(found[0])

"""Nonces of this board: a run that used one picked its questions no earlier than the nonce was made."""

from __future__ import annotations

import re
import secrets

from sqlalchemy import Connection, delete, insert, select, update

from joulemark.board.database.tables import nonces
from joulemark.board.database.times import utc_in, utc_now
from joulemark.board.intake.examined import Follows
from joulemark.board.judging.facts import RunFacts

LIFE_S = 24 * 3600.0
PREFIX = "board-"
_NAME = re.compile(r"[:( ]")  # what stands behind a task's name: its preset, its subset


def new_nonce(connection: Connection, task: str) -> dict[str, str]:
    """Make a nonce for a task and return its columns; those that expired unused are dropped."""
    connection.execute(
        delete(nonces).where(nonces.c.expires_at < utc_in(-LIFE_S), nonces.c.used_by.is_(None))
    )
    made = {
        "nonce": f"{PREFIX}{secrets.token_hex(16)}",
        "issued_at": utc_now(),
        "expires_at": utc_in(LIFE_S),
        "task": task,
    }
    connection.execute(insert(nonces).values(**made))
    return made


def use_nonce(connection: Connection, facts: RunFacts, order: Follows) -> bool:
    """Tell whether a run's nonce is one of this board's that nobody used, for its task, and not expired.

    It is used up with that. ``order``: whether the run asked what the nonce picks.
    """
    if facts.nonce is None or order != "follow":
        return False
    known = connection.execute(select(nonces).where(nonces.c.nonce == facts.nonce)).mappings().first()
    if known is None or known["used_by"] is not None or known["expires_at"] < utc_now():
        return False
    if known["task"] != _NAME.split(facts.task)[0]:
        return False
    connection.execute(update(nonces).where(nonces.c.nonce == facts.nonce).values(used_by=facts.digest))
    return True

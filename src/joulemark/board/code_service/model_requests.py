"""Wishes that a model be evaluated: stored for a moderator; nothing is spent by itself."""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, func, insert, select, update

from joulemark.board.code_service.answers import ModelRequestGiven, ModelRequestJson
from joulemark.board.code_service.job_queue import now
from joulemark.board.database.tables import model_requests
from joulemark.board.refusal import Refused

MOST_OPEN = 1000


def ask(connection: Connection, given: ModelRequestGiven) -> str:
    """Store a wish and return its id. Raises `Refused` (503) where too many wait for a moderator."""
    waiting = select(func.count()).select_from(model_requests).where(model_requests.c.state == "open")
    if connection.execute(waiting).scalar_one() >= MOST_OPEN:
        raise Refused(503, "too many requests wait for a moderator", fix="try again another day")
    request_id = secrets.token_hex(16)
    connection.execute(
        insert(model_requests).values(id=request_id, at=now(connection), state="open", **given.model_dump())
    )
    return request_id


def open_requests(connection: Connection, limit: int = 200) -> list[ModelRequestJson]:
    """Return what waits for a moderator, the oldest first."""
    asked = select(model_requests).where(model_requests.c.state == "open")
    rows = connection.execute(asked.order_by(model_requests.c.at, model_requests.c.id).limit(limit))
    return [ModelRequestJson.model_validate(dict(row)) for row in rows.mappings()]


def decide(connection: Connection, request_id: str, state: str) -> ModelRequestJson:
    """Take or decline a wish. Raises `Refused` (404, 409)."""
    one = select(model_requests).where(model_requests.c.id == request_id)
    row = connection.execute(one.with_for_update()).mappings().one_or_none()
    if row is None:
        raise Refused(404, "there is no such request")
    if row["state"] != "open":
        raise Refused(409, "it was decided already")
    decided = {"state": state, "decided_at": now(connection)}
    connection.execute(update(model_requests).where(model_requests.c.id == request_id).values(**decided))
    return ModelRequestJson.model_validate({**row, **decided})

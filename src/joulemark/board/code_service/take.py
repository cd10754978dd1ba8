"""From a request to a job in the queue: the same steps for the form and for the API."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from sqlalchemy import Engine

from joulemark.board.code_service.datasets import offered
from joulemark.board.code_service.job_options import JobOptions
from joulemark.board.code_service.job_queue import add
from joulemark.board.code_service.receiving import Received
from joulemark.board.code_service.secret import Identity, identity_of, new_identity
from joulemark.board.code_service.uploads import read_upload
from joulemark.board.malformed import malformed
from joulemark.board.refusal import Refused

Model = TypeVar("Model", bound=BaseModel)


def take(engine: Engine, received: Received, key: str | None = None) -> tuple[Identity, bool]:
    """Put an upload in the queue; returns its identity, and whether it is new.

    Raises `Refused`; then nothing is stored.
    """
    options = checked(JobOptions, dict(received.fields))
    if received.file is None:
        raise Refused(422, "there is no file", fix="choose the file of the programs")
    with engine.connect() as connection:
        sets = {one.dataset_id: one for one in offered(connection)}
    if options.dataset not in sets:
        raise Refused(422, "there is no such data set here", fix=f"choose one of {', '.join(sets)}")
    upload = read_upload(received.file, sets[options.dataset].problems)
    digest = hashlib.sha256(
        orjson.dumps(options.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS) + b"\n" + upload.data
    ).hexdigest()
    identity = new_identity() if key is None else identity_of(key, digest)
    return identity, add(engine, identity, options, upload, digest)


def checked(model: type[Model], fields: dict[str, Any]) -> Model:
    """Return a form as its model. Raises `Refused` (422), which names what is wrong and echoes nothing."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)
        raise malformed(found, "the form cannot be used", tuple(model.model_fields)) from None

"""The names by which an engine serves its model; its page of metrics shows only the first of them."""

from __future__ import annotations

import json
from contextlib import closing

from joulemark.meters.http.connection import Connection
from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.http.endpoint import Endpoint

_PATH = "/v1/models"
_TIMEOUT_S = 3.0
_LIMIT_BYTES = 1 << 20


def listed_models(endpoint: Endpoint, headers: dict[str, str]) -> tuple[str, ...]:
    """Return the ids on the engine's list of models; none where it has no such list."""
    with closing(Connection(endpoint, limit_bytes=_LIMIT_BYTES)) as connection:
        try:
            answer = connection.get(_PATH, Deadline(_TIMEOUT_S), {"User-Agent": "joulemark", **headers})
            listed = json.loads(answer.body) if answer.status == 200 else None
        except (Unanswered, ValueError, RecursionError):
            return ()
    models = listed.get("data") if isinstance(listed, dict) else None
    ids = [one.get("id") for one in models if isinstance(one, dict)] if isinstance(models, list) else []
    return tuple(one for one in ids if isinstance(one, str) and one.isprintable())

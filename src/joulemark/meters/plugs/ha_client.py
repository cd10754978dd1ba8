"""Asking a Home Assistant server, with its access token (developers.home-assistant.io/docs/api/rest)."""

from __future__ import annotations

from datetime import UTC, datetime

from joulemark.meters.http.answer import Answer, status_reason
from joulemark.meters.http.connection import Connection
from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.http.endpoint import Endpoint
from joulemark.meters.plugs.ha_state import History, State
from joulemark.meters.plugs.payload import json_object, json_value

_PERIODS_S = (600, 60)  # the shorter one where the longer is more than a reader takes


class HomeAssistantClient:
    """A server's REST API. The token goes to the server that the user named and nowhere else."""

    def __init__(self, endpoint: Endpoint, token: str | None) -> None:
        self._connection = Connection(endpoint)
        self._token = token
        self.server_s: float | None = None  # the server's clock at its last answer, Unix time

    def state(self, entity: str, deadline: Deadline) -> State:
        """Return an entity's state; raises `Unanswered`, with ``entity_missing`` where there is none."""
        answer = self._get(f"/api/states/{entity}", deadline)
        if answer.status == 404:
            raise Unanswered("entity_missing" if "message" in json_object(answer) else "wrong_device")
        if (reason := status_reason(answer.status)) is not None:
            raise Unanswered(reason)
        content = json_object(answer)
        if "state" not in content or "entity_id" not in content:
            raise Unanswered("wrong_device")
        return State.of(content)

    def history(self, entity: str, deadline: Deadline) -> History:
        """Return what an entity did in the last minutes; empty where the server keeps no history."""
        if self.server_s is None:
            return History((), ())
        for period_s in _PERIODS_S:
            begin = datetime.fromtimestamp(self.server_s - period_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            query = f"filter_entity_id={entity}&minimal_response&no_attributes"
            try:
                answer = self._get(f"/api/history/period/{begin}?{query}", deadline)
                lists = json_value(answer) if answer.status == 200 else []
            except Unanswered as error:
                if error.reason == "too_large":
                    continue
                break
            return History.of(lists[0] if isinstance(lists, list) and lists else [])
        return History((), ())

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _get(self, path: str, deadline: Deadline) -> Answer:
        headers = {} if self._token is None else {"Authorization": f"Bearer {self._token}"}
        answer = self._connection.get(path, deadline, headers)
        if answer.status == 401:
            raise Unanswered("password_missing" if self._token is None else "password_refused")
        self.server_s = answer.date_s
        return answer

"""Asking one device for JSON: status codes become reasons, a password is given only when asked for."""

from __future__ import annotations

from typing import Any

from joulemark.meters.plugs.connection import Answer, Connection, Deadline, Unanswered
from joulemark.meters.plugs.digest import Challenge
from joulemark.meters.plugs.endpoint import Endpoint
from joulemark.meters.plugs.payload import json_object


class Client:
    """A device that may ask for a user and a password by HTTP Basic or Digest (RFC 7617, RFC 7616)."""

    def __init__(self, endpoint: Endpoint, *, user: str = "admin", password: str | None = None) -> None:
        self._connection = Connection(endpoint)
        self._user, self._password = user, password
        self._challenge: Challenge | None = None

    def ask(self, path: str, deadline: Deadline) -> dict[str, Any]:
        """Return the JSON object at ``path``.

        Raises `Unanswered`; its reasons beside those of the connection: ``password_missing``,
        ``password_refused``, ``auth_unknown``, ``not_found``, ``redirected``, ``no_component`` (the device
        knows the request, not its argument) and ``not_json``.
        """
        answer = self._get(path, deadline)
        if answer.status == 401:
            self._challenge = self._asked_for(answer)
            answer = self._get(path, deadline)
        if answer.status == 401:
            self._challenge = None
            raise Unanswered("password_refused")
        if (reason := status_reason(answer.status)) is not None:
            raise Unanswered(reason)
        return json_object(answer)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _get(self, path: str, deadline: Deadline) -> Answer:
        headers = {}
        if self._challenge is not None and self._password is not None:
            headers["Authorization"] = self._challenge.authorization(self._user, self._password, path)
        return self._connection.get(path, deadline, headers)

    def _asked_for(self, answer: Answer) -> Challenge:
        if self._password is None:
            raise Unanswered("password_missing")
        challenge = Challenge.parse(answer.headers.get("www-authenticate", ""))
        if challenge is None:
            raise Unanswered("auth_unknown")
        return challenge


def status_reason(status: int) -> str | None:
    """Return the reason code of a status that is no success; null for 200."""
    if status == 200:
        return None
    if 300 <= status < 400:
        return "redirected"
    return {401: "password_refused", 403: "forbidden", 404: "not_found", 500: "no_component"}.get(
        status, f"http_{status}"
    )

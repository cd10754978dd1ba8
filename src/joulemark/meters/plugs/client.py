"""Asking one Shelly for JSON: status codes become reasons, a password goes only to whom it belongs."""

from __future__ import annotations

from typing import Any

from joulemark.meters.http.answer import Answer, status_reason
from joulemark.meters.http.connection import Connection
from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.http.endpoint import Endpoint
from joulemark.meters.plugs.digest import Challenge
from joulemark.meters.plugs.identity import Identity
from joulemark.meters.plugs.payload import json_object


class Client:
    """A device that may ask for a user and a password by HTTP Basic or Digest (RFC 7617, RFC 7616).

    It gets them only in the way of its own generation, and only over a connection on which it said who it is:
    another device may have taken its address.
    """

    def __init__(self, endpoint: Endpoint, *, user: str = "admin", password: str | None = None) -> None:
        self._connection = Connection(endpoint)
        self._user, self._password = user, password
        self._challenge: Challenge | None = None
        self._identity: Identity | None = None
        self._known_on = 0  # the number of the connection on which it said so

    def identify(self, deadline: Deadline) -> dict[str, Any]:
        """Ask who it is, without a login, and return what it says.

        Raises `Unanswered`, beside the reasons of `ask`: ``wrong_device`` for what is no Shelly and
        ``another_device`` where it is not the one that answered first.
        """
        answer = self._connection.get("/shelly", deadline)
        if answer.status == 401:
            raise Unanswered("wrong_device")  # of a Shelly this page needs no login
        facts = _content(answer)
        identity = Identity.of(facts)
        if self._identity not in (None, identity):
            raise Unanswered("another_device")
        self._identity, self._known_on = identity, self._connection.number
        return facts

    def ask(self, path: str, deadline: Deadline) -> dict[str, Any]:
        """Return the JSON object at ``path``.

        Raises `Unanswered`; its reasons beside those of the connection: ``password_missing``,
        ``password_refused``, ``auth_unknown``, ``another_device``, ``not_found``, ``redirected``,
        ``no_component`` (the device knows the request, not its argument) and ``not_json``.
        """
        answer = self._get(path, deadline)
        if answer.status == 401:
            self._challenge = self._asked_for(answer)
            answer = self._get(path, deadline)
        if answer.status == 401:
            self._challenge = None
            raise Unanswered("password_refused")
        return _content(answer)

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _get(self, path: str, deadline: Deadline) -> Answer:
        if self._challenge is None:
            return self._connection.get(path, deadline)
        kept = self._connection.is_kept()
        try:
            return self._get_with_login(self._challenge, path, deadline)
        except Unanswered as error:
            if not kept or error.reason != "closed":
                raise
        return self._get_with_login(self._challenge, path, deadline)

    def _get_with_login(self, challenge: Challenge, path: str, deadline: Deadline) -> Answer:
        if not self._connection.is_kept() or self._connection.number != self._known_on:
            self.identify(deadline)
        login = challenge.authorization(self._user, self._password or "", path)
        return self._connection.get(path, deadline, {"Authorization": login}, asks_again=False)

    def _asked_for(self, answer: Answer) -> Challenge:
        """Return what it asks for, where that is the login of its generation."""
        if self._password is None:
            raise Unanswered("password_missing")
        challenge = Challenge.parse(answer.headers.get("www-authenticate", ""))
        if challenge is None or self._identity is None or challenge.scheme != self._identity.scheme:
            raise Unanswered("auth_unknown")
        return challenge


def _content(answer: Answer) -> dict[str, Any]:
    if answer.status == 500:
        raise Unanswered("no_component")
    if (reason := status_reason(answer.status)) is not None:
        raise Unanswered(reason)
    return json_object(answer)

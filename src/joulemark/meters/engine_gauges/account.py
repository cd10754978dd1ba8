"""Where an engine's account of its batch is to be had, and fetching it over one kept connection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from joulemark.meters.engine_gauges.dialect import DIALECTS
from joulemark.meters.engine_gauges.page import Account, account_of
from joulemark.meters.engine_gauges.slots import account_of_slots
from joulemark.meters.http.answer import status_reason
from joulemark.meters.http.connection import Connection
from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.http.endpoint import Endpoint
from joulemark.meters.prometheus.exposition import read_page
from joulemark.meters.prometheus.scrape import PAGE_LIMIT_BYTES

TIMEOUT_S = 3.0
OTHER_MODEL = "other_model"

Form = Literal["metrics", "slots"]
_ACCEPT = {"metrics": "text/plain;version=0.0.4", "slots": "application/json"}


@dataclass(frozen=True, slots=True)
class AccountPlace:
    """A page of an engine. ``target`` is its path with the query, quoted, below the endpoint's prefix.

    ``kind`` and ``model`` are the engine's, ``aliases`` further names of the model; ``headers`` may hold a
    key and are never stored.
    """

    endpoint: Endpoint
    target: str
    form: Form
    kind: str
    model: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    aliases: tuple[str, ...] = ()


class AccountPage:
    """Asks one place again and again, over the connection of the time before while the engine keeps it.

    The answer is not asked for packed: packing would cost the engine more than sending does.
    """

    def __init__(self, place: AccountPlace) -> None:
        self._place = place
        self._connection = Connection(place.endpoint, limit_bytes=PAGE_LIMIT_BYTES)

    def look(self, timeout_s: float = TIMEOUT_S) -> Account:
        """Return what the engine says now.

        Raises `Unanswered`, with ``no_gauges`` where it says nothing and `OTHER_MODEL` where it speaks of
        another model only.
        """
        place = self._place
        headers = {"User-Agent": "joulemark", "Accept": _ACCEPT[place.form], **place.headers}
        answer = self._connection.get(place.target, Deadline(timeout_s), headers)
        if (reason := status_reason(answer.status)) is not None:
            raise Unanswered(reason)
        if place.form == "slots":
            return account_of_slots(answer.body)
        dialect = DIALECTS[place.kind]
        account = account_of(read_page(answer, dialect.names), dialect, place.model, place.aliases)
        if account.is_of_others:
            raise Unanswered(OTHER_MODEL)
        if not account.values:
            raise Unanswered("no_gauges", ", ".join(account.faults))
        return account

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

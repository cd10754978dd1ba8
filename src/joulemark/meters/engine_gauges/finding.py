"""Whether an engine shows its batch, and by which of its pages: asked once, before a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode

from joulemark.meters.engine_gauges.account import OTHER_MODEL, AccountPage, AccountPlace, Form
from joulemark.meters.engine_gauges.dialect import DIALECTS, LLAMA_CPP_KINDS
from joulemark.meters.engine_gauges.listed_models import listed_models
from joulemark.meters.engine_gauges.page import Account
from joulemark.meters.engine_gauges.source import ENGINE_SOURCE, KIND, describe, engine_gauges_spec
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.http.endpoint import Endpoint
from joulemark.meters.source import Finding
from joulemark.record.telemetry import Quantity

MEASURES = "the engine's own account of its batch (no energy)"
_NO_PAGE = frozenset({"not_found", "http_501", "no_gauges", "not_metrics", "not_slots"})
_WANTS_MODEL = "http_400"  # a llama.cpp that serves several models
_WORDS = {
    "no_gauges": "its page has none of the series by which this kind of engine shows it",
    OTHER_MODEL: "its page shows another model, not the one that is asked",
    "timeout": "its page did not come in time",
    "not_metrics": "its page is no page of metrics",
    "http_401": "its page asks for a key",
    "forbidden": "its page is forbidden",
}


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """The engine that is asked: its ``kind``, the ``root`` path of its own pages (without a final '/').

    ``headers`` are those of its client; they may hold a key.
    """

    kind: str
    model: str
    scheme: str
    host: str
    port: int
    root: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def place(self, target: str, form: Form = "metrics") -> AccountPlace:
        """Return one of the engine's pages."""
        endpoint = Endpoint(self.scheme, self.host, self.port, self.root)
        return AccountPlace(endpoint, target, form, self.kind, self.model, self.headers)


def find_engine_gauges(address: EngineAddress) -> Finding | None:
    """Return by which page the engine shows its batch, or why by none; null for a kind that has no page.

    The engine is asked two to five times.
    """
    dialect = DIALECTS.get(address.kind)
    if dialect is None:
        return None
    first_why = ""
    for place in _places(address):
        try:
            account, place = _asked(place)
        except Unanswered as error:
            first_why = first_why or error.reason
            if error.reason not in _NO_PAGE and error.reason != _WANTS_MODEL:
                break  # what keeps one page from coming keeps the others, too
            continue
        quantities = [one.value for one in Quantity if one.value in account.values]
        spec = engine_gauges_spec(place, quantities)
        return Finding(KIND, ENGINE_SOURCE, MEASURES, spec=spec, info=describe(spec))
    why = _WORDS.get(first_why, f"its page does not come ({first_why})")
    if first_why in _NO_PAGE and dialect.switch:
        why = "it does not show it"
        return Finding(KIND, ENGINE_SOURCE, MEASURES, why=why, fix=f"start the engine with {dialect.switch}")
    return Finding(KIND, ENGINE_SOURCE, MEASURES, why=why)


def _places(address: EngineAddress) -> Iterator[AccountPlace]:
    yield address.place("/metrics")
    if address.kind in LLAMA_CPP_KINDS:
        model = urlencode({"model": address.model}, quote_via=quote)
        yield address.place(f"/metrics?{model}")
        yield address.place("/slots", "slots")
        yield address.place(f"/slots?{model}", "slots")


def _asked(place: AccountPlace) -> tuple[Account, AccountPlace]:
    """Return what a page says, and the page: the shorter one where the engine writes only what is wanted."""
    try:
        account = _look(place)
    except Unanswered as error:
        if error.reason != OTHER_MODEL:
            raise
        # one model may be served under several names, of which the page shows the first
        place = replace(place, aliases=listed_models(place.endpoint, dict(place.headers)))
        account = _look(place)
    dialect = DIALECTS[place.kind]
    if dialect.is_filtered:
        query = urlencode([("name[]", name) for name in sorted(dialect.names)])
        short = replace(place, target=f"{place.target}?{query}")
        try:
            again = _look(short)
        except Unanswered:
            return account, place
        if again.values.keys() >= account.values.keys():
            return again, short
    return account, place


def _look(place: AccountPlace) -> Account:
    with closing(AccountPage(place)) as page:
        return page.look()

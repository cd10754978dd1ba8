"""What went wrong with a page, in words that a user can act on."""

from __future__ import annotations

from urllib.parse import urlsplit

from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.http.words import network_words
from joulemark.meters.prometheus.scrape import TOKEN_VARIABLE
from joulemark.meters.source import Finding

_TOKEN_FIX = f"export {TOKEN_VARIABLE}=…   # a bearer token that the server accepts"


def missing(kind: str, name: str, measures: str, url: str, error: Unanswered) -> Finding:
    """Return what discovery says of a page that cannot be used."""
    why, fix = _words(error, url)
    return Finding(kind, name, measures, why=why, fix=fix)


def _words(error: Unanswered, url: str) -> tuple[str, str]:
    look = f"curl -sS '{url}' | head   # shows what is there"
    said = f" ({error.detail})" if error.detail else ""
    table = {
        "password_missing": ("the server wants a token", _TOKEN_FIX),
        "password_refused": ("the server refuses the token", _TOKEN_FIX),
        "forbidden": ("the server does not allow it", _TOKEN_FIX),
        "not_found": ("there is no such page", f"the path is usually /metrics: {look}"),
        "redirected": (
            "the server sends elsewhere",
            f"name the final address: curl -sIL '{url}' | grep -i location",
        ),
        "http_400": (f"the server cannot read the query{said}", "try it in the server's own web page first"),
        "not_metrics": (
            f"the page holds no metrics: {error.detail}",
            f"the path is usually /metrics: {look}",
        ),
        "malformed_page": (f"the page is malformed: {error.detail}", f"mend the exporter; {look}"),
        "too_large": (
            f"the page is too large{said}",
            "have the exporter show less, or ask a Prometheus server for one series: ?query=…",
        ),
        "no_prometheus_server": (
            "what listens there is no Prometheus server",
            "for the page of an exporter name the series: prometheus:http://HOST:PORT/metrics#NAME",
        ),
    }
    return table.get(error.reason) or network_words(error, urlsplit(url).hostname or "HOST", look)

"""What went wrong with a page, in words that a user can act on."""

from __future__ import annotations

from joulemark.meters.prometheus.answer import Page, ScrapeFailed
from joulemark.meters.prometheus.exposition import Exposition, MalformedPage, parse_exposition
from joulemark.meters.prometheus.scrape import TOKEN_VARIABLE
from joulemark.meters.source import Finding

_TOKEN_FIX = f"export {TOKEN_VARIABLE}=…   # a bearer token that the server accepts"


def missing(kind: str, name: str, measures: str, url: str, error: ScrapeFailed) -> Finding:
    """Return what discovery says of a page that cannot be used."""
    why, fix = _words(error, url)
    return Finding(kind, name, measures, why=why, fix=fix)


def read_page(page: Page, wanted: frozenset[str] | None = None) -> Exposition:
    """Read a page's series; raises `ScrapeFailed` where it is another kind of text."""
    text = page.body.decode("utf-8", errors="replace")
    if page.content_type.lower().startswith("text/html") or text.lstrip()[:1] == "<":
        raise ScrapeFailed("not_metrics", "it is a web page for people")
    if text.lstrip()[:1] in ("[",) or (text.lstrip()[:1] == "{" and "json" in page.content_type):
        raise ScrapeFailed("not_metrics", "it is JSON")
    try:
        return parse_exposition(text, wanted, content_type=page.content_type)
    except MalformedPage as error:
        raise ScrapeFailed("malformed_page", str(error)) from error


def _words(error: ScrapeFailed, url: str) -> tuple[str, str]:
    look = f"curl -sS '{url}' | head   # shows what is there"
    said = f" ({error.detail})" if error.detail else ""
    table = {
        "connection_refused": ("nothing listens at this address", f"start the exporter; {look}"),
        "timeout": (f"it did not answer in time{said}", f"see that the machine is up and reachable: {look}"),
        "name_not_known": (f"the host's name is not known{said}", "write its IP address, or mend the name"),
        "unreachable": (f"the address cannot be reached{said}", look),
        "tls_failed": (f"the connection cannot be trusted{said}", "use http://, or mend the certificate"),
        "no_http": ("what listens there does not speak HTTP", f"check the port: {look}"),
        "http_401": ("the server wants a token", _TOKEN_FIX),
        "http_403": ("the server does not allow it", _TOKEN_FIX),
        "http_404": ("there is no such page", f"the path is usually /metrics: {look}"),
        "http_400": (f"the server cannot read the query{said}", "try it in the server's own web page first"),
        "not_metrics": (
            f"the page holds no metrics: {error.detail}",
            f"the path is usually /metrics: {look}",
        ),
        "malformed_page": (f"the page is malformed: {error.detail}", f"mend the exporter; {look}"),
        "too_large": (error.detail, "have the exporter show less, or ask a Prometheus server: ?query=…"),
        "no_prometheus_server": (
            "what listens there is no Prometheus server",
            "for the page of an exporter name the series: prometheus:http://HOST:PORT/metrics#NAME",
        ),
    }
    if error.reason in table:
        return table[error.reason]
    if error.reason.startswith("http_3"):
        return "the server sends elsewhere", f"name the final address: curl -sIL '{url}' | grep -i location"
    return f"the page cannot be read: {error.reason}{said}", look

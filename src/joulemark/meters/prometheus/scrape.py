"""One page: its address as the user typed it, the user's token, and the GET that brings it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from contextlib import closing
from urllib.parse import quote, urlsplit

from joulemark.meters.http.answer import Answer, status_reason
from joulemark.meters.http.connection import Connection
from joulemark.meters.http.deadline import REQUEST_S, Deadline, Unanswered
from joulemark.meters.http.endpoint import USUAL_PORTS, Endpoint
from joulemark.meters.http.words import cleaned
from joulemark.record.errors import InputError

PAGE_LIMIT_BYTES = 8 * 2**20
TOKEN_VARIABLE = "JOULEMARK_PROMETHEUS_TOKEN"
_HEADERS = {
    "User-Agent": "joulemark",
    "Accept": "text/plain;version=0.0.4, application/json;q=0.9, */*;q=0.1",
    "Connection": "close",
}


def checked_url(text: str) -> str:
    """Return ``text`` as an absolute http(s) URL; without a scheme it is http.

    Raises `InputError` where it is none or holds a password, which would be stored with the meter.
    """
    url = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in USUAL_PORTS and (parts.port or 1) > 0
        usable = usable and bool(parts.hostname) and str(parts.hostname).isascii()
    except ValueError:
        usable = False
    if not usable or any(c <= " " or c == "\x7f" for c in url):
        raise InputError(
            f"{text!r} is no web address",
            fix="write it as http://HOST:PORT/metrics, for example in a browser",
        )
    if parts.username is not None:
        raise InputError(
            "the address holds a user name",
            why="addresses of meters are kept on file, so nothing secret may stand in them",
            fix=f"leave it out and set a bearer token: export {TOKEN_VARIABLE}=…",
        )
    return url


def token_headers() -> dict[str, str]:
    """Return the header with the user's bearer token; none where the environment holds none."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token.isascii() or not token.isprintable():
        raise InputError(f"{TOKEN_VARIABLE} holds signs that no token has", fix=f"unset {TOKEN_VARIABLE}")
    return {"Authorization": f"Bearer {token}"} if token else {}


def get_page(
    url: str,
    timeout_s: float = REQUEST_S,
    limit_bytes: int = PAGE_LIMIT_BYTES,
    *,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Return the page at ``url``, over a connection of its own.

    Raises `Unanswered` for anything but an answer of status 200; of status 401 it is ``password_missing``,
    or ``password_refused`` where a token went with the request.
    """
    parts = urlsplit(url)
    endpoint = Endpoint(parts.scheme, parts.hostname or "", parts.port or USUAL_PORTS[parts.scheme])
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    target = "".join(c if c.isascii() else quote(c) for c in target)
    sent = {**_HEADERS, **(headers or {})}
    with closing(Connection(endpoint, limit_bytes=limit_bytes, accepts_gzip=True)) as connection:
        answer = connection.get(target, Deadline(timeout_s), sent)
    if answer.status == 401:
        raise Unanswered("password_refused" if "Authorization" in sent else "password_missing")
    if (reason := status_reason(answer.status)) is not None:
        raise Unanswered(reason, _said(answer.body))
    return answer


def _said(body: bytes) -> str:
    """Return the beginning of an error's body, for a server that says why."""
    text = body[:4096].decode(errors="replace")
    with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
        text = str(json.loads(text)["error"])  # as a Prometheus server has it
    return "" if "<" in text else cleaned(text, 200)

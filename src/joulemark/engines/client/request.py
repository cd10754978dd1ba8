"""The bytes of a request: one head and one body, written in one piece."""

from __future__ import annotations

import re
from collections.abc import Mapping

from joulemark.engines.exchange import Endpoint
from joulemark.record.errors import InputError

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TARGET = re.compile(r"[!-~]+")
_DEFAULT_PORTS = {"http": 80, "https": 443}

# Compression is refused: a compressor holds tokens back, and its blocks would be stamped instead of them.
_DEFAULTS = {
    "accept": "text/event-stream, application/x-ndjson, application/json",
    "accept-encoding": "identity",
    "content-type": "application/json",
    "user-agent": "joulemark",
}


def _host_field(endpoint: Endpoint) -> str:
    host = endpoint.host if ":" not in endpoint.host else f"[{endpoint.host}]"
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    return host if _DEFAULT_PORTS.get(endpoint.scheme) == endpoint.port else f"{host}:{endpoint.port}"


def request_head(
    endpoint: Endpoint, method: str, path: str, headers: Mapping[str, str], body_bytes: int
) -> bytes:
    """Return the request line and the header fields, the empty line included.

    ``headers`` win over the endpoint's, those over the defaults. Raises `InputError` for what would break
    the framing (a line break in a key, a blank in a path).
    """
    if not _TOKEN.fullmatch(method):
        raise InputError(f"{method!r} is no HTTP method", why="it is not a single word")
    if not _TARGET.fullmatch(path) or not path.startswith("/"):
        raise InputError(
            f"the path {path!r} cannot be requested",
            why="a path starts with / and holds printable ASCII without blanks",
            fix="percent-encode the other characters",
        )
    fields = dict(_DEFAULTS)
    for given in (endpoint.headers, headers):
        fields.update((name.lower(), value.strip()) for name, value in given.items())
    fields["host"] = _host_field(endpoint)
    fields["content-length"] = str(body_bytes)
    lines = [f"{method} {path} HTTP/1.1"]
    for name, value in fields.items():
        # The value stays out of the message: it may be a key.
        if not _TOKEN.fullmatch(name) or not value.isprintable() or not value.isascii():
            raise InputError(
                f"the header {name!r} cannot be sent",
                why="its value holds a line break or a character outside ASCII",
                fix="check the variable that holds the key for a stray line break",
            )
        lines.append(f"{name}: {value}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")

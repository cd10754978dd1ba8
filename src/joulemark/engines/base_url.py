"""Reading what the user gives as ``--engine URL``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from joulemark.record.errors import InputError

_VERSIONED = re.compile(r"/v\d+\w*(/|$)")
_ENDPOINTS = ("/chat/completions", "/completions", "/models", "/responses")
_EXAMPLE = "give a URL such as http://127.0.0.1:8000 or https://api.example.com/v1"


@dataclass(frozen=True, slots=True)
class BaseUrl:
    """Where an OpenAI-compatible API may be.

    ``api_paths`` are the candidates for its base path, the likeliest first (``/v1``); none ends with '/'.
    """

    scheme: str
    host: str
    port: int
    api_paths: tuple[str, ...]

    @property
    def text(self) -> str:
        """The URL without a path, for messages."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def parse_base_url(url: str) -> BaseUrl:
    """Read ``url``, with or without ``/v1``. Raises `InputError` for what cannot be an engine's address."""
    what = f"{url!r} is not the address of an engine"
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise InputError(what, why=str(error), fix=_EXAMPLE) from None
    if parts.scheme not in ("http", "https"):
        why = "it does not begin with http:// or https://"
        guess = (
            f"--engine http://{url.strip()}" if re.fullmatch(r"[\w.-]+:\d+(/.*)?", url.strip()) else _EXAMPLE
        )
        raise InputError(what, why=why, fix=guess)
    if not parts.hostname:
        raise InputError(what, why="it names no host", fix=_EXAMPLE)
    if parts.username is not None or parts.password is not None:
        raise InputError(
            "The address of the engine holds a name or a password",
            why="it would end up in the shell's history and in the record",
            fix="put the key into a variable and give --api-key-env NAME",
        )
    if parts.query or parts.fragment:
        raise InputError(what, why="it has a query or a fragment", fix=_EXAMPLE)
    path = parts.path.rstrip("/")
    for endpoint in _ENDPOINTS:
        path = path.removesuffix(endpoint)
    default_port = 443 if parts.scheme == "https" else 80
    return BaseUrl(parts.scheme, parts.hostname, default_port if port is None else port, _candidates(path))


def _candidates(path: str) -> tuple[str, ...]:
    if _VERSIONED.search(path):
        return (path,)
    return (f"{path}/v1", path) if path else ("/v1",)

"""Where engines usually listen: the ports of this machine, and what the environment names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.engines.base_url import parse_base_url
from joulemark.record.errors import InputError

LOOPBACK = ("127.0.0.1", "::1")
USUAL_PORTS: Mapping[int, str] = {
    11434: "Ollama",
    1234: "LM Studio",
    8080: "llama.cpp, llamafile, LocalAI, TGI",
    8000: "vLLM",
    30000: "SGLang",
    3000: "TGI",
    80: "TGI",
    1337: "Jan",
    5001: "KoboldCpp",
    5000: "text-generation-webui, TabbyAPI",
    4891: "GPT4All",
}
"""The ports that engines listen at unless they are told otherwise, with the engines' names."""

_OLLAMA_PORT = 11434
_EVERY_ADDRESS = frozenset({"0.0.0.0", "::", ""})
_HOST_PORT = re.compile(r"(?:(?P<scheme>https?)://)?(?P<host>\[[^\]]*\]|[^:/\s]*)(?::(?P<port>\d{1,5}))?/?")


@dataclass(frozen=True, slots=True)
class Address:
    """An address to look at. ``named_by`` is the variable of the environment that names it, null for none."""

    url: str
    named_by: str | None = None


def usual_addresses(
    ports: Mapping[int, str] = USUAL_PORTS, environment: Mapping[str, str] | None = None
) -> tuple[Address, ...]:
    """Return the addresses to look at, those that ``environment`` (null: this process's) names first.

    ``OLLAMA_HOST`` may be a host, a host with a port or a URL, as Ollama itself reads it; an address that
    means every interface is looked at on the loopback. A variable that holds no address is passed over.
    """
    environment = os.environ if environment is None else environment
    found: dict[str, Address] = {}
    for name, read in (("OLLAMA_HOST", _ollama_url), ("OPENAI_BASE_URL", _plain_url)):
        url = read(environment.get(name, "").strip())
        if url is not None:
            found.setdefault(url, Address(url, name))
    for port in ports:
        for host in LOOPBACK:
            url = f"http://{_bracketed(host)}:{port}"
            found.setdefault(url, Address(url))
    return tuple(found.values())


def _ollama_url(value: str) -> str | None:
    match = _HOST_PORT.fullmatch(value)
    if not value or match is None:
        return None
    host = match["host"].strip("[]")
    host = LOOPBACK[0] if host in _EVERY_ADDRESS else host
    scheme = match["scheme"] or "http"
    by_scheme = {"http": 80, "https": 443}[scheme] if match["scheme"] else _OLLAMA_PORT
    return _plain_url(f"{scheme}://{_bracketed(host)}:{match['port'] or by_scheme}")


def _plain_url(value: str) -> str | None:
    try:
        parse_base_url(value)
    except InputError:
        return None
    return value.rstrip("/")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host

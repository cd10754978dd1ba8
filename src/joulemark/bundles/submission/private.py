"""What names a person, a machine or a place, in whatever field: the second wall behind the allowlist.

Patterns find what can be told by its form; `identities_here` what cannot: the names of this machine and user.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import platform
import re
import socket
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

_PATTERNS = {
    "a network interface's address": r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![0-9A-Za-z])"
    r"|(?<![0-9A-Za-z])[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![0-9A-Za-z])",
    "a UUID": r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}|\b(?:GPU|MIG)-[0-9A-Fa-f]{6,}",
    "an internet address": r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"
    r"|(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){3,7}[0-9A-Fa-f]{0,4}(?![\w:])|[0-9A-Fa-f:]*::[0-9A-Fa-f]+",
    "an e-mail address": r"[\w.+-]+@[\w-]+\.[A-Za-z]{2,}",
    "a URL": r"[A-Za-z][A-Za-z0-9+.-]*://",
    "a path": r"""(?:^|[\s"'`=(\[,;:])(?:~?/[^\s/]|~\w|\.{1,2}/)|[A-Za-z]:[\\/]|\\"""
    r"|(?i:(?:^|/)(?:home|users|mnt|media|opt|srv|var|tmp|etc|dev|root)/\S)",
    "an entity of a home": r"\b(?:sensor|binary_sensor|switch|light|climate|person|device_tracker|input_\w+"
    r"|number|select|automation|camera|media_player|zone)\.[a-z0-9_]+",
    "a private host": r"(?i)\b[\w-]+\.(?:local|lan|home|internal|intranet|corp|private|localdomain|home\.arpa"
    r"|fritz\.box|ts\.net)\b|\blocalhost\b",
    "a serial number": r"(?i)\b(?:s/?n|serial)\b[\s:#=-]*\w",
    "a secret": r"(?i)\b(?:hf|sk|ghp|gho|glpat|xox[bp])[-_][a-z0-9]{12,}"
    r"|\bbearer\s|\bpassword\b|BEGIN [A-Z ]*KEY",
    "markup": r"[<>]|&(?:#\d+|#x[0-9a-f]+|[a-z]+);",
    "a control character": r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]",
}
_LEAKS = {what: re.compile(pattern) for what, pattern in _PATTERNS.items()}
_KEYS = re.compile(
    r"(?i)(?:.*_)?(?:uuid|guid|serial|mac|mac_?address|host_?name|entity|entity_id|passw\w+|secret|api_?key"
    r"|access_token|auth_token|url|uri|address|ip|user|user_?name|home|path|file|file_?name|email|texts?|words)"
    r"|token|prompt|completion|answer|answers|reasoning|gold|question|questions|thinking|value_text"
)
_COMMON = """
    root user users admin administrator ubuntu debian fedora guest nobody runner docker container
    localhost home test tester demo server desktop laptop linux windows macos default machine engine
    sampler model host gpu cpu nvidia amd intel apple llama qwen mistral gemma phi quick hub none auto
    other smollm smollm2 joulemark
"""
# names that tell nobody from anybody, and words that a record holds anyway
_TOO_COMMON = frozenset(_COMMON.split())
_LEAST = 3
_LONGEST = 500  # no name that we know is longer, and a pattern may take long over it


@lru_cache(maxsize=4096)  # the same few words stand in every line
def leaks(text: str, identities: frozenset[str] = frozenset()) -> str | None:
    """Return what ``text`` gives away, in words, null where nothing; ``identities``: names, in lower case."""
    if len(text) > _LONGEST:
        return "a long text"
    for what, pattern in _LEAKS.items():
        if pattern.search(text):
            return what
    lowered = text.lower()
    if any(one in lowered and _stands_alone(one, lowered) for one in identities):
        return "a name of this machine or its user"
    return None


def denied(
    document: object, identities: frozenset[str] = frozenset(), at: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield every place of a JSON document that must not leave, and what stands there; keys count too."""
    if isinstance(document, dict):
        for key, value in document.items():
            if _is_denied(key):
                yield f"{at}.{key}", "a field of that name"
            if (what := leaks(key, identities)) is not None:
                yield f"{at}.{key}", what
            yield from denied(value, identities, f"{at}.{key}")
    elif isinstance(document, list | tuple):
        for place, value in enumerate(document):
            yield from denied(value, identities, f"{at}[{place}]")
    elif isinstance(document, str) and (what := leaks(document, identities)) is not None:
        yield at, what


@lru_cache(maxsize=4096)
def _is_denied(key: str) -> bool:
    return _KEYS.fullmatch(key) is not None


@cache
def identities_here() -> frozenset[str]:
    """Return the names of this machine and user, in lower case; those that tell nobody apart are left out."""
    found = {platform.node(), socket.gethostname()}
    with contextlib.suppress(Exception):  # an account without an entry in the password file
        found.add(getpass.getuser())
    with contextlib.suppress(RuntimeError):
        found.add(Path.home().name)
    found |= {os.environ.get(name, "") for name in ("USER", "LOGNAME", "HOSTNAME", "SUDO_USER")}
    found |= {name.split(".")[0] for name in list(found)}
    found |= {_line(Path(path)) for path in ("/etc/machine-id", "/var/lib/dbus/machine-id")}
    folder = Path("/sys/class/dmi/id")
    found |= {_line(folder / name) for name in ("product_serial", "board_serial", "product_uuid")}
    with contextlib.suppress(OSError):
        found |= {_line(one / "address") for one in Path("/sys/class/net").iterdir()}
    lowered = {name.strip().lower() for name in found}
    return frozenset(
        name
        for name in lowered
        if len(name) >= _LEAST and name not in _TOO_COMMON and not re.fullmatch(r"[0:.\-]+", name)
    )


def _line(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _stands_alone(name: str, text: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None

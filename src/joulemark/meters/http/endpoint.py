"""Where a meter listens, and reading that from what the user typed."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from joulemark.record.errors import InputError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server's address. ``prefix`` is the path before the API's own, without a trailing '/'."""

    scheme: str
    host: str
    port: int
    prefix: str = ""

    @property
    def authority(self) -> str:
        """Host and port as the ``Host`` header wants them: the port only where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == USUAL_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address as a URL, for commands that a user can type."""
        return f"{self.scheme}://{self.authority}{self.prefix}"


USUAL_PORTS = {"http": 80, "https": 443}


def parse_endpoint(address: str, example: str, *, with_prefix: bool = False) -> Endpoint:
    """Read ``HOST``, ``HOST:PORT`` or ``http(s)://HOST[:PORT]``.

    ``example`` shows how the meter is written. A path is taken only ``with_prefix``. Raises `InputError`; a
    password in the address is refused without repeating it.
    """
    fix = f"write it like {example}"
    text = address if "://" in address else f"http://{address}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise InputError("the address of the meter is malformed", why=str(error), fix=fix) from None
    if parts.username is not None or parts.password is not None:
        why = "it would end up in the shell's history and in the settings"
        raise InputError("the address of the meter holds a name or a password", why=why, fix=fix)
    what = f"{address!r} is not the address of a meter"
    if not text.isprintable():
        raise InputError(what, why="it holds a line break or a control character", fix=fix)
    if parts.scheme not in USUAL_PORTS:
        raise InputError(what, why="it is neither http nor https", fix=fix)
    host = parts.hostname
    if not host or not host.isascii() or not host.isprintable() or " " in host or port == 0:
        raise InputError(what, why="it names no host that can be reached", fix=fix)
    prefix = parts.path.rstrip("/")
    if prefix and not with_prefix:
        raise InputError(what, why="it has a path after the host", fix=fix)
    if not all(char.isalnum() or char in "-._~/%" for char in prefix) or not prefix.isascii():
        raise InputError(what, why="its path holds characters that need quoting", fix=fix)
    return Endpoint(parts.scheme, host, USUAL_PORTS[parts.scheme] if port is None else port, prefix)

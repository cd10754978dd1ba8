"""One name for a page that has several: addresses are spelled in many ways, and a machine has many names."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from joulemark.meters.http.endpoint import USUAL_PORTS

_THIS_MACHINE = "localhost"
_ANY_PORT = 0


def page_name(url: str) -> str:
    """Return one name for the spellings of a page's address: its port said, this machine's names as one.

    Nothing is asked of the network, so another name of another machine stays another.
    """
    host, port, rest = _parts(url)
    return f"{_THIS_MACHINE if means_this_machine(host) else host}:{port}{rest}"


def resolved_name(url: str) -> str:
    """Return the same with the host looked up: a name is its address, and all of this machine's are one."""
    host, port, rest = _parts(url)
    return f"{_resolved(host)}:{port}{rest}"


def _parts(url: str) -> tuple[str, int, str]:
    parts = urlsplit(url)
    path = "/" + "/".join(filter(None, parts.path.split("/")))
    host = (parts.hostname or "").rstrip(".")
    return host, parts.port or USUAL_PORTS[parts.scheme], f"{path}?{parts.query}" if parts.query else path


def means_this_machine(host: str) -> bool:
    """Tell whether a host's name is one that means this machine wherever it is said."""
    host = host.lower().rstrip(".")
    if host == _THIS_MACHINE or host.endswith(f".{_THIS_MACHINE}"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    inner = getattr(address, "ipv4_mapped", None) or address
    return bool(inner.is_loopback or inner.is_unspecified)


def _resolved(host: str) -> str:
    """Return the address behind a name; one word for all that are this machine's."""
    if means_this_machine(host):
        return _THIS_MACHINE
    try:
        found = sorted({str(info[4][0]) for info in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)})
    except (OSError, UnicodeError):
        return host
    if any(means_this_machine(address) or _is_own(address) for address in found):
        return _THIS_MACHINE
    return found[0] if found else host


def _is_own(address: str) -> bool:
    """Tell whether an address is one of this machine's: nobody else's can be bound."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as trial:
            trial.bind((address, _ANY_PORT))
    except OSError:
        return False
    return True

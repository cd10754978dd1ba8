"""One HTTP GET that cannot hang: all of it, from the name's address to the last byte, has one time limit.

The limit covers what socket timeouts do not: a server that sends a byte a second, and a name that no name
server answers. A body has a size limit, before and after decompression. Redirects are not followed, because a
token must not go to where nobody sent it.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

import httptools

from joulemark.meters.prometheus.answer import Answering, Page, ScrapeFailed
from joulemark.record.errors import InputError

TIMEOUT_S = 2.0
LIMIT_BYTES = 8 * 2**20
TOKEN_VARIABLE = "JOULEMARK_PROMETHEUS_TOKEN"
_PORTS = {"http": 80, "https": 443}
_CHUNK_BYTES = 65536


def checked_url(text: str) -> str:
    """Return ``text`` as an absolute http(s) URL; without a scheme it is http.

    Raises `InputError` where it is none or holds a password, which would be stored with the meter.
    """
    url = text if "://" in text else f"http://{text}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _PORTS and bool(parts.hostname) and (parts.port or 1) > 0
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


def get(
    url: str,
    timeout_s: float = TIMEOUT_S,
    limit_bytes: int = LIMIT_BYTES,
    *,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Return the body at ``url``; raises `ScrapeFailed` for anything but an answer of status 200."""
    return get_page(url, timeout_s, limit_bytes, headers=headers).body


def get_page(
    url: str,
    timeout_s: float = TIMEOUT_S,
    limit_bytes: int = LIMIT_BYTES,
    *,
    headers: Mapping[str, str] | None = None,
) -> Page:
    """Like `get`, with what the server says of the body."""
    deadline_s = time.monotonic() + timeout_s
    parts = urlsplit(url)
    answer = Answering(limit_bytes)
    try:
        with _connected(parts, deadline_s) as connection:
            connection.sendall(_request(parts, headers or {}))
            _receive(connection, answer, deadline_s)
    except TimeoutError:
        raise ScrapeFailed("timeout", f"no whole answer came within {timeout_s:g} s") from None
    except ssl.SSLError as error:
        raise ScrapeFailed("tls_failed", error.reason or str(error)) from error
    except ConnectionRefusedError:
        raise ScrapeFailed("connection_refused", "nothing listens at this port") from None
    except OSError as error:
        raise ScrapeFailed("unreachable", error.strerror or str(error)) from error
    return answer.page()


def _request(parts: SplitResult, headers: Mapping[str, str]) -> bytes:
    path = parts.path or "/"
    target = f"{path}?{parts.query}" if parts.query else path
    sent = {
        "Host": parts.netloc,
        "User-Agent": "joulemark",
        "Accept": "text/plain;version=0.0.4, application/json;q=0.9, */*;q=0.1",
        "Accept-Encoding": "gzip",
        "Connection": "close",
        **headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"GET {target} HTTP/1.1\r\n{lines}\r\n".encode()


def _receive(connection: socket.socket, answer: Answering, deadline_s: float) -> None:
    while not answer.is_whole and not answer.is_too_large:
        connection.settimeout(_left_s(deadline_s))
        data = connection.recv(_CHUNK_BYTES)
        if not data:
            return
        try:
            answer.parser.feed_data(data)
        except httptools.HttpParserError as error:
            raise ScrapeFailed("no_http", "the answer is no HTTP") from error


def _connected(parts: SplitResult, deadline_s: float) -> socket.socket:
    """Connect to the first address that takes it; raises ``OSError``."""
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    addresses = _addresses(host, port, deadline_s)
    for place, address in enumerate(addresses, 1):
        left_s = _left_s(deadline_s) / (len(addresses) - place + 1)
        try:
            connection = socket.create_connection(address, timeout=left_s)
        except OSError:
            if place == len(addresses):
                raise
            continue
        if parts.scheme == "http":
            return connection
        connection.settimeout(_left_s(deadline_s))
        try:
            return ssl.create_default_context().wrap_socket(connection, server_hostname=host)
        except OSError:
            connection.close()
            raise
    raise OSError("the name has no address")


def _addresses(host: str, port: int, deadline_s: float) -> list[tuple[str, int]]:
    """Resolve a name by the deadline; the system's resolver knows none, so it is left in a thread."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return [(host, port)]
    found: list[tuple[str, int]] = []
    failed: list[OSError] = []

    def resolve() -> None:
        try:
            rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.extend((str(row[4][0]), port) for row in rows)
        except (OSError, UnicodeError) as error:
            failed.append(error if isinstance(error, OSError) else OSError(str(error)))

    thread = threading.Thread(target=resolve, name="resolve", daemon=True)
    thread.start()
    thread.join(_left_s(deadline_s))
    if failed:
        raise ScrapeFailed("name_not_known", failed[0].strerror or str(failed[0]))
    if thread.is_alive():
        raise TimeoutError
    return list(dict.fromkeys(found))


def _left_s(deadline_s: float) -> float:
    left_s = deadline_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s

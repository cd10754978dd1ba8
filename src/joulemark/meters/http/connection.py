"""A GET over HTTP/1.1 that ends in time: one kept-alive connection to one server.

A socket's timeout counts anew with every byte, so a server that drips could hold a reader for ever. Here a
`Deadline` covers the whole exchange: looking the name up, connecting, TLS, sending and every receive. Nothing
is redirected and no proxy is asked, for a meter may get a password or a token, which must not go to where
nobody sent it.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from typing import Any

from joulemark.meters.http.answer import Answer, Incoming, NothingCame
from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.http.endpoint import Endpoint
from joulemark.meters.http.resolver import resolve

BODY_LIMIT_BYTES = 64 * 1024
_RECEIVE_BYTES = 64 * 1024


class Connection:
    """One connection, made when it is needed and kept while the server keeps it.

    A body may have ``limit_bytes``, before and after it is unpacked. It is asked for packed where
    ``accepts_gzip``.
    """

    def __init__(
        self, endpoint: Endpoint, *, limit_bytes: int = BODY_LIMIT_BYTES, accepts_gzip: bool = False
    ) -> None:
        self.endpoint = endpoint
        self._limit_bytes, self._accepts_gzip = limit_bytes, accepts_gzip
        self.number = 0  # of connections made so far: whoever answered on another one may be somebody else
        self._socket: socket.socket | None = None
        self._addresses: list[tuple[Any, ...]] = []

    def is_kept(self) -> bool:
        """Tell whether the next request goes out on the connection of the last one."""
        if self._socket is not None and not _is_quiet(self._socket):
            self.close()
        return self._socket is not None

    def get(
        self,
        path: str,
        deadline: Deadline,
        headers: Mapping[str, str] | None = None,
        *,
        asks_again: bool = True,
    ) -> Answer:
        """Ask for ``path`` (with its query, already quoted). Raises `Unanswered`.

        A kept connection may have been closed meanwhile: when not one byte came, it is asked once more on a
        new one, unless it must not be (``asks_again``).
        """
        request = self._request(path, headers or {})
        kept = self.is_kept()
        try:
            try:
                return self._exchange(request, deadline)
            except NothingCame:
                if not (kept and asks_again):
                    raise
                self.close()
                return self._exchange(request, deadline)
        except NothingCame as error:
            self.close()
            raise Unanswered("closed") from error
        except Unanswered:
            self.close()
            raise

    def close(self) -> None:
        """Hang up; the next request connects again."""
        kept, self._socket = self._socket, None
        if kept is not None:
            kept.close()

    def _request(self, path: str, headers: Mapping[str, str]) -> bytes:
        fields = {
            "Host": self.endpoint.authority,
            "Accept": "application/json",
            "Accept-Encoding": "gzip" if self._accepts_gzip else "identity",
            "Connection": "keep-alive",
            **headers,
        }
        lines = [f"GET {self.endpoint.prefix}{path} HTTP/1.1", *(f"{k}: {v}" for k, v in fields.items())]
        # a blank would end the path, a line break the header field that holds a password
        if lines[0].count(" ") != 2 or any(not line.isprintable() for line in lines):
            raise Unanswered("malformed_request")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")

    def _exchange(self, request: bytes, deadline: Deadline) -> Answer:
        connected = self._socket
        if connected is None:
            connected = self._socket = self._connect(deadline)
            self.number += 1
        incoming = Incoming(self._limit_bytes)
        try:
            connected.settimeout(deadline.left_s())
            connected.sendall(request)
            while not incoming.complete:
                connected.settimeout(deadline.left_s())
                incoming.feed(connected.recv(_RECEIVE_BYTES))
        except TimeoutError as error:
            raise deadline.missed() from error
        except OSError as error:
            if incoming.received_bytes:
                raise Unanswered("cut_off") from error
            if isinstance(error, ssl.SSLError) and not isinstance(
                error, ssl.SSLEOFError | ssl.SSLZeroReturnError
            ):
                raise _not_connected(error, deadline) from error  # TLS 1.3 refuses a client only now
            raise NothingCame from error
        if not incoming.keep:
            self.close()
        return incoming.answer()

    def _connect(self, deadline: Deadline) -> socket.socket:
        endpoint = self.endpoint
        if not self._addresses:
            self._addresses = resolve(endpoint.host, endpoint.port, deadline)
        failure = Unanswered("unreachable", "the name has no address")
        for place, (family, kind, protocol, _, address) in enumerate(self._addresses):
            connecting = socket.socket(family, kind, protocol)
            try:
                # an address that swallows all leaves their share of the time to those behind it
                connecting.settimeout(deadline.left_s() / (len(self._addresses) - place))
                connecting.connect(address)
                connecting.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if endpoint.scheme == "https":
                    connecting.settimeout(deadline.left_s())
                    return ssl.create_default_context().wrap_socket(connecting, server_hostname=endpoint.host)
                return connecting
            except BaseException as error:
                connecting.close()
                if not isinstance(error, OSError):
                    raise
                failure = _not_connected(error, deadline)
        self._addresses = []  # the name may mean another address by now
        raise failure


def _is_quiet(kept: socket.socket) -> bool:
    """Tell whether nothing came after the last answer: neither the end nor what nobody asked for."""
    try:
        kept.settimeout(0)
        kept.recv(1)
    except (BlockingIOError, ssl.SSLWantReadError):
        return True
    except OSError:
        return False
    return False


def _not_connected(error: OSError, deadline: Deadline) -> Unanswered:
    if isinstance(error, TimeoutError):
        return deadline.missed()
    if isinstance(error, ConnectionRefusedError):
        return Unanswered("connection_refused")
    if isinstance(error, ssl.SSLError):
        return Unanswered("tls_failed", error.reason or str(error))
    return Unanswered("unreachable", error.strerror or str(error))

"""Opening a connection, and why it could not be opened."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable

from joulemark.engines.client.connection import Connection
from joulemark.engines.exchange import Endpoint


class DialError(Exception):
    """No connection. ``code`` is one of ``Exchange.error``'s: refused, reset, timeout, tls, dns."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.detail = code, detail


async def dial(
    endpoint: Endpoint, make: Callable[[], Connection], tls: ssl.SSLContext | None, timeout_s: float
) -> Connection:
    """Connect to ``endpoint`` (names resolved, TLS shaken hands) within ``timeout_s``; raises `DialError`."""
    loop = asyncio.get_running_loop()
    origin = endpoint.origin
    try:
        async with asyncio.timeout(timeout_s):
            _, connection = await loop.create_connection(make, endpoint.host, endpoint.port, ssl=tls)
    except TimeoutError as exc:
        raise DialError("timeout", f"{origin} took no connection within {timeout_s:g} s") from exc
    except ssl.SSLError as exc:
        raise DialError("tls", f"no TLS with {origin}: {exc}") from exc
    except (socket.gaierror, UnicodeError) as exc:
        raise DialError("dns", f"the name {endpoint.host!r} could not be resolved: {exc}") from exc
    except OSError as exc:
        # With TLS a peer that hangs up does so in the handshake: the connection itself had been taken.
        hung_up = isinstance(exc, ConnectionResetError | ConnectionAbortedError | BrokenPipeError)
        code = "refused" if not hung_up else "tls" if tls is not None else "reset"
        raise DialError(code, f"no connection to {origin}: {exc}") from exc
    except (OverflowError, ValueError) as exc:
        raise DialError("refused", f"{origin} is no address: {exc}") from exc
    return connection

"""Whether a host is of this machine or of a private network."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from ipaddress import ip_address


async def is_near(host: str, *, timeout_s: float) -> bool | None:
    """Tell whether every address of ``host`` is private; null where its name is not resolved in time.

    The name is looked up in a thread that nobody waits for: a resolver that hangs must not hold us up.
    """
    literal = _private(host)
    if literal is not None:
        return literal
    loop = asyncio.get_running_loop()
    resolved: asyncio.Future[list[str]] = loop.create_future()

    def give(addresses: list[str]) -> None:
        if not resolved.done():
            resolved.set_result(addresses)

    def resolve() -> None:
        addresses: list[str] = []
        with contextlib.suppress(OSError, UnicodeError):
            addresses = [str(answer[4][0]) for answer in socket.getaddrinfo(host, None)]
        with contextlib.suppress(RuntimeError):  # the loop has gone meanwhile
            loop.call_soon_threadsafe(give, addresses)

    threading.Thread(target=resolve, name="resolve", daemon=True).start()
    try:
        addresses = await asyncio.wait_for(resolved, timeout_s)
    except TimeoutError:
        return None
    return all(_private(address) for address in addresses) if addresses else None


def _private(host: str) -> bool | None:
    """Tell whether an address is private, loopback included; null for what is no address."""
    try:
        return ip_address(host.partition("%")[0]).is_private
    except ValueError:
        return None

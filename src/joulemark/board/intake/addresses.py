"""Who a request comes from, as far as its limits are concerned."""

from __future__ import annotations

import ipaddress
from collections.abc import MutableMapping
from typing import Any

UNKNOWN = "unknown"


def address_of(scope: MutableMapping[str, Any], *, behind_proxy: bool) -> str:
    """Return the address of a client: of IPv6 its network of 64 bits, which one household has.

    ``behind_proxy``: the last of ``X-Forwarded-For``, which is what our own proxy added; what stands before
    it anybody may have written.
    """
    client = scope.get("client")
    text = client[0] if client else UNKNOWN
    if behind_proxy:
        told = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
        if told:
            text = told[-1].decode("latin-1").rpartition(",")[2].strip()
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return text if not behind_proxy else UNKNOWN
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)

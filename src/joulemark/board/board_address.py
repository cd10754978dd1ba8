"""Where the board itself is reached, as answers and pages name it."""

from __future__ import annotations

import re

from fastapi import Request

_HOST = re.compile(r"[A-Za-z0-9.-]{1,250}(?::\d{1,5})?|\[[0-9A-Fa-f:]{2,45}\](?::\d{1,5})?")


def board_address(request: Request) -> str:
    """Return the address of the board without a slash at its end; empty for a request to no host."""
    public = request.app.state.settings.public_url
    if public:
        return str(public).rstrip("/")
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}" if _HOST.fullmatch(host) else ""

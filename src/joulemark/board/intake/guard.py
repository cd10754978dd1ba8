"""What stands before every route: how often one may ask, how large a body may be and how long it may take.

A body is read whole before anything looks at it, so that a slow client holds a connection and no worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from fastapi import Request, Response

from joulemark.board.intake.addresses import address_of
from joulemark.board.intake.held import Full, Held
from joulemark.board.intake.rate import Rate
from joulemark.board.refusal import Refused
from joulemark.board.settings import BoardSettings
from joulemark.bundles.submission.members import MAX_PACKED

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Answer = Callable[[Request, Refused], Awaitable[Response]]

ADDRESS = "joulemark.address"
"""Where a request's scope holds the address of its client."""
KIB, MIB = 2**10, 2**20
_ANY = 256 * KIB
_FORM = 64 * KIB  # what a form adds to its file
BODIES: Mapping[str, int] = {
    "/api/v1/submissions": MAX_PACKED,
    "/submit": MAX_PACKED + _FORM,
    "/api/v1/code/jobs": 32 * MIB,
    "/code": 32 * MIB + _FORM,
}
"""The most bytes of a body by path; of any other path 256 KiB, of what belongs to a challenge 4 MiB."""
_OPENINGS, _OF_OPENINGS = "/openings", 4 * MIB
_DRAINED = 4  # times the limit: what is read and dropped so that a client gets to see its refusal


class Guard:
    """Stands before ``app``. ``answer`` makes the response of a refusal."""

    def __init__(self, app: App, settings: BoardSettings, answer: Answer) -> None:
        self._app, self._settings, self._answer = app, settings, answer
        self._rate = Rate(settings.requests_per_minute, 60.0)
        self._held = Held()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope[ADDRESS] = address_of(scope, behind_proxy=self._settings.behind_proxy)
        if not scope["path"].startswith("/static/") and (wait_s := self._rate.wait_s(scope[ADDRESS])):
            await self._refuse(scope, receive, send, too_often(wait_s))
            return
        headers = {
            name: value
            for name, value in scope["headers"]
            if name in (b"content-length", b"transfer-encoding")
        }
        if not headers or headers == {b"content-length": b"0"}:
            await self._app(scope, receive, send)
            return
        with self._held.for_one(scope[ADDRESS]) as hold:
            await self._with_body(scope, receive, send, headers.get(b"content-length", b""), hold)

    async def _with_body(
        self, scope: Scope, receive: Receive, send: Send, stated: bytes, hold: Callable[[int], None]
    ) -> None:
        most = limit_of(scope["path"])
        try:
            async with asyncio.timeout(self._settings.body_deadline_s):
                body = await _read(receive, most, stated, hold)
        except Full:
            full = Refused(
                429, "too much is being sent at once", fix="send it again", headers={"Retry-After": "30"}
            )
            await self._refuse(scope, receive, send, full)
            return
        except TimeoutError:
            late = Refused(
                408, "the body took too long", f"it was not whole after {self._settings.body_deadline_s:g} s"
            )
            await self._refuse(scope, receive, send, late)
            return
        if body is None:  # the client is gone
            return
        if len(body) > most:
            large = Refused(413, "the body is too large", f"{most:,} bytes is the most that is taken here")
            await self._refuse(scope, receive, send, large)
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, error: Refused) -> None:
        response = await self._answer(Request(scope), error)
        response.headers["Connection"] = "close"  # what is left of the body is not read
        await response(scope, receive, send)


def too_often(wait_s: float) -> Refused:
    """Return the refusal of what is asked too often."""
    seconds = max(1, round(wait_s))
    return Refused(
        429, "too many requests", f"try again in {seconds} s", headers={"Retry-After": str(seconds)}
    )


def limit_of(path: str) -> int:
    """Return the most bytes of a body of a path."""
    return BODIES.get(path.rstrip("/"), _OF_OPENINGS if path.endswith(_OPENINGS) else _ANY)


async def _read(receive: Receive, most: int, stated: bytes, hold: Callable[[int], None]) -> bytes | None:
    """Return a body; of one that is too large more than ``most`` bytes; null where its client went away.

    ``hold`` is told of every byte that is kept, and raises `Full`.
    """
    parts: list[bytes] = []
    size, dropped = 0, stated.isdigit() and int(stated) > _DRAINED * most
    while not dropped:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        size += len(part)
        if size <= most:
            hold(len(part))
            parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts) if size <= most else b"\0" * (most + 1)
        dropped = size > _DRAINED * most
    return b"\0" * (most + 1)


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay

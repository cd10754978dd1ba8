"""Bodies that are sent at once do not fill the memory: of one address, and of all together."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastapi import Request, Response

from joulemark.board.intake.guard import Guard
from joulemark.board.intake.held import MIB, Full, Held
from joulemark.board.refusal import Refused
from joulemark.board.settings import BoardSettings


def test_what_is_held_is_counted_and_given_back() -> None:
    held = Held(of_one=10, of_all=15)
    with held.for_one("a") as a, held.for_one("a") as again, held.for_one("b") as b:
        a(6)
        with pytest.raises(Full):
            again(5)
        b(9)
        with pytest.raises(Full):
            b(1)
    with held.for_one("a") as a, held.for_one("b") as b:
        a(10)
        b(5)


def test_many_large_bodies_of_one_address_are_not_all_kept() -> None:
    n, answers, started = 12, [], []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        started.append(scope["path"])
        await asyncio.sleep(0.2)
        await Response("taken")(scope, receive, send)

    async def refused(_: Request, error: Refused) -> Response:
        return Response(error.what, error.status)

    guard = Guard(app, BoardSettings("unused"), refused)

    async def one() -> None:
        left = 20

        async def receive() -> Any:
            nonlocal left
            left -= 1
            return {"type": "http.request", "body": b"x" * MIB, "more_body": left > 0}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answers.append(message["status"])

        headers = [(b"content-length", b"%d" % (20 * MIB))]
        scope = {"type": "http", "method": "POST", "path": "/api/v1/code/jobs", "headers": headers}
        await guard({**scope, "client": ("192.0.2.7", 1), "query_string": b""}, receive, send)

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(n)))
        await one()

    asyncio.run(all_of_them())
    assert answers.count(200) == len(started) == 7, "six at once, and one when these are gone"
    assert answers.count(429) == n - 6

"""HTTP as it comes: cut anywhere, several requests on a line, and what is no HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.simulation_client import body_of, post, raw, run, simulation
from joulemark.engines.streams import parse
from joulemark.simulate.http import Service


def test_a_request_may_come_byte_by_byte() -> None:
    async def work(service: Service) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        for byte in post(service, stream=True):
            writer.write(bytes((byte,)))
            await writer.drain()
        answer = await reader.read(-1)
        writer.close()
        return answer

    answer = run(simulation(), work)
    reply = parse([(0, body_of(answer))], content_type="text/event-stream", status=200, t_end=1)
    assert reply.ok
    assert reply.text


def test_requests_on_one_connection_are_answered_in_their_order() -> None:
    async def work(service: Service) -> bytes:
        page = b"GET /simulation HTTP/1.1\r\nHost: x\r\n\r\n"
        kept = post(service, stream=False).replace(b"Connection: close\r\n", b"")
        return await raw(service, page + kept + post(service, stream=True) + page)

    answer = run(simulation(), work)
    # the third asked to close, so the fourth is not answered
    assert answer.count(b"HTTP/1.1 200 OK") == 3
    order = [answer.index(mark) for mark in (b'"truth"', b'"chat.completion"', b'"chat.completion.chunk"')]
    assert order == sorted(order)


def test_a_client_that_waits_to_be_told_is_told() -> None:
    async def work(service: Service) -> bytes:
        data = post(service, stream=False).replace(b"Host: x", b"Host: x\r\nExpect: 100-continue")
        return await raw(service, data)

    answer = run(simulation(), work)
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 70_000 + b"\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_what_is_no_http_ends_the_connection_and_nothing_else(data: bytes) -> None:
    async def work(service: Service) -> Any:
        first = await raw(service, data)
        return first, await raw(service, post(service, stream=False))

    first, after = run(simulation(), work)
    assert first == b""
    assert after.startswith(b"HTTP/1.1 200 OK")


@given(bodies=st.lists(st.binary(max_size=200), min_size=5, max_size=10))
@settings(deadline=None, max_examples=25)
def test_any_body_is_answered_with_a_refusal(bodies: list[bytes]) -> None:
    async def work(service: Service) -> list[bytes]:
        answers = []
        for body in bodies:
            head = f"POST /v1/chat/completions HTTP/1.1\r\nConnection: close\r\nContent-Length: {len(body)}"
            answers.append(await raw(service, f"{head}\r\n\r\n".encode() + body))
        return answers

    for answer in run(simulation(), work):
        assert answer.startswith(b"HTTP/1.1 400 ")


@given(
    fields=st.dictionaries(
        st.sampled_from(
            ["messages", "model", "max_tokens", "stream", "stream_options", "n", "min_tokens", "cache_salt"]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers(-5, 2**70) | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
            ),
            max_leaves=5,
        ),
        max_size=5,
    )
)
@settings(deadline=None, max_examples=60)
def test_any_fields_are_answered_or_refused(fields: dict[str, Any]) -> None:
    async def work(service: Service) -> bytes:
        try:
            data = post(service, **fields)
        except TypeError:  # a whole number that JSON's writer does not take
            return b""
        return await raw(service, data)

    answer = run(simulation(mean_tokens=2, speed=1000.0), work)
    assert answer == b"" or answer.split()[1] in (b"200", b"400", b"404")


def test_a_client_that_reads_nothing_does_not_fill_the_memory() -> None:
    async def work(service: Service) -> int:
        _, writer = await asyncio.open_connection("127.0.0.1", service.port, limit=1)
        asked = post(service, stream=True, max_tokens=50_000, ignore_eos=True)
        writer.write(asked)
        await writer.drain()
        await asyncio.sleep(0.2)
        running = service.live.server.running
        writer.close()
        await asyncio.sleep(0.1)
        return running - service.live.server.running

    assert run(simulation(), work) == 1

"""What an exchange holds when all goes well: bytes, stamps, reuse of connections."""

import asyncio
import gc
import json
import time
from pathlib import Path

import pytest

from doubles.measuring_loop import run
from doubles.replay_server import ReplayServer, Reply, each_byte, sse_event
from joulemark.engines.client import StreamClient, new_event_loop, quiet_gc
from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.record.errors import InputError

DONE = b"data: [DONE]\n\n"


def endpoint(server: ReplayServer, **options) -> Endpoint:
    return Endpoint("http", "127.0.0.1", server.port, **options)


def exchange_once(server: ReplayServer, body: bytes = b"{}", *, client_options=None, **options) -> Exchange:
    async def main() -> Exchange:
        async with StreamClient(endpoint(server), **(client_options or {})) as client:
            return await client.exchange(body, **options)

    return run(main())


def test_each_read_is_stamped_when_the_server_sent_it():
    texts = [f"token {i}" for i in range(6)]
    with ReplayServer(Reply.sse(texts, gap_s=0.1)) as server:
        exchange = exchange_once(server)
    assert exchange.error is None
    assert exchange.status == 200
    assert exchange.headers["content-type"] == "text/event-stream"
    assert exchange.body == b"".join(map(sse_event, texts)) + DONE
    t_received = [t for t, data in exchange.reads if b"token" in data]
    lags_ms = [(t - s) / 1e6 for t, s in zip(t_received, server.sent_ns[0], strict=False)]
    assert len(t_received) == len(texts), "100 ms apart, no two events share a read"
    assert min(lags_ms) >= 0, "nothing is received before it was sent"
    assert sorted(lags_ms)[len(lags_ms) // 2] < 20
    assert exchange.t_sent <= server.requests[0].t_ns <= exchange.reads[0][0]
    assert exchange.t_end == exchange.reads[-1][0]


@pytest.mark.parametrize("framing", ["chunked", "length", "close"])
@pytest.mark.parametrize("end", ["complete", "close"])
def test_every_framing_gives_the_same_body(framing, end):
    body = sse_event("a") + sse_event("b")  # no [DONE]: the message's own end must be seen
    with ReplayServer(Reply(((0, body[:20]), (0.01, body[20:])), framing=framing, end=end)) as server:
        exchange = exchange_once(server)
    assert (exchange.error, exchange.status, exchange.body) == (None, 200, body)


def test_a_body_byte_by_byte_arrives_whole():
    body = sse_event("häppchenweise") + DONE
    with ReplayServer(Reply(each_byte(body, 0.0005), head_byte_delay_s=0.0005)) as server:
        exchange = exchange_once(server)
    assert exchange.error is None
    assert exchange.body.rstrip() == body.rstrip(), "the blank line after [DONE] need not be waited for"
    assert len(exchange.reads) > len(body) / 10, "a busy machine hands over several bytes at once"
    assert exchange.t_end == exchange.reads[-1][0]


def test_a_line_of_200_kib_arrives_whole():
    text = "x" * 200 * 1024
    with ReplayServer(Reply.sse(["short", text, "short"])) as server:
        exchange = exchange_once(server)
    assert exchange.error is None
    assert exchange.body == sse_event("short") + sse_event(text) + sse_event("short") + DONE


def test_done_ends_the_exchange_though_the_socket_stays_open():
    async def main(server: ReplayServer) -> tuple[list[Exchange], float]:
        async with StreamClient(endpoint(server), stall_timeout_s=20) as client:
            begin = time.monotonic()
            exchanges = [await client.exchange(b"{}"), await client.exchange(b"{}")]
            return exchanges, time.monotonic() - begin

    with ReplayServer(Reply.sse(["a"], end="hold")) as server:
        exchanges, elapsed_s = run(main(server))
        assert server.connections == 2, "a connection whose message has no end cannot carry another"
    assert elapsed_s < 5
    for exchange in exchanges:
        assert exchange.error is None
        assert exchange.body == sse_event("a") + DONE
        assert exchange.t_end == exchange.reads[-1][0]


def test_a_connection_is_reused_though_the_message_ends_in_a_later_read():
    # [DONE] and the last chunk of the coding in two packets, as ASGI servers send them.
    reply = Reply.sse(["a"], done=False, end="complete")
    late_end = Reply(((0, sse_event("a")), (0, DONE), (0.03, b"")), framing="chunked")

    async def main(server: ReplayServer) -> None:
        async with StreamClient(endpoint(server)) as client:
            for _ in range(4):
                assert (await client.exchange(b"{}")).error is None
                await asyncio.sleep(0.1)

    with ReplayServer(reply, late_end) as server:
        run(main(server))
        assert server.connections == 1
        assert [request.connection for request in server.requests] == [0, 0, 0, 0]


def test_what_follows_done_in_later_reads_is_not_part_of_the_answer():
    reply = Reply(((0, sse_event("a")), (0, DONE), (0.05, sse_event("late"))), framing="chunked")

    async def main(server: ReplayServer) -> tuple[Exchange, Exchange]:
        async with StreamClient(endpoint(server)) as client:
            first = await client.exchange(b"{}")
            await asyncio.sleep(0.15)
            return first, await client.exchange(b"{}")

    with ReplayServer(reply) as server:
        for exchange in run(main(server)):
            assert exchange.body == sse_event("a") + DONE


def test_the_request_arrives_as_it_was_given():
    body = json.dumps({"prompt": "ü" * 300_000}).encode()
    with ReplayServer(Reply.json({"ok": True})) as server:

        async def main() -> Exchange:
            target = endpoint(server, path="/api/chat", headers={"Authorization": "Bearer k", "X-A": "1"})
            async with StreamClient(target) as client:
                await client.exchange(body, headers={"x-a": "2"})
                return await client.exchange(b"", path="/v1/models?x=1", method="GET")

        assert run(main()).body == b'{"ok": true}'
    first, second = server.requests
    assert (first.method, first.path, first.body) == ("POST", "/api/chat", body)
    assert first.headers["authorization"] == "Bearer k"
    assert first.headers["x-a"] == "2"
    assert first.headers["accept-encoding"] == "identity"
    assert first.headers["host"] == f"127.0.0.1:{server.port}"
    assert (second.method, second.path, second.body) == ("GET", "/v1/models?x=1", b"")


def test_an_interim_answer_and_an_unasked_continue_are_passed_over():
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    with ReplayServer(Reply.raw(interim, final, end="hold")) as server:
        exchange = exchange_once(server)
    assert (exchange.status, exchange.body, exchange.error) == (200, b"ok", None)
    assert exchange.headers == {"content-length": "2"}


@pytest.mark.parametrize("status", [301, 307, 400, 401, 404, 429, 500, 503])
def test_a_status_is_reported_and_not_acted_upon(status):
    headers = {"Location": "/elsewhere", "Retry-After": "7"}
    with ReplayServer(Reply.json({"error": {"message": "no"}}, status=status, headers=headers)) as server:
        exchange = exchange_once(server)
        assert len(server.requests) == 1
    assert (exchange.status, exchange.error) == (status, None)
    assert exchange.headers["retry-after"] == "7"
    assert json.loads(exchange.body) == {"error": {"message": "no"}}


def test_an_answer_without_a_body_ends_with_its_head():
    with ReplayServer(Reply.raw(b"HTTP/1.1 204 No Content\r\n\r\n", end="hold")) as server:
        exchange = exchange_once(server)
    assert (exchange.status, exchange.body, exchange.error) == (204, b"", None)


def test_64_streams_at_once_keep_apart():
    replies = [Reply.sse([f"{i}-{k}" for k in range(20)], gap_s=0.01) for i in range(64)]

    async def main(server: ReplayServer) -> list[Exchange]:
        async with StreamClient(endpoint(server)) as client:
            return await asyncio.gather(*(client.exchange(b"%d" % i) for i in range(64)))

    with ReplayServer(*replies) as server:
        exchanges = run(main(server))
    assert all(exchange.error is None for exchange in exchanges)
    order = [int(request.body) for request in server.requests]
    assert sorted(order) == list(range(64))
    for reply_index, client_index in enumerate(order):
        expected = b"".join(sse_event(f"{reply_index}-{k}") for k in range(20)) + DONE
        assert exchanges[client_index].body == expected


@pytest.mark.parametrize("loop_factory", [new_event_loop, asyncio.new_event_loop])
def test_no_garbage_is_left_for_a_collector_that_is_off(loop_factory):
    async def main(server: ReplayServer) -> int:
        async with StreamClient(endpoint(server)) as client:
            await client.exchange(b"{}")
            with quiet_gc():
                assert not gc.isenabled()
                for _ in range(50):
                    assert (await client.exchange(b"{}")).error is None
                    await asyncio.sleep(0.001)
                return gc.collect()

    with ReplayServer(Reply.sse(["a", "b"])) as server, asyncio.Runner(loop_factory=loop_factory) as runner:
        # The server's thread leaves garbage of its own; 50 exchanges that left a cycle would leave thousands.
        assert runner.run(main(server)) < 500
    assert gc.isenabled()


def test_every_stream_of_the_corpus_passes_through(sse_corpus: list[Path]):
    async def main(server: ReplayServer) -> list[Exchange]:
        async with StreamClient(endpoint(server)) as client:
            return [await client.exchange(b"{}") for _ in sse_corpus]

    bodies = [path.read_bytes() for path in sse_corpus]
    replies = [Reply(((0, body[:77]), (0, body[77:])), framing="chunked") for body in bodies]
    with ReplayServer(*replies) as server:
        for path, body, exchange in zip(sse_corpus, bodies, run(main(server)), strict=True):
            assert exchange.error is None, path.name
            # Where [DONE] came in the first read, the rest is no part of the answer.
            assert body.startswith(exchange.body), path.name
            assert exchange.body == body or b"[DONE]" in exchange.body, path.name


@pytest.mark.parametrize(
    ("target", "word"),
    [
        (Endpoint("ftp", "127.0.0.1", 1), "ftp"),
        (Endpoint("http", "127.0.0.1", 1, headers={"Authorization": "Bearer a\nb"}), "authorization"),
        (Endpoint("http", "127.0.0.1", 1, headers={"Authorization": "Bearer ä"}), "authorization"),
        (Endpoint("http", "127.0.0.1", 1, path="/a b"), "/a b"),
    ],
)
def test_an_endpoint_that_cannot_be_spoken_to_is_an_input_error(target, word):
    with pytest.raises(InputError, match=word) as caught:
        StreamClient(target)
    assert "Bearer" not in str(caught.value), "a key is never printed"


def test_headers_that_would_split_the_request_are_not_sent():
    with ReplayServer() as server:
        exchange = exchange_once(server, headers={"X": "a\r\nGET /other HTTP/1.1"})
        assert exchange.error == "bad_http"
        assert server.connections == 0

"""Every way to fail gives an exchange with a code and what was received; only cancellation is raised."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doubles.measuring_loop import run
from doubles.replay_server import ReplayServer, Reply, refusing_port, sse_event
from joulemark.engines.client import StreamClient
from joulemark.engines.exchange import Endpoint, Exchange

BODY = sse_event("a") + sse_event("b")
PIECES = ((0.0, sse_event("a")), (0.03, sse_event("b")))


def exchange_with(reply: Reply, **options) -> Exchange:
    async def main(port: int) -> Exchange:
        async with StreamClient(Endpoint("http", "127.0.0.1", port), **options) as client:
            return await client.exchange(b"{}")

    with ReplayServer(reply) as server:
        exchange = run(main(server.port))
        assert len(server.requests) == 1, "a request that was written is never repeated here"
    assert exchange.t_sent <= exchange.t_end
    if exchange.error is not None:
        assert exchange.detail
    return exchange


@pytest.mark.parametrize("framing", ["chunked", "length"])
def test_a_cut_stream_keeps_what_came(framing):
    if framing == "chunked":
        reply = Reply(PIECES, end="cut")
    else:
        reply = Reply(PIECES, framing="close", headers={"Content-Length": "9999"}, end="cut")
    exchange = exchange_with(reply)
    assert (exchange.error, exchange.status, exchange.body) == ("cut", 200, BODY)
    assert str(len(BODY)) in exchange.detail


def test_a_connection_closed_before_any_byte_is_a_cut():
    exchange = exchange_with(Reply.raw(end="cut"))
    assert (exchange.error, exchange.status, exchange.reads) == ("cut", None, ())


def test_a_cut_in_the_head_is_a_cut():
    exchange = exchange_with(Reply.raw(b"HTTP/1.1 200 OK\r\nContent-Ty", end="cut"))
    assert (exchange.error, exchange.status) == ("cut", None)


def test_a_reset_keeps_what_came():
    reply = Reply((*PIECES, (0.05, b"")), end="reset")  # time for the client to read before the reset
    exchange = exchange_with(reply)
    assert (exchange.error, exchange.body) == ("reset", BODY)


def test_a_close_delimited_stream_that_ends_is_whole():
    assert exchange_with(Reply(PIECES, framing="close", end="cut")).error is None


@pytest.mark.parametrize(
    ("reply", "body"),
    [
        (Reply(PIECES, end="hold"), BODY),
        (Reply((), end="hold"), b""),
        (Reply.raw(end="hold"), b""),
        (Reply.raw(b"HTTP/1.1 200 OK\r\n", end="hold"), b""),
        (Reply(((0, sse_event("a")), (9, sse_event("b")))), sse_event("a")),
        (Reply(head_delay_s=9), b""),
    ],
)
def test_a_stall_ends_after_the_stall_timeout(reply, body):
    begin = time.monotonic()
    exchange = exchange_with(reply, stall_timeout_s=0.3)
    assert (exchange.error, exchange.body) == ("stall", body)
    last_ns = exchange.reads[-1][0] if exchange.reads else exchange.t_sent
    assert 0.3 <= (exchange.t_end - last_ns) / 1e9 < 3
    assert time.monotonic() - begin < 5


def test_slow_is_not_stalled():
    exchange = exchange_with(Reply.sse("abcdef", gap_s=0.15), stall_timeout_s=0.6)
    assert exchange.error is None
    assert (exchange.t_end - exchange.t_sent) / 1e9 > 0.8, "longer than one stall timeout in all"


def test_an_endless_stream_ends_at_the_total_timeout():
    exchange = exchange_with(Reply.sse("x" * 500, gap_s=0.02), total_timeout_s=0.4, stall_timeout_s=5)
    assert exchange.error == "timeout"
    assert exchange.body.startswith(sse_event("x") * 3)
    assert 0.4 <= (exchange.t_end - exchange.t_sent) / 1e9 < 3


def test_an_endless_head_ends_at_the_limit():
    reply = Reply.raw(
        b"HTTP/1.1 200 OK\r\n", *(b"X-%d: %s\r\n" % (i, b"y" * 1000) for i in range(500)), end="hold"
    )
    exchange = exchange_with(reply, max_body_bytes=100_000, stall_timeout_s=5)
    assert exchange.error in ("too_large", "bad_http")


def test_an_answer_over_the_limit_is_too_large_and_kept_so_far():
    reply = Reply.sse(["x" * 1000] * 1000, done=False)
    exchange = exchange_with(reply, max_body_bytes=50_000)
    assert exchange.error == "too_large"
    assert 40_000 < len(exchange.body) < 1_000_000
    assert reply.pieces[0][1] in exchange.body


def test_nobody_listening_is_refused():
    async def main(port: int) -> Exchange:
        async with StreamClient(Endpoint("http", "127.0.0.1", port)) as client:
            return await client.exchange(b"{}")

    with refusing_port() as port:
        exchange = run(main(port))
    assert (exchange.error, exchange.status) == ("refused", None)
    assert str(port) in exchange.detail
    assert exchange.t_sent <= exchange.t_end


def test_nobody_listening_on_any_address_of_a_name_is_refused():
    async def main(port: int) -> Exchange:
        async with StreamClient(Endpoint("http", "localhost", port)) as client:
            return await client.exchange(b"{}")

    with refusing_port() as port:
        assert run(main(port)).error == "refused"


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 300, "a..b", ""])
def test_a_name_that_does_not_resolve(host):
    async def main() -> Exchange:
        async with StreamClient(Endpoint("http", host, 9), connect_timeout_s=5) as client:
            return await client.exchange(b"{}")

    assert run(main()).error in ("dns", "timeout")


def test_a_port_out_of_range_is_no_exception():
    async def main() -> Exchange:
        async with StreamClient(Endpoint("http", "127.0.0.1", 99999)) as client:
            return await client.exchange(b"{}")

    assert run(main()).error in ("refused", "dns")


def test_a_full_backlog_is_a_timeout():
    async def main(port: int) -> Exchange:
        async with StreamClient(Endpoint("http", "127.0.0.1", port), connect_timeout_s=0.3) as client:
            return await client.exchange(b"{}")

    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        port = listener.getsockname()[1]
        waiting = []
        try:
            for _ in range(4):  # until the kernel drops what comes
                sock = socket.socket()
                sock.setblocking(False)
                sock.connect_ex(("127.0.0.1", port))
                waiting.append(sock)
            exchange = run(main(port))
        finally:
            for sock in waiting:
                sock.close()
    assert exchange.error == "timeout"


@pytest.mark.parametrize("reset", [False, True])
def test_a_reused_connection_that_died_idle_is_replaced_unseen(reset):
    async def main(server: ReplayServer) -> list[Exchange]:
        async with StreamClient(Endpoint("http", "127.0.0.1", server.port)) as client:
            first = await client.exchange(b"1")
            await asyncio.sleep(0.05)
            # The loop is blocked meanwhile: only the kernel knows of the closing when the next request comes.
            server.drop_connections(reset=reset)
            return [first, await client.exchange(b"2")]

    with ReplayServer(Reply.sse(["a"])) as server:
        exchanges = run(main(server))
        assert [exchange.error for exchange in exchanges] == [None, None]
        assert [request.body for request in server.requests] == [b"1", b"2"]
        assert server.connections == 2


def test_unasked_bytes_on_an_idle_connection_are_never_the_next_answer():
    smuggled = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad"
    honest = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    async def main(port: int) -> list[Exchange]:
        async with StreamClient(Endpoint("http", "127.0.0.1", port), stall_timeout_s=2) as client:
            exchanges = []
            for _ in range(3):
                exchanges.append(await client.exchange(b"{}"))
                await asyncio.sleep(0.05)
            return exchanges

    together, apart = Reply.raw(honest + smuggled, end="hold"), Reply.raw(honest, smuggled, end="hold")
    with ReplayServer(together, apart, together) as server:
        assert [exchange.body for exchange in run(main(server.port))] == [b"ok"] * 3


def test_a_compressed_answer_is_told_from_garbage():
    reply = Reply(((0, b"\x1f\x8b\x08rest"),), headers={"Content-Encoding": "gzip"}, framing="length")
    exchange = exchange_with(reply)
    assert exchange.error == "bad_http"
    assert "gzip" in exchange.detail


@pytest.mark.parametrize(
    "garbage",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"<html>" * 50,
    ],
)
def test_what_is_not_http_is_bad_http(garbage):
    exchange = exchange_with(Reply.raw(garbage, end="hold"), stall_timeout_s=5)
    assert exchange.error == "bad_http"


def test_garbage_after_good_bytes_keeps_them():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
    for pieces in ((head + b"xyz\r\n",), (head, b"xyz\r\n")):
        exchange = exchange_with(Reply.raw(*pieces, end="hold"), stall_timeout_s=5)
        assert (exchange.error, exchange.status, exchange.body) == ("bad_http", 200, b"abc")


def test_how_garbage_behind_the_last_word_is_cut_does_not_matter():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ne\r\ndata: [DONE]\n\n\r\n"
    for pieces in ((head + b"garbage",), (head, b"garbage")):
        exchange = exchange_with(Reply.raw(*pieces, end="hold"), stall_timeout_s=5)
        assert (exchange.error, exchange.body) == (None, b"data: [DONE]\n\n")


SEEDS = [
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\ndata: [DONE]\n\n",
]


@st.composite
def mutated(draw) -> list[bytes]:
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=4))
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=4)))
    return [bytes(data[a:b]) for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    pieces=st.one_of(mutated(), st.lists(st.binary(max_size=200), max_size=5)),
    end=st.sampled_from(["cut", "reset"]),
)
def test_no_bytes_of_a_server_raise(pieces, end):
    exchange = exchange_with(Reply.raw(*pieces, end=end), stall_timeout_s=5)
    assert exchange.error in (None, "cut", "reset", "bad_http")
    assert (exchange.status is None) <= (exchange.error is not None)


def test_cancelling_raises_and_leaves_no_connection():
    async def main(server: ReplayServer) -> None:
        async with StreamClient(Endpoint("http", "127.0.0.1", server.port)) as client:
            task = asyncio.create_task(client.exchange(b"{}"))
            await asyncio.sleep(0.1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await client.exchange(b"{}")).body == sse_event("b") + b"data: [DONE]\n\n"

    with ReplayServer(Reply.sse(["a"], gap_s=5), Reply.sse(["b"])) as server:
        run(main(server))
        assert server.connections == 2


def test_closing_the_client_ends_what_is_under_way():
    async def main(server: ReplayServer) -> Exchange:
        client = StreamClient(Endpoint("http", "127.0.0.1", server.port))
        task = asyncio.create_task(client.exchange(b"{}"))
        await asyncio.sleep(0.1)
        await client.aclose()
        return await asyncio.wait_for(task, 5)

    with ReplayServer(Reply.sse(["a", "b"], gap_s=0.07, end="hold")) as server:
        exchange = run(main(server))
    assert exchange.error in ("cut", "reset")
    assert exchange.body == sse_event("a")


HELD_UP = """
import asyncio, sys
from joulemark.engines.client import StreamClient, new_event_loop
from joulemark.engines.exchange import Endpoint
async def main():
    async with StreamClient(Endpoint("http", "127.0.0.1", int(sys.argv[1])), stall_timeout_s=0.5) as client:
        exchange = await client.exchange(b"{}")
        print(exchange.error, len(exchange.body))
print("ready", flush=True)
with asyncio.Runner(loop_factory=new_event_loop) as runner:
    runner.run(main())
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs POSIX signals")
def test_a_client_that_was_stopped_does_not_blame_the_server():
    with ReplayServer(Reply.sse("abcdef", gap_s=0.2)) as server:
        command = [sys.executable, "-c", HELD_UP, str(server.port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            while not server.requests:
                time.sleep(0.01)
            time.sleep(0.1)
            os.kill(child.pid, signal.SIGSTOP)
            time.sleep(0.9)
            os.kill(child.pid, signal.SIGCONT)
            output = child.stdout.read().split()
    assert output == ["None", str(len(sse_event("a")) * 6 + len(b"data: [DONE]\n\n"))]

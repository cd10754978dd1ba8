"""A server promises to keep a connection and closes it: no request is lost, hidden or counted twice."""

import asyncio
import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable

import pytest

from doubles.measuring_loop import run
from doubles.replay_server import ReplayServer, Reply, sse_event
from joulemark.engines.ask import RetryPolicy, ask
from joulemark.engines.client import StreamClient, new_event_loop, stream_client
from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.record.item import CLOSED

CUT, RESET = Reply.raw(end="cut"), Reply.raw(end="reset")
PAUSE_S = 0.1  # for the end of a message, which comes after its last word
GOOD, AGAIN = Reply.sse(["a"]), Reply.sse(["b"])


def late(seconds: float, data: bytes = b"") -> Reply:
    """Take the request, and close after ``seconds`` with nothing but ``data`` said."""
    return Reply(((seconds, data),), framing="raw", end="cut")


def two_exchanges(server: ReplayServer) -> list[Exchange]:
    async def main() -> list[Exchange]:
        async with StreamClient(Endpoint("http", "127.0.0.1", server.port)) as client:
            first = await client.exchange(b"1")
            await asyncio.sleep(PAUSE_S)
            return [first, await client.exchange(b"2")]

    return run(main())


@pytest.mark.parametrize("closing", [CUT, RESET, late(0.1)])
def test_a_request_that_met_the_closing_of_a_kept_connection_goes_out_once_more(closing):
    with ReplayServer(GOOD, closing, AGAIN) as server:
        first, second = two_exchanges(server)
        assert [request.body for request in server.requests] == [b"1", b"2", b"2"]
        assert [request.connection for request in server.requests] == [0, 0, 1]
        met, answered = server.requests[1:]
        assert (first.error, second.error) == (None, None)
        assert sse_event("b") in second.body
        assert met.t_ns < second.t_sent <= answered.t_ns, "the clock is that of the request that was answered"
        assert second.unheard is not None
        assert second.unheard[0] <= met.t_ns <= second.unheard[1] <= second.t_sent
        assert second.t_begin == second.unheard[0]
        assert (first.unheard, first.t_begin) == (None, first.t_sent)


def test_it_is_on_record_and_no_retry():
    async def main(port: int) -> list[list[str | None]]:
        async with StreamClient(Endpoint("http", "127.0.0.1", port)) as client:
            first = await ask(client, b"{}", RetryPolicy(retries=3))
            await asyncio.sleep(PAUSE_S)
            second = await ask(client, b"{}", RetryPolicy(retries=1, backoff_s=0.01))
        return [[attempt.error for attempt in asked.attempts] for asked in (first, second)]

    with ReplayServer(GOOD, CUT, AGAIN) as server:
        assert run(main(server.port)) == [[None], [CLOSED, None]]
        assert len(server.requests) == 3
    with ReplayServer(GOOD, CUT, CUT, AGAIN) as server:  # it takes nothing from the tries that there are
        assert run(main(server.port)) == [[None], [CLOSED, "cut", None]]
        assert len(server.requests) == 4


@pytest.mark.parametrize("closing", [late(0.0, b"H"), late(0.0, b"HTTP/1.1 200 OK\r\n\r\n"), late(0.8)])
def test_an_engine_that_said_a_byte_or_took_its_time_may_have_worked(closing):
    with ReplayServer(GOOD, closing, AGAIN) as server:
        second = two_exchanges(server)[1]
        assert second.error == ("cut" if second.status is None else None)
        assert [request.body for request in server.requests] == [b"1", b"2"]


def test_a_second_death_is_told():
    with ReplayServer(GOOD, CUT, CUT, AGAIN) as server:
        second = two_exchanges(server)[1]
        assert second.error == "cut"
        assert second.unheard is not None
        assert [request.body for request in server.requests] == [b"1", b"2", b"2"]
        assert server.requests[1].t_ns < second.t_sent


def test_a_server_that_is_gone_with_the_request_failed_it():
    with ClosingServer("gone") as server:
        second = run(ask_in_turn(server.port, 2))[1]
    assert second.error in ("cut", "reset"), "not refused: it was taken"


def test_closing_the_client_sends_nothing_again():
    async def main(server: ReplayServer) -> Exchange:
        client = StreamClient(Endpoint("http", "127.0.0.1", server.port))
        await client.exchange(b"1")
        await asyncio.sleep(PAUSE_S)
        task = asyncio.create_task(client.exchange(b"2"))
        await asyncio.sleep(0.1)
        await client.aclose()
        return await asyncio.wait_for(task, 5)

    with ReplayServer(GOOD, Reply.raw(end="hold"), AGAIN) as server:
        assert run(main(server)).error in ("cut", "reset")
        assert server.connections == 1


class ClosingServer:
    """Promises to keep each connection and closes it after one answer.

    ``how``: ``at once``; ``later`` (0 to 2 ms); ``reset`` (as later, with a TCP reset); ``writing`` (in the
    middle of the next request, which it does not read to its end); ``gone`` (so, and its port is closed
    before). ``answered`` are the bodies of the requests that were read whole, each is echoed; ``met`` counts
    the connections on which the next request was begun.
    """

    def __init__(self, how: str) -> None:
        self._how = how
        self.answered: list[bytes] = []
        self.met = 0
        self.connections = 0

    def __enter__(self) -> "ClosingServer":
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                with connection, contextlib.suppress(OSError):
                    self._serve(connection)

    def _serve(self, connection: socket.socket) -> None:
        with connection.makefile("rb") as stream:
            length = 0
            while line := stream.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            body = stream.read(length)
        self.answered.append(body)
        said = body[:20]
        head = b"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=100\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(said), said))
        if self._how in ("later", "reset"):
            time.sleep(0.0001 * (self.connections % 20))
        if self._how == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if self._how in ("writing", "gone"):
            if self._how == "gone":
                self._listener.close()
            self.met += bool(connection.recv(64))


async def ask_in_turn(port: int, n: int, pause_s: Callable[[int], float] = lambda _: 0.0) -> list[Exchange]:
    async with StreamClient(Endpoint("http", "127.0.0.1", port)) as client:
        exchanges = []
        for number in range(n):
            exchanges.append(await client.exchange((b"%d " % number).ljust(1 << 20, b"x")))
            await asyncio.sleep(pause_s(number))
        return exchanges


@pytest.mark.parametrize("loop_factory", [new_event_loop, asyncio.new_event_loop])
@pytest.mark.parametrize("how", ["at once", "later", "reset", "writing"])
def test_a_promise_that_is_broken_after_each_answer_costs_no_request(how, loop_factory):
    with ClosingServer(how) as server, asyncio.Runner(loop_factory=loop_factory) as runner:
        exchanges = runner.run(ask_in_turn(server.port, 40, lambda number: 0.0001 * (number % 15)))
        assert [exchange.error for exchange in exchanges] == [None] * 40
        assert [exchange.body.split()[0] for exchange in exchanges] == [b"%d" % i for i in range(40)]
        assert len(server.answered) == 40, "none was processed twice"
        assert server.met <= 1, "once seen, the promise is not believed again"


def test_a_server_that_closes_idle_connections_after_a_while_is_kept_to():
    async def main(server: ReplayServer) -> None:
        async with StreamClient(Endpoint("http", "127.0.0.1", server.port)) as client:
            await client.exchange(b"1")
            await asyncio.sleep(1.1)
            server.drop_connections()
            for _ in range(3):
                assert (await client.exchange(b"2")).error is None
                await asyncio.sleep(PAUSE_S)

    with ReplayServer(GOOD) as server:
        run(main(server))
        assert server.connections == 2


def test_a_server_that_goes_on_closing_long_idle_connections_on_requests_is_believed_no_more(monkeypatch):
    monkeypatch.setattr(stream_client, "PROMISE_NS", 50_000_000)  # so that 0.1 s are a long time

    async def main(server: ReplayServer) -> list[Exchange]:
        async with StreamClient(Endpoint("http", "127.0.0.1", server.port)) as client:
            exchanges = []
            for number in range(6):
                exchanges.append(await client.exchange(b"%d" % number))
                await asyncio.sleep(PAUSE_S)
            return exchanges

    with ReplayServer(GOOD, CUT, GOOD, CUT, GOOD, CUT, GOOD, CUT) as server:
        exchanges = run(main(server))
    assert [exchange.unheard is not None for exchange in exchanges] == [
        False,
        True,
        True,
        False,
        False,
        False,
    ]
    assert [exchange.error for exchange in exchanges] == [None, None, None, "cut", None, "cut"]


def test_connections_that_wait_are_given_up_with_the_rest():
    async def main(server: ReplayServer) -> list[Exchange]:
        async with StreamClient(Endpoint("http", "127.0.0.1", server.port)) as client:
            await asyncio.gather(*(client.exchange(b"1") for _ in range(4)))
            await asyncio.sleep(PAUSE_S)
            return [await client.exchange(b"2") for _ in range(4)]

    with ReplayServer(GOOD, GOOD, GOOD, GOOD, CUT, GOOD) as server:
        exchanges = run(main(server))
        assert [exchange.unheard is not None for exchange in exchanges] == [True, False, False, False]
        used = [request.connection for request in server.requests]
        assert len(set(used[5:])) == 4, "each on a fresh one"
        assert not set(used[5:]) & set(used[:5])

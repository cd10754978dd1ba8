from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest

from doubles.engine_server import EngineServer
from doubles.replay_server import ReplayServer, Reply
from joulemark.engines.ask import CONNECTION_ERRORS, Asked, RetryPolicy, ask, read_asked, retry_after_s
from joulemark.engines.client import StreamClient
from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.record.item import CLOSED

PATH = "POST /v1/chat/completions"
GOOD = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6},
}
QUICK = RetryPolicy(retries=3, backoff_s=0.01)

Start = Callable[[dict[str, Any]], EngineServer]


@pytest.fixture
def engine_server() -> Iterator[Start]:
    with ExitStack() as servers:
        yield lambda routes: servers.enter_context(EngineServer(routes))


def answers(*in_turn: tuple[int, object]) -> Callable[[dict[str, object]], tuple[int, object]]:
    left = list(in_turn)
    return lambda _body: left.pop(0) if len(left) > 1 else left[0]


def put(port: int, policy: RetryPolicy | None) -> Asked:
    async def run() -> Asked:
        async with StreamClient(Endpoint("http", "127.0.0.1", port)) as client:
            return await ask(client, b"{}", policy)

    return asyncio.run(run())


def test_every_attempt_stays_on_record(engine_server: Start) -> None:
    busy = {"error": {"message": "busy"}}
    server = engine_server({PATH: answers((503, busy), (429, busy), (200, GOOD))})
    asked = put(server.port, QUICK)
    assert asked.reply.text == "yes"
    first, second, last = asked.attempts
    assert [attempt.error for attempt in asked.attempts] == ["http_503", "http_429", None]
    assert asked.sentences == ("busy", "busy")
    assert last.tokens == 1
    assert first.t_sent <= first.t_end < second.t_sent <= second.t_end < last.t_sent <= last.t_end
    assert (last.t_sent, last.t_end) == (asked.exchange.t_sent, asked.exchange.t_end)


def test_tries_end_and_the_last_failure_is_returned(engine_server: Start) -> None:
    server = engine_server({PATH: answers((500, {"error": "broken"}))})
    asked = put(server.port, QUICK)
    assert len(asked.attempts) == 1 + QUICK.retries
    assert not asked.reply.ok


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_a_refusal_is_not_tried_again(status: int, engine_server: Start) -> None:
    server = engine_server({PATH: answers((status, {"error": "no"}), (200, GOOD))})
    asked = put(server.port, QUICK)
    assert len(asked.attempts) == 1
    assert not asked.reply.ok


def test_without_a_policy_there_is_one_attempt(engine_server: Start) -> None:
    server = engine_server({PATH: answers((503, {}), (200, GOOD))})
    assert len(put(server.port, None).attempts) == 1


def test_a_refused_connection_is_tried_again() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        asked = put(held.getsockname()[1], QUICK)
        port = held.getsockname()[1]
    assert [attempt.error for attempt in asked.attempts] == ["refused"] * 4
    assert len(asked.sentences) == 4
    assert all(str(port) in sentence for sentence in asked.sentences)


@pytest.mark.parametrize(
    ("answer", "code", "sentence"),
    [
        ((404, {"error": {"message": "no model at /home/mia/m.gguf"}}), "http_404", "/home/mia/m.gguf"),
        ((200, 'data: {"error":{"message":"slot 3 of mia failed"}}\n\n'), "answer", "slot 3 of mia failed"),
        ((200, {"error": {"message": "out of memory"}}), "answer", "out of memory"),
    ],
)
def test_what_a_server_says_is_a_sentence_and_never_the_code(
    answer: tuple[int, object], code: str, sentence: str, engine_server: Start
) -> None:
    asked = put(engine_server({PATH: answer}).port, None)
    assert [attempt.error for attempt in asked.attempts] == [code]
    assert len(asked.sentences) == 1
    assert sentence in asked.sentences[0]


def test_a_connection_that_breaks_after_the_whole_answer_is_no_failure() -> None:
    last = b'data: {"choices":[{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}\n\n'
    with ReplayServer(Reply(((0.0, last),), end="cut")) as server:
        asked = put(server.port, QUICK)
    assert asked.exchange.error == "cut"
    assert (asked.reply.text, asked.reply.ok) == ("yes", True)
    assert [attempt.error for attempt in asked.attempts] == [None]
    assert asked.sentences == ()


def test_a_sending_that_met_a_closing_is_an_attempt_of_its_own() -> None:
    body = b'{"choices": [{"index": 0, "message": {"content": "yes"}, "finish_reason": "stop"}]}'
    answered = Exchange(30, 40, 200, {"content-type": "application/json"}, ((40, body),), unheard=(10, 20))
    failed = Exchange(5, 9, None, error="cut", detail="it was cut")
    asked = read_asked([failed, answered])
    assert [(one.t_sent, one.t_end, one.error) for one in asked.attempts] == [
        (5, 9, "cut"),
        (10, 20, CLOSED),
        (30, 40, None),
    ]
    assert len(asked.sentences) == 2
    assert asked.exchange is answered


def test_a_failed_handshake_is_a_connection_error_but_not_worth_another_try() -> None:
    failed = Exchange(0, 1, None, error="tls")
    assert "tls" in CONNECTION_ERRORS
    assert QUICK.wait_s(1, failed) is None
    for code in CONNECTION_ERRORS - {"tls"}:
        assert QUICK.wait_s(1, Exchange(0, 1, None, error=code)) is not None


def test_the_wait_doubles_to_its_limit_and_a_longer_request_wins() -> None:
    policy = RetryPolicy(retries=9, backoff_s=1, backoff_max_s=5, retry_after_max_s=20)

    def wait(tried: int, retry_after: str | None = None, status: int = 503) -> float | None:
        headers = {} if retry_after is None else {"retry-after": retry_after}
        return policy.wait_s(tried, Exchange(0, 1, status, headers))

    assert [wait(n) for n in (1, 2, 3, 4, 9, 10)] == [1, 2, 4, 5, 5, None]
    assert wait(1, "12") == 12
    assert wait(4, "2") == 5
    assert wait(1, "21") is None
    assert wait(1, "soon") == 1
    assert wait(1, status=200) is None
    stall = Exchange(0, 1, None, error="stall")
    assert policy.wait_s(1, stall) is None


def test_retry_after_is_seconds_or_a_date() -> None:
    now = time.time()
    date = format_datetime(datetime.fromtimestamp(now + 30, UTC), usegmt=True)
    assert retry_after_s(date, now) == pytest.approx(30, abs=1)
    assert retry_after_s("1.5", now) == 1.5
    assert retry_after_s("-3", now) == 0
    for nonsense in (None, "", "nan", "inf", "Thu, 99 Foo"):
        assert retry_after_s(nonsense, now) is None

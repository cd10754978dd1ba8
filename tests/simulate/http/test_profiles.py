"""Each engine's outside, met by our own identification, client and parser; counts agree with the truth."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from doubles.simulation_client import Client, body_of, post, raw, run, simulation
from joulemark.engines.streams import parse
from joulemark.simulate.http import PROFILES, Service
from joulemark.simulate.http.profile import HEADER

NAMES = tuple(PROFILES)
WORDS = "please tell me at some length how you are doing today"


@pytest.mark.parametrize("name", NAMES)
def test_our_engine_kinds_know_the_engine_and_see_that_it_is_simulated(name: str) -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            listed = orjson.loads(body_of(await raw(service, get("/v1/models"))))["data"]
            return client.engine.describe(), listed

    described, listed = run(simulation(name), work)
    profile = PROFILES[name]
    assert described.kind == f"simulated:{profile.kind}"
    assert described.version == profile.version
    assert described.version is None or "simulated" in described.version
    assert "simulated" in described.model
    assert [entry["simulated"] for entry in listed] == [True]


@pytest.mark.parametrize("name", NAMES)
def test_every_answer_of_every_kind_carries_the_mark(name: str) -> None:
    async def work(service: Service) -> list[bytes]:
        pages = ("/v1/models", "/no/such/page", "/simulation", "/simulation/truth", "/dcgm/metrics")
        answers = [await raw(service, get(page)) for page in pages]
        answers.append(await raw(service, post(service, stream=True)))
        answers.append(await raw(service, post(service, stream=False)))
        answers.append(await raw(service, post(service, messages=[])))
        return answers

    for answer in run(simulation(name), work):
        assert f"\r\n{HEADER}: {name}\r\n".encode() in answer.partition(b"\r\n\r\n")[0] + b"\r\n"


@pytest.mark.parametrize("thinking", [0.0, 0.4])
@pytest.mark.parametrize("name", NAMES)
def test_a_stream_is_read_by_our_parser_with_the_tokens_that_were_simulated(
    name: str, thinking: float
) -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            whole = await client.ask(WORDS, max_tokens=60)
            cut = await client.ask(WORDS, max_tokens=7)
            return whole, cut, client.truth(number=service.truth.taken - 1), client.truth(service.truth.taken)

    whole, cut, true_whole, true_cut = run(simulation(name, thinking_share=thinking, mean_tokens=20), work)
    for asked, true in ((whole, true_whole), (cut, true_cut)):
        reply = asked.reply
        assert reply.ok, reply.error
        assert reply.streamed
        assert reply.usage.completion == reply.completion_tokens == true["completion_tokens"]
        assert reply.usage.prompt == true["prompt_tokens"]
        assert not reply.suspect
        assert asked.exchange.error is None
    assert whole.reply.completion_tokens == 20
    assert cut.reply.completion_tokens == 7
    assert (whole.reply.finish_reason, cut.reply.finish_reason) == ("stop", "length")
    assert bool(whole.reply.reasoning) == (thinking > 0 and name != "openai")
    if thinking and name == "openai":
        assert whole.reply.usage.reasoning == 8


@pytest.mark.parametrize("name", [name for name in NAMES if PROFILES[name].exact])
def test_an_exact_length_is_kept_where_the_engine_takes_one(name: str) -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            assert client.engine.request_body.takes_exact_length
            return await client.ask(WORDS, max_tokens=50, exact=True)

    reply = run(simulation(name, mean_tokens=5), work).reply
    assert reply.completion_tokens == 50
    assert reply.finish_reason == "length"


@pytest.mark.parametrize("name", [name for name in NAMES if not PROFILES[name].exact])
def test_other_engines_are_not_told_and_stop_where_they_like(name: str) -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            assert not client.engine.request_body.takes_exact_length
            return await client.ask(WORDS, max_tokens=50, exact=True)

    assert run(simulation(name, mean_tokens=5), work).reply.completion_tokens == 5


@pytest.mark.parametrize("tokens_a_chunk", [1, 4])
@pytest.mark.parametrize("thinking", [0.0, 0.3])
@pytest.mark.parametrize("name", ["vllm", "sglang"])
def test_running_counts_tell_the_tokens_of_each_event(
    name: str, thinking: float, tokens_a_chunk: int
) -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            return await client.ask(
                WORDS, stream_options={"include_usage": True, "continuous_usage_stats": True}
            )

    served = simulation(name, thinking_share=thinking, mean_tokens=20, tokens_a_chunk=tokens_a_chunk)
    reply = run(served, work).reply
    assert reply.tokens_per_event is not None
    assert sum(reply.tokens_per_event) == reply.completion_tokens == 20
    most = max(chunk.tokens or 0 for chunk in reply.chunks)
    assert most == tokens_a_chunk


def test_token_ids_are_counted_event_by_event() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            return await client.ask(WORDS, return_token_ids=True)

    reply = run(simulation("vllm", mean_tokens=20, tokens_a_chunk=3), work).reply
    assert sum(reply.tokens_per_event) == 20


def test_llama_cpp_tells_its_own_times_and_gives_up_its_connection() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            replies = [(await client.ask(WORDS)).reply for _ in range(3)]
            data = post(service, stream=True).replace(b"Connection: close\r\n", b"")
            return replies, client.truth(service.truth.taken), await raw(service, data)

    replies, true, stream = run(simulation("llamacpp"), work)
    assert all(reply.ok for reply in replies)  # each on a connection of its own, none asked in vain
    assert replies[-1].timings["predicted_n"] == true["completion_tokens"]
    assert replies[-1].engine_ns["decode"] == pytest.approx(true["t_end_ns"] - true["t_first_ns"])
    assert b"\r\nConnection:" not in stream.partition(b"\r\n\r\n")[0]
    assert stream.endswith(b"0\r\n\r\n")


def test_ollama_tells_its_durations() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            return (await client.ask(WORDS)).reply, client.truth(service.truth.taken)

    reply, true = run(simulation("ollama"), work)
    assert reply.token_source == "eval_count"
    assert reply.engine_ns["prefill"] == true["t_first_ns"] - true["t_arrival_ns"]


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_that_is_not_streamed_says_the_same(name: str) -> None:
    async def work(service: Service) -> tuple[Any, Any]:
        path = PROFILES[name].native_path or "/v1/chat/completions"
        bodies = [
            body_of(await raw(service, post(service, path, stream=stream, stream_options=USAGE)))
            for stream in (True, False)
        ]
        return tuple(
            parse([(0, body)], content_type=kind, status=200, t_end=1)
            for body, kind in zip(bodies, (None, "application/json"), strict=True)
        )

    streamed, whole = run(simulation(name, thinking_share=0.3), work)
    assert not whole.streamed
    assert whole.ok
    assert (whole.text, whole.finish_reason) == (streamed.text, streamed.finish_reason)
    assert whole.usage.completion == streamed.usage.completion
    assert whole.reasoning == streamed.reasoning


USAGE = {"include_usage": True}


class TestBytes:
    """What only the bytes show."""

    def stream(self, name: str, **changes: Any) -> bytes:
        async def work(service: Service) -> bytes:
            return body_of(await raw(service, post(service, stream=True, stream_options=USAGE)))

        return run(simulation(name, **changes), work)

    def test_openai_says_usage_null_until_the_last_event(self) -> None:
        events = [orjson.loads(line[6:]) for line in self.stream("openai").split(b"\n\n")[:-2]]
        assert [event["usage"] for event in events[:-1]] == [None] * (len(events) - 1)
        assert events[-1]["choices"] == []
        assert events[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}

    def test_vllm_ends_with_the_token_and_openai_after_it(self) -> None:
        last = {}
        for name in ("vllm", "openai"):
            events = [orjson.loads(line[6:]) for line in self.stream(name).split(b"\n\n")[:-2]]
            last[name] = events[-2]["choices"][0]
        assert last["vllm"]["delta"] == {"content": ""}
        assert last["openai"]["delta"] == {}
        assert {choice["finish_reason"] for choice in last.values()} == {"stop"}

    def test_tgi_has_no_blank_after_the_colon_and_no_done(self) -> None:
        body = self.stream("tgi")
        assert body.count(b"data:{") == body.count(b"data:") > 5
        assert b"[DONE]" not in body
        first, last = body.split(b"\n\n")[0], body.split(b"\n\n")[-2]
        assert orjson.loads(first[5:])["choices"][0]["finish_reason"] == ""
        assert orjson.loads(last[5:])["usage"]["completion_tokens"] == 24

    def test_a_gateway_has_comments_crlf_and_several_tokens_a_chunk(self) -> None:
        body = self.stream("gateway")
        assert body.startswith(b": SIMULATED GATEWAY PROCESSING\r\n\r\n")
        assert b"\n" not in body.replace(b"\r\n", b"")
        events = [orjson.loads(part[6:]) for part in body.split(b"\r\n\r\n")[1:-2]]
        assert events[0]["choices"] == []
        assert len(events) < 24 / 2

    def test_a_gateway_names_one_thought_twice(self) -> None:
        body = self.stream("gateway", thinking_share=0.5)
        deltas = [orjson.loads(part[6:])["choices"] for part in body.split(b"\r\n\r\n")[1:-2]]
        thoughts = [c[0]["delta"] for c in deltas if c and "reasoning" in c[0]["delta"]]
        assert thoughts
        assert all(thought["reasoning"] == thought["reasoning_content"] for thought in thoughts)

    def test_lm_studio_answers_200_for_a_page_that_is_not_there(self) -> None:
        async def work(service: Service) -> bytes:
            return await raw(service, get("/metrics"))

        answer = run(simulation("lmstudio"), work)
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert "Unexpected endpoint" in orjson.loads(body_of(answer))["error"]


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_request_says_why_in_the_engines_own_form(name: str) -> None:
    async def work(service: Service) -> list[tuple[int, int, Any]]:
        cases = [
            (400, post(service, messages=[])),
            (400, post(service, max_tokens=10**6)),
            (400, post(service, max_tokens=0)),
            (400, post(service, n=2)),
            (400, post(service).replace(b'{"model"', b'["model"')),
        ]
        if not PROFILES[name].any_model:
            cases.append((404, post(service, model="another")))
        answers = [(wanted, await raw(service, case)) for wanted, case in cases]
        return [(wanted, int(a.split()[1]), orjson.loads(body_of(a))) for wanted, a in answers]

    answers = run(simulation(name), work)
    assert [status for _, status, _ in answers] == [wanted for wanted, _, _ in answers]
    for _, status, body in answers:
        reply = parse([(0, orjson.dumps(body))], content_type="application/json", status=status, t_end=1)
        assert not reply.ok
        assert reply.error is not None
        assert "HTTP" not in reply.error.message  # the sentence was found, not only the status


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()

"""Real time: tokens come when their step ends, many requests at once, and the joules are whole."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from time import monotonic_ns
from typing import Any

import numpy as np
import pytest

from doubles.simulation_client import Client, run, simulation
from joulemark.load.words import text_of
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import SMALL
from joulemark.simulate.http import Service
from joulemark.simulate.http.live import LiveServer
from joulemark.simulate.model import SMOLLM2_135M
from joulemark.simulate.request import Finished, SimRequest


def test_sixteen_requests_at_once_get_their_tokens_when_their_steps_end() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            questions = [f"question {i} {text_of(str(i), 20 + i)}" for i in range(16)]
            asked = await client.together(questions, max_tokens=60, exact=True)
            truth = service.truth.answer({"requests": "1"})["requests"]
            return asked, truth, service.truth.answer({})

    asked, listed, totals = run(simulation("vllm"), work)
    true = {one["request_id"]: one for one in listed}
    shifts_s, took = [], []
    for one in asked:
        reply = one.reply
        assert reply.ok
        assert reply.completion_tokens == 60
        told = true[request_id(one)]
        shifts_s += [
            (reply.t_first - told["t_first_ns"]) * 1e-9,
            (reply.t_end - told["t_end_ns"]) * 1e-9,
        ]
        took.append((reply.t_end - reply.t_first) / (told["t_end_ns"] - told["t_first_ns"]))
        assert told["t_arrival_ns"] >= one.exchange.t_sent
    assert min(shifts_s) > 0  # nothing is told before it is true
    # how late, a busy machine decides; that it does not add up, the server does
    assert float(np.median(shifts_s)) < 0.02
    assert float(np.median(took)) == pytest.approx(1.0, abs=0.1)
    assert totals["late_s"]["p50"] < 0.02
    batches = [one["t_first_ns"] for one in listed if one["number"] > 1]
    ends = [one["t_end_ns"] for one in listed if one["number"] > 1]
    assert max(batches) < min(ends)  # all of them ran at once


def request_id(asked: Any) -> str:
    body = asked.exchange.body.decode()
    return body.partition('"id":"')[2].partition('"')[0]


def test_all_joules_belong_to_somebody() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            await client.together([f"question {i}" for i in range(8)], max_tokens=30)
            listed = service.truth.answer({"requests": "1"})["requests"]
            return listed, service.truth.answer({})

    listed, totals = run(simulation("vllm"), work)
    assert totals["in_flight_j"] == 0
    whose = totals["requests_j"] + totals["aborted_j"] + totals["nobodys_j"]
    assert totals["total_j"] == pytest.approx(whose, rel=1e-9)
    assert totals["requests_j"] == pytest.approx(sum(one["energy_j"] for one in listed))
    causes = totals["idle_j"] + totals["prefill_j"] + totals["decode_j"]
    assert totals["total_j"] == pytest.approx(causes)


def test_joules_of_windows_add_up_and_of_a_request_are_found_by_its_id() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            t0 = monotonic_ns()
            asked = await client.ask(max_tokens=30)
            t1 = monotonic_ns()
            windows = [
                service.truth.answer({"t0": str(a), "t1": str(b)})["total_j"]
                for a, b in pairwise((t0, asked.reply.t_first, asked.reply.t_end, t1))
            ]
            whole = service.truth.answer({"t0": str(t0), "t1": str(t1), "device": "0"})
            return windows, whole, service.truth.answer({"request": request_id(asked)})["request"]

    windows, whole, request = run(simulation("openai"), work)
    assert sum(windows) == pytest.approx(whole["total_j"], rel=1e-9)
    assert request["number"] == 2
    # alone on the server, the request has all but what nobody used
    assert request["energy_j"] == pytest.approx(whole["total_j"] - whole["nobodys_j"], rel=1e-6)


@pytest.mark.parametrize(
    "query",
    [
        {"t0": "1"},
        {"t0": "5", "t1": "3"},
        {"t0": "1", "t1": str(2**62)},
        {"t0": "x", "t1": "3"},
        {"t0": "1", "t1": "2", "device": "7"},
        {"request": "none"},
    ],
)
def test_what_cannot_be_told_is_refused(query: dict[str, str]) -> None:
    from joulemark.simulate.http.refusal import Refusal

    async def work(service: Service) -> None:
        with pytest.raises(Refusal):
            service.truth.answer(query)

    run(simulation(), work)


def test_a_faster_server_keeps_its_steps_and_its_joules() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            asked = await client.ask(max_tokens=100, exact=True)
            return asked.reply, client.truth(2)

    (slow, slow_true), (fast, fast_true) = (run(simulation(speed=speed), work) for speed in (1.0, 10.0))
    assert fast.completion_tokens == slow.completion_tokens == 100
    assert fast_true["energy_j"] == pytest.approx(slow_true["energy_j"], rel=1e-9)
    spans = [true["t_end_ns"] - true["t_first_ns"] for true in (slow_true, fast_true)]
    assert spans[0] / spans[1] == pytest.approx(10.0, rel=1e-3)


def test_a_late_look_gives_every_step_its_own_time() -> None:
    class Takes:
        def __init__(self) -> None:
            self.tokens, self.end = 0, None  # type: ignore[var-annotated]

        def token(self) -> None:
            self.tokens += 1

        def finished(self, finished: Finished) -> None:
            self.end = finished

    async def work() -> tuple[Takes, int, int]:
        live, sink = LiveServer(ServerConfig(SMALL, SMOLLM2_135M)), Takes()
        live.submit(SimRequest("a", 10, 12), sink)
        live.close()  # nobody wakes it up
        await asyncio.sleep(0.3)
        assert sink.tokens == 0
        live.catch_up()
        return sink, live.steps, monotonic_ns()

    sink, steps, now = asyncio.run(work())
    assert sink.tokens == steps == 12
    assert sink.end is not None
    gaps = np.diff(sink.end.token_ns)
    assert sink.end.t_end_ns < now - 100e6
    assert np.all(gaps > 3e6)
    assert np.all(gaps < 10e6)


def test_lateness_is_told_by_the_nearest_rank() -> None:
    async def work() -> list[float | None]:
        live = LiveServer(ServerConfig(SMALL, SMOLLM2_135M))
        assert live.late_s(99) is None
        live.submit(SimRequest("a", 10, 100), Ignored())
        live.close()
        while live.steps < 100:
            await asyncio.sleep(0.1)
            live.catch_up()
            live.close()
        return [live.late_s(percent) for percent in (1, 50, 99, 100)]

    lateness = asyncio.run(work())
    assert None not in lateness
    assert lateness == sorted(set(lateness))  # of 100 steps the 99th is not the latest


class Ignored:
    def token(self) -> None: ...

    def finished(self, finished: Finished) -> None: ...


def test_prefixes_are_found_where_the_engine_keeps_them_and_a_salt_parts_them() -> None:
    async def work(service: Service) -> list[int]:
        async with Client(service) as client:
            long = text_of("a long prompt", 1600)
            cached = []
            for more in ({"cache_salt": "s"}, {"cache_salt": "s"}, {"cache_salt": "t"}):
                reply = (await client.ask(long, max_tokens=2, **more)).reply
                cached.append(reply.usage.cached)
            return cached

    assert run(simulation("vllm", prefix_cache=True), work) == [0, 1536, 0]
    assert run(simulation("vllm", prefix_cache=False), work) == [0, 0, 0]


def test_prefill_and_decode_apart_serve_as_well() -> None:
    async def work(service: Service) -> Any:
        async with Client(service) as client:
            asked = await client.together([f"question {i}" for i in range(4)], max_tokens=20, exact=True)
            return [one.reply.completion_tokens for one in asked], service.truth.answer({})

    tokens, totals = run(simulation(prefill_instances=1, decode_instances=1), work)
    assert tokens == [20] * 4
    assert totals["devices"] == 2

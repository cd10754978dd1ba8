"""The server's clock: steps one by one, on somebody else's time, idle, and with clients that leave."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.simulated_loads import SimulatedLoad, loads
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100, SMALL
from joulemark.simulate.model import LLAMA_8B, SMOLLM2_135M
from joulemark.simulate.request import SimRequest
from joulemark.simulate.server import SimulatedServer, Step

SMALL_CONFIG = ServerConfig(SMALL, SMOLLM2_135M, max_batch=4)


def test_nothing_to_do() -> None:
    server = SimulatedServer(SMALL_CONFIG, 500)
    assert server.step() is None
    assert server.next_event_ns is None
    assert (server.now_ns, server.running, server.waiting) == (500, 0, 0)
    assert server.energy_j(0, 10**9 + 500) == pytest.approx(10.0)


def test_a_request_that_arrives_later_is_waited_for_at_idle_power() -> None:
    server = SimulatedServer(SMALL_CONFIG)
    server.submit(SimRequest("a", 10, 2), 3_000_000_000)
    assert server.next_event_ns == 3_000_000_000
    step = server.step()
    assert step is not None
    assert step.t0_ns == 3_000_000_000
    assert server.books().between_j(0, 3_000_000_000) == pytest.approx(30.0)
    assert server.books().by_cause().nobodys_j == pytest.approx(30.0)
    assert server.running == 1
    assert server.kv_used_share > 0


def test_what_arrives_during_a_step_is_part_of_the_next() -> None:
    server = SimulatedServer(SMALL_CONFIG)
    server.submit(SimRequest("a", 10, 3), 0)
    first = server.step()
    assert first is not None
    server.submit(SimRequest("b", 10, 3), first.t1_ns // 2)  # stamped while the step was under way
    second = server.step()
    assert second is not None
    assert (second.t0_ns, second.prefill_tokens, second.running) == (first.t1_ns, 10, 2)


def test_power_of_a_step_is_its_energy_over_its_time() -> None:
    config = ServerConfig(H100, LLAMA_8B, tensor_parallel=2)
    server = SimulatedServer(config)
    server.submit(SimRequest("a", 700, 5), 0)
    for step in iter(server.step, None):
        assert step.devices == (0, 1)
        for device in step.devices:
            spent_j = server.books().between_j(step.t0_ns, step.t1_ns, device)
            assert step.power_w[device] * (step.t1_ns - step.t0_ns) * 1e-9 == pytest.approx(spent_j)


@settings(deadline=None, max_examples=20)
@given(loads(most=25), st.integers(0, 40_000_000))
def test_on_real_time_the_same_steps_come_when_they_end(load: SimulatedLoad, late_ns: int) -> None:
    def server() -> SimulatedServer:
        made = SimulatedServer(load.config)
        for number, request in enumerate(load.requests):
            made.submit(request, 20_000_000 * number)
        return made

    expected: list[Step] = list(iter(server().step, None))
    living, came = server(), []
    while (event_ns := living.next_event_ns) is not None:
        for now_ns in (event_ns - 1, event_ns + late_ns):  # somebody wakes up too early, then too late
            while (step := living.advance(now_ns)) is not None:
                assert step.t1_ns <= now_ns
                came.append(step)
    assert [(s.t0_ns, s.t1_ns, s.tokens, s.power_w) for s in came] == [
        (s.t0_ns, s.t1_ns, s.tokens, s.power_w) for s in expected
    ]


def test_a_client_that_leaves_during_a_step_is_gone_after_it() -> None:
    server = SimulatedServer(SMALL_CONFIG)
    for name in ("stays", "leaves", "waits"):
        server.submit(SimRequest(name, 50, 400), 0)
    server.step()
    assert server.advance(server.now_ns + 1) is None  # a step is under way
    assert server.abort("leaves")
    assert not server.abort("nobody")
    assert server.running == 3
    step = server.step()
    assert step is not None
    assert ("leaves", False, False) in step.tokens  # its last
    assert server.running == 2
    assert server.aborted_j > 0
    later = server.step()
    assert later is not None
    assert {name for name, _, _ in later.tokens} == {"stays", "waits"}
    server.submit(SimRequest("leaves", 50, 1), server.now_ns)  # its name is free again


def test_a_client_that_leaves_before_it_ran_costs_nothing() -> None:
    server = SimulatedServer(SMALL_CONFIG)
    server.submit(SimRequest("never", 50, 40), 10**9)
    assert server.abort("never")
    assert server.step() is None
    assert server.aborted_j == 0


@settings(deadline=None, max_examples=20)
@given(loads(most=25), st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=30))
def test_a_meter_reads_at_any_time_what_the_books_say(load: SimulatedLoad, at: list[float]) -> None:
    server = SimulatedServer(load.config, load.t0_ns)
    for request in load.requests:
        server.submit(request, load.t0_ns + 1_000_000)
    while server.step() is not None:
        pass
    t_ns = load.t0_ns + (np.array(at) * (server.now_ns - load.t0_ns)).astype(np.int64)
    for device in range(load.config.devices):
        read_j = [server.energy_j(device, int(t)) for t in t_ns]
        assert read_j == pytest.approx(server.books().energy_j(device, t_ns).tolist(), rel=1e-9, abs=1e-6)

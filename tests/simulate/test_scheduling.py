"""Who runs, who waits, who has to leave: small cases that can be followed by hand."""

from __future__ import annotations

import pytest

from joulemark.record.errors import InputError
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.request import Finished, SimRequest
from joulemark.simulate.server import SimulatedServer, Step


def _served(config: ServerConfig, *requests: SimRequest) -> tuple[list[Step], dict[str, Finished]]:
    server = SimulatedServer(config)
    for request in requests:
        server.submit(request, 0)
    steps = list(iter(server.step, None))
    return steps, {done.request.request_id: done for step in steps for done in step.finished}


def test_decoders_come_first_and_prompts_share_the_rest_in_order() -> None:
    config = ServerConfig(H100, LLAMA_8B, max_batch=3, max_batched_tokens=100)
    steps, _ = _served(config, SimRequest("a", 60, 4), SimRequest("b", 150, 2), SimRequest("c", 30, 1))
    assert [(step.prefill_tokens, step.decode_requests) for step in steps] == [
        (100, 0),  # a whole, 40 of b
        (99, 1),  # 99 of b
        (41, 1),  # the last 11 of b, c whole
        (0, 2),  # a's last token, b's last
    ]
    assert [step.tokens for step in steps] == [
        (("a", True, False),),
        (("a", False, False),),
        (("a", False, False), ("b", True, False), ("c", True, True)),
        (("a", False, True), ("b", False, True)),
    ]
    assert [step.running for step in steps] == [2, 2, 3, 2]
    assert [step.waiting for step in steps] == [1, 1, 0, 0]
    assert [step.t0_ns for step in steps[1:]] == [step.t1_ns for step in steps[:-1]]


def test_a_full_batch_lets_nobody_in() -> None:
    config = ServerConfig(H100, LLAMA_8B, max_batch=2)
    steps, _ = _served(config, *(SimRequest(name, 10, 3) for name in "abcd"))
    assert [step.running for step in steps] == [2] * 6
    assert [step.prefill_tokens for step in steps] == [20, 0, 0, 20, 0, 0]


def _two_that_do_not_fit(preemption: str) -> tuple[list[Step], dict[str, Finished]]:
    config = ServerConfig(H100, LLAMA_8B, max_batch=2, kv_tokens=80, preemption=preemption)  # type: ignore[arg-type]
    return _served(config, SimRequest("a", 30, 40), SimRequest("b", 30, 20))


def test_recompute_drops_who_came_last_and_prefills_it_again() -> None:
    steps, done = _two_that_do_not_fit("recompute")
    # 2 + 2 pages of 16 for 30 tokens each; at 32 both want a third of 5: b has to go, with 3 made
    assert [step.prefill_tokens for step in steps if step.prefill_tokens] == [60, 33]
    assert (done["a"].preemptions, done["b"].preemptions) == (0, 1)
    again = next(n for n, step in enumerate(steps) if step.prefill_tokens == 33)
    assert ("a", False, True) in steps[again - 1].tokens  # when a has made room
    assert ("b", False, False) in steps[again].tokens  # and goes on with its fourth token
    assert len(done["b"].token_ns) == 20
    whole, _ = _served(ServerConfig(H100, LLAMA_8B, max_batch=2), SimRequest("b", 30, 20))
    alone_j = whole[-1].finished[0].prefill_j
    assert done["b"].prefill_j > 1.2 * alone_j  # the second prefill is charged to it as well


def test_swap_pays_the_way_to_the_host_and_back_and_prefills_once() -> None:
    steps, done = _two_that_do_not_fit("swap")
    assert [step.prefill_tokens for step in steps if step.prefill_tokens] == [60]
    assert (done["a"].preemptions, done["b"].preemptions) == (0, 1)
    way_s = 2 * 16 * 131_072 / 64e9  # two pages over the link
    out = next(n for n, step in enumerate(steps) if n and step.decode_requests == 1)
    back = next(n for n, step in enumerate(steps) if ("a", False, True) in step.tokens) + 1
    for moving in (out, back):
        assert _took_s(steps[moving]) == pytest.approx(_took_s(steps[moving + 1]) + way_s, rel=1e-4)
    assert ("b", False, False) in steps[back].tokens  # it decodes at once, its context is there
    assert len(done["b"].token_ns) == 20


def _took_s(step: Step) -> float:
    return (step.t1_ns - step.t0_ns) * 1e-9


def test_who_does_not_fit_alone_is_refused() -> None:
    server = SimulatedServer(ServerConfig(H100, LLAMA_8B, kv_tokens=160))
    server.submit(SimRequest("fits", 100, 60), 0)
    with pytest.raises(InputError, match="needs 161 tokens of context, and 160 fit"):
        server.submit(SimRequest("long", 100, 61), 0)
    with pytest.raises(InputError, match="'fits' is in flight"):
        server.submit(SimRequest("fits", 1, 1), 0)
    assert len(list(iter(server.step, None))) == 60
    server.submit(SimRequest("fits", 1, 1), server.now_ns)  # it has ended


@pytest.mark.parametrize("cached", [True, False])
def test_a_known_beginning_is_not_computed_again(cached: bool) -> None:
    config = ServerConfig(H100, LLAMA_8B, max_batch=1, prefix_cache=cached)
    steps, done = _served(
        config,
        SimRequest("first", 1100, 2, prefix=(1, 2, 3)),
        SimRequest("same", 1100, 2, prefix=(1, 2, 3)),
        SimRequest("half", 1200, 2, prefix=(1, 9, 10)),
        SimRequest("other", 1100, 2, prefix=(7, 2, 3)),  # a hash stands for all that came before it
        SimRequest("whole", 1024, 2, prefix=(1, 2)),  # its last token has to be computed
    )
    saved = {"first": 0, "same": 1024, "half": 512, "other": 0, "whole": 512} if cached else {}
    for name, one in done.items():
        assert one.cached_tokens == saved.get(name, 0)
    prompts = [step.prefill_tokens for step in steps if step.prefill_tokens]
    assert prompts == ([1100, 76, 688, 1100, 512] if cached else [1100, 1100, 1200, 1100, 1024])
    assert (done["same"].prefill_j < 0.5 * done["first"].prefill_j) == cached


def test_a_cache_that_is_in_the_way_is_dropped_the_oldest_first() -> None:
    config = ServerConfig(H100, LLAMA_8B, max_batch=1, kv_tokens=1536, prefix_cache=True)
    requests = [
        SimRequest(str(n), 600, 2, prefix=(block, block + 50)) for n, block in enumerate([1, 2, 1, 3, 1, 2])
    ]
    _, done = _served(config, *requests)
    # three blocks of 512 fit, one of them and 6 pages are the running request's
    assert [done[str(n)].cached_tokens for n in range(6)] == [0, 0, 512, 0, 512, 0]


def test_prefill_and_decode_run_on_devices_of_their_own() -> None:
    config = ServerConfig(H100, LLAMA_8B, max_batch=4, prefill_instances=1, decode_instances=2)
    steps, done = _served(config, *(SimRequest(name, 400, 5) for name in "abc"), SimRequest("one", 300, 1))
    assert {step.devices for step in steps if step.prefill_tokens} == {(0,)}
    assert {step.devices for step in steps if step.decode_requests} == {(1,), (2,)}
    assert all(step.decode_requests == 0 for step in steps if step.devices == (0,))
    handover_s = 400 * 131_072 / 450e9
    assert done["a"].token_ns[1] - done["a"].t_first_ns > handover_s * 1e9
    assert len(done["one"].token_ns) == 1
    assert all(len(done[name].token_ns) == 5 for name in "abc")
    ends = [step.t1_ns for step in steps]
    assert ends == sorted(ends)

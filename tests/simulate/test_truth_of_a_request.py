"""The energy of a request against ADR 10, worked out step by step from its text and from nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100, SMALL
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B, MIXTRAL_8X7B, SMOLLM2_135M
from joulemark.simulate.request import SimRequest
from joulemark.simulate.server import SimulatedServer


def _by_the_text(config: ServerConfig, requests: list[SimRequest]) -> dict[str, tuple[float, float, float]]:
    """Idle, prefill and decode joules of requests that are all there from the start and all fit."""
    gpu, model, tp = config.gpu, config.model, config.tensor_parallel
    bandwidth = gpu.memory_bytes_per_s * tp
    flops = gpu.peak_flops * gpu.flops_share * tp
    server = SimulatedServer(config)
    for request in requests:
        server.submit(request, 0)
    held = {request.request_id: 0 for request in requests}  # tokens of context
    made = dict.fromkeys(held, 0)
    spent = {name: [0.0, 0.0, 0.0] for name in held}
    batch: list[SimRequest] = []
    queue = list(requests)
    while (step := server.step()) is not None:
        decoding = [r for r in batch if held[r.request_id] >= r.prompt_tokens]
        budget = config.max_batched_tokens - len(decoding)
        chunks: dict[str, int] = {}
        for request in [r for r in batch if held[r.request_id] < r.prompt_tokens]:
            if budget > 0:
                chunks[request.request_id] = min(budget, request.prompt_tokens - held[request.request_id])
                budget -= chunks[request.request_id]
        while queue and budget > 0 and len(batch) < config.max_batch:
            request = queue.pop(0)
            batch.append(request)
            chunks[request.request_id] = min(budget, request.prompt_tokens)
            budget -= chunks[request.request_id]
        assert (step.prefill_tokens, step.decode_requests) == (sum(chunks.values()), len(decoding))

        tokens = step.prefill_tokens + step.decode_requests
        experts = model.parameters / model.active
        read = model.parameters * tokens / (tokens + experts - 1)
        weights_j = gpu.memory_w * read * model.bytes_per_parameter / (bandwidth * gpu.memory_share)
        work = {}
        for name, taken in [(r.request_id, 1) for r in decoding] + list(chunks.items()):
            operations = 2 * model.active * taken
            phase = gpu.decode_power_share
            if name in chunks:
                operations += 4 * model.layers * model.hidden * taken * (held[name] + taken / 2)
                phase = 1.0
            own_j = gpu.compute_w * phase * operations / flops
            context_j = gpu.memory_w * held[name] * model.kv_bytes_per_token / (bandwidth * gpu.kv_share)
            work[name] = weights_j / (len(decoding) + len(chunks)) + own_j + context_j
        seconds = (step.t1_ns - step.t0_ns) * 1e-9
        above_j = (sum(step.power_w) - tp * gpu.idle_w) * seconds
        for request in batch:
            spent[request.request_id][0] += tp * gpu.idle_w * seconds / len(batch)
        for name, joules in work.items():
            spent[name][1 if name in chunks else 2] += above_j * joules / sum(work.values())
        for name in work:
            held[name] += chunks.get(name, 1)
        for name, is_first, is_last in step.tokens:
            made[name] += 1
            assert is_first == (made[name] == 1)
            request = next(r for r in batch if r.request_id == name)
            assert is_last == (made[name] == request.output_tokens)
        batch = [r for r in batch if made[r.request_id] < r.output_tokens]
    assert made == {request.request_id: request.output_tokens for request in requests}
    return {name: (idle, prefill, decode) for name, (idle, prefill, decode) in spent.items()}


@settings(deadline=None, max_examples=20)
@given(
    st.sampled_from([(H100, LLAMA_8B), (H100, MIXTRAL_8X7B), (SMALL, SMOLLM2_135M)]),
    st.integers(1, 12),
    st.integers(0, 300),
    st.sampled_from([2, 4]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_a_request_is_charged_what_the_text_says(
    parts: tuple, batch: int, more: int, tp: int, limited: bool, seed: int
) -> None:
    gpu, model = parts
    config = ServerConfig(
        gpu=gpu,
        model=model,
        max_batch=batch,
        max_batched_tokens=batch + more,
        tensor_parallel=tp,
        kv_tokens=100_000,
        power_limit_w=1.6 * gpu.idle_w if limited else None,
    )
    requests = draw_requests(20, 150, 40, seed, room=3000)
    expected = _by_the_text(config, requests)
    server = SimulatedServer(config)
    for request in requests:
        server.submit(request, 0)
    while (step := server.step()) is not None:
        for done in step.finished:
            found = (done.idle_j, done.prefill_j, done.decode_j)
            assert found == pytest.approx(expected.pop(done.request.request_id), rel=1e-9, abs=1e-12)
    assert not expected


def test_equal_requests_pay_equally_and_longer_ones_more() -> None:
    config = ServerConfig(H100, LLAMA_8B, max_batch=4)
    lengths = [(300, 50), (300, 50), (300, 80), (600, 50)]
    server = SimulatedServer(config)
    for number, (prompt, output) in enumerate(lengths):
        server.submit(SimRequest(str(number), prompt, output), 0)
    done = {}
    while (step := server.step()) is not None:
        done |= {one.request.request_id: one for one in step.finished}
    assert done["0"].energy_j == pytest.approx(done["1"].energy_j, rel=1e-12)
    assert done["2"].decode_j > 1.5 * done["1"].decode_j
    assert done["3"].prefill_j > 1.5 * done["1"].prefill_j
    assert done["3"].decode_j > done["1"].decode_j  # it reads a longer context

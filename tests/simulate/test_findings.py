"""What the ML.ENERGY benchmark found on real boards has to appear in simulation."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import A100, H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.long_run import long_run, of_run
from joulemark.simulate.model import LLAMA_8B, LLAMA_70B
from joulemark.simulate.request import SimRequest
from joulemark.simulate.virtual import SimulatedRun, run_closed

CHAT = ServerConfig(H100, LLAMA_8B)


def _tpot_s(run: SimulatedRun) -> float:
    several = [done for done in run.finished if done.request.output_tokens > 1]
    return float(np.mean([np.diff(done.token_ns).mean() for done in several])) * 1e-9


@pytest.mark.parametrize("gpu", [A100, H100])
def test_energy_a_request_falls_with_the_batch_then_flattens(gpu) -> None:
    batches = (1, 4, 16, 64, 256)
    joules = []
    for batch in batches:
        config = ServerConfig(gpu, LLAMA_8B, max_batch=batch)
        joules.append(long_run(config, draw_requests(200 + 3 * batch, 200, 200, 1), batch).request_j)
    ratios = [later / earlier for earlier, later in pairwise(joules)]
    assert all(ratio < 1 for ratio in ratios)
    assert ratios[0] < 0.35  # four at once for the power of one
    assert ratios[-1] > 0.5  # four times the batch saves little at the end
    assert joules[0] > 10 * joules[-1]


def test_time_a_token_grows_with_the_batch_so_that_there_is_a_frontier() -> None:
    times = [
        _tpot_s(run_closed(replace(CHAT, max_batch=batch), draw_requests(4 * batch, 200, 200, 1), batch))
        for batch in (8, 64, 256)
    ]
    assert times == sorted(times)
    assert times[-1] > 2 * times[0]


def test_swap_beats_recompute_when_memory_is_overloaded() -> None:
    requests = draw_requests(300, 700, 500, 2, room=6_000)
    tight = replace(CHAT, max_batch=64, kv_tokens=24_000)
    runs = {mode: run_closed(replace(tight, preemption=mode), requests, 64) for mode in ("recompute", "swap")}
    for run in runs.values():
        assert run.steps.preempted.sum() > 30
    assert runs["swap"].books.total_j < runs["recompute"].books.total_j
    roomy = run_closed(replace(tight, kv_tokens=None), requests, 64)
    assert roomy.steps.preempted.sum() == 0
    assert roomy.books.total_j < runs["swap"].books.total_j


@pytest.mark.parametrize(("model", "least"), [(LLAMA_8B, 1), (LLAMA_70B, 4)])
def test_more_devices_save_time_and_cost_energy(model, least: int) -> None:
    requests = draw_requests(260, 200, 200, 3)
    runs = [
        run_closed(ServerConfig(H100, model, max_batch=64, tensor_parallel=tp), requests, 64)
        for tp in (least, 2 * least)
    ]
    few, many = runs
    assert many.t_end_ns < few.t_end_ns
    assert many.books.total_j > 1.05 * few.books.total_j


def test_prefill_and_decode_apart_balance_by_the_workload() -> None:
    def joules(prompt: int, output: int, prefill: int) -> tuple[float, float]:
        decode = 4 - prefill
        config = replace(CHAT, max_batch=24, prefill_instances=prefill, decode_instances=decode)
        requests = draw_requests(100 + 72 * decode, prompt, output, 4, room=20_000)
        run = run_closed(config, requests, 24 * decode)
        decode_j = sum(run.books.between_j(0, run.t_end_ns, device) for device in range(prefill, 4))
        return of_run(run, 24 * decode).request_j, decode_j / run.books.total_j

    long_answers = {prefill: joules(256, 512, prefill) for prefill in (1, 3)}
    assert 1.2 * long_answers[1][0] < long_answers[3][0]  # decoding needs the boards
    assert long_answers[1][1] > 0.7
    long_prompts = {prefill: joules(4096, 64, prefill) for prefill in (1, 2)}
    assert 1.2 * long_prompts[2][0] < long_prompts[1][0]  # one prefill board holds the others up


def test_the_table_of_chunked_prefill_has_holes_and_its_minimum_inside() -> None:
    joules: dict[tuple[int, int], float] = {}
    budgets = (64, 128, 256, 512, 1024, 8192)
    for batch in (64, 256):
        requests = draw_requests(200 + 3 * batch, 1024, 256, 5, room=16_000)
        for budget in budgets:
            if budget >= batch:
                config = replace(CHAT, max_batch=batch, max_batched_tokens=budget)
                joules[batch, budget] = long_run(config, requests, batch).request_j
    assert len(joules) == 10  # of 12: each running request needs a token
    for batch in (64, 256):
        row = [joules[batch, budget] for budget in budgets if budget >= batch]
        assert row[0] == max(row)  # the smallest chunks read the weights most often
    assert min(joules, key=joules.__getitem__) == (256, 1024)  # neither the smallest nor the largest chunk


def test_a_limit_below_the_rated_power_saves_energy_until_idle_power_takes_over() -> None:
    requests = draw_requests(260, 400, 150, 6)
    joules = {
        watts: run_closed(replace(CHAT, max_batch=128, power_limit_w=watts), requests, 128).books.total_j
        for watts in (120.0, 330.0, None)
    }
    assert joules[330.0] < joules[None]
    assert joules[330.0] < joules[120.0]


def test_a_cached_prefix_saves_prefill() -> None:
    requests = [SimRequest(str(n), 2200, 60, prefix=(1, 2, 3, 4, 100 + n)) for n in range(60)]
    cold, warm = (
        run_closed(replace(CHAT, max_batch=16, prefix_cache=cached), requests, 16) for cached in (False, True)
    )
    assert warm.books.prefill_j < 0.35 * cold.books.prefill_j
    assert sum(done.cached_tokens for done in warm.finished) >= 40 * 2048

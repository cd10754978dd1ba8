from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.simulated_loads import configs
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.cost import step_cost
from joulemark.simulate.gpu import H100, L4
from joulemark.simulate.model import LLAMA_8B, LLAMA_70B, MIXTRAL_8X7B

COST = step_cost(ServerConfig(H100, LLAMA_8B))


@settings(deadline=None)
@given(configs(), st.integers(1, 24), st.integers(1, 10**6), st.integers(1, 60), st.integers(0, 8))
def test_arrays_of_steps_are_steps_to_the_last_bit(
    config: ServerConfig, decoding: int, context: int, steps: int, others: int
) -> None:
    cost, running = step_cost(config), decoding + others
    took_s, above_w = cost.decode_steps(decoding, context, steps, running)
    one_by_one = [cost.step(decoding, context + decoding * n, 0, 0.0, 0, running) for n in range(steps)]
    assert took_s.tolist() == [seconds for seconds, _ in one_by_one]
    assert above_w.tolist() == [watts for _, watts in one_by_one]


def test_decoding_one_token_is_reading_the_weights() -> None:
    seconds, watts = COST.step(1, 100, 0, 0.0, 0, 1)
    read_s = 2 * 8.03e9 / (0.8 * 3.35e12)
    assert seconds == pytest.approx(read_s + 0.003, rel=0.01)
    assert H100.idle_w + watts == pytest.approx(290, abs=20)


def test_a_long_prompt_is_arithmetic_and_fills_the_board() -> None:
    seconds, watts = COST.step(0, 0, 8192, 8192 * 4096.0, 0, 1)
    assert seconds == pytest.approx(2 * 8.03e9 * 8192 / (0.6 * 989.4e12), rel=0.2)
    assert 500 < H100.idle_w + watts <= 700


@given(st.integers(1, 500), st.integers(1, 10**6))
def test_more_work_takes_longer_and_more_energy(decoding: int, context: int) -> None:
    def spent(*work: int) -> float:
        seconds, watts = COST.step(*work)  # type: ignore[arg-type]
        return seconds * (watts + H100.idle_w)

    plain = (decoding, context, 0, 0, 0, decoding)
    for more in (
        (decoding + 1, context + 1, 0, 0, 0, decoding + 1),
        (decoding, context + 100, 0, 0, 0, decoding),
        (decoding, context, 64, 2048, 0, decoding + 1),
    ):
        assert COST.step(*more)[0] >= COST.step(*plain)[0]
        assert spent(*more) > spent(*plain)


def test_power_is_not_linear_in_batch_context_or_phase() -> None:
    def watts(decoding: int, context: int, prompt: int = 0) -> float:
        return COST.step(decoding, context, prompt, prompt * prompt / 2, 0, decoding)[1]

    rises = np.diff([watts(n, 500 * n) for n in (1, 65, 129, 193, 257)])
    assert (rises > 0).all()
    assert (np.diff(rises) < 0).all()  # concave in the batch
    assert watts(4, 400_000) > watts(4, 2_000) * 1.1  # depends on the context
    decoding_s, decoding_w = COST.step(400, 0, 0, 0.0, 0, 0)
    prompt_s, prompt_w = COST.step(0, 0, 400, 0.0, 0, 0)
    assert decoding_s == prompt_s  # the same arithmetic in the same time
    assert decoding_w < prompt_w  # in another phase


@pytest.mark.parametrize("limit_w", [150.0, 300.0, 450.0, 699.0])
def test_a_limit_holds_and_slows_only_what_would_exceed_it(limit_w: float) -> None:
    limited = step_cost(ServerConfig(H100, LLAMA_8B, power_limit_w=limit_w))
    for work in ((1, 500, 0, 0.0, 0, 1), (256, 200_000, 0, 0.0, 0, 256), (64, 60_000, 4096, 8.4e6, 0, 65)):
        free_s, free_w = COST.step(*work)
        held_s, held_w = limited.step(*work)
        if H100.idle_w + free_w <= limit_w:
            assert (held_s, held_w) == (free_s, free_w)
        else:
            assert H100.idle_w + held_w == pytest.approx(limit_w)
            assert held_s > free_s
            assert held_s * held_w < free_s * free_w  # a lower clock saves energy above idle


def test_devices_share_the_work_and_pay_for_the_exchange() -> None:
    work = (64, 60_000, 0, 0.0, 0, 64)
    took = [step_cost(ServerConfig(H100, LLAMA_8B, tensor_parallel=tp)).step(*work) for tp in (1, 2, 4, 8)]
    seconds = [one for one, _ in took]
    assert seconds == sorted(seconds, reverse=True)
    joules = [tp * one * (watts + H100.idle_w) for tp, (one, watts) in zip((1, 2, 4, 8), took, strict=True)]
    assert joules == sorted(joules)
    slow_link = step_cost(ServerConfig(L4, LLAMA_8B, tensor_parallel=4))
    fast_link = step_cost(ServerConfig(H100, LLAMA_8B, tensor_parallel=4))
    assert slow_link.exchange_s > 5 * fast_link.exchange_s


def test_more_tokens_wake_more_experts() -> None:
    mixture = step_cost(ServerConfig(H100, MIXTRAL_8X7B, tensor_parallel=2))
    reads = [mixture.weights_read_s(n) for n in (1, 2, 8, 64, 4096)]
    assert reads == sorted(reads)
    assert reads[0] == pytest.approx(mixture.weights_s)
    assert reads[-1] == pytest.approx(mixture.all_weights_s, rel=0.01)
    dense = step_cost(ServerConfig(H100, LLAMA_70B, tensor_parallel=4))
    assert dense.weights_read_s(1) == dense.weights_read_s(4096) == dense.all_weights_s

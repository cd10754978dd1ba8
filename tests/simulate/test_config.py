from __future__ import annotations

from typing import Any

import pytest

from joulemark.record.errors import InputError
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import A100, GPUS, H100, SMALL, GpuModel, gpu_named
from joulemark.simulate.model import LLAMA_8B, LLAMA_70B, MODELS, SMOLLM2_135M, ModelShape, model_named


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_batch": 0}, "max_batch is below 1"),
        ({"max_batch": 64, "max_batched_tokens": 32}, "max_batched_tokens 32 is below max_batch 64"),
        ({"tensor_parallel": 0}, "tensor_parallel is below 1"),
        ({"preemption": "pause"}, "no preemption 'pause'"),
        ({"prefill_instances": 1}, "1 prefill and 0 decode instances"),
        ({"prefill_instances": -1, "decode_instances": -1}, "-1 prefill"),
        ({"power_limit_w": 90.0}, "leaves H100 nothing to work with"),
        ({"power_limit_w": float("nan")}, "leaves H100 nothing to work with"),
        ({"kv_tokens": 8}, "kv_tokens 8 is below one page"),
        ({"model": LLAMA_70B}, "llama-70b leaves no memory for context on 1 × H100"),
        ({"overhead_s": -1.0}, "an overhead is below 0"),
    ],
)
def test_a_set_up_that_no_engine_starts_with_is_refused_with_a_way_out(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said) as error:
        ServerConfig(**{"gpu": H100, "model": LLAMA_8B, **options})
    assert error.value.fix


def test_memory_for_context_is_what_the_weights_leave() -> None:
    config = ServerConfig(H100, LLAMA_8B)
    assert config.kv_capacity_tokens == pytest.approx((72e9 - 16.06e9) / 131_072, abs=16)
    assert config.kv_capacity_tokens % 16 == 0
    twice = ServerConfig(H100, LLAMA_8B, tensor_parallel=2)
    assert twice.kv_capacity_tokens == pytest.approx((144e9 - 16.06e9) / 131_072, abs=16)
    assert ServerConfig(H100, LLAMA_8B, kv_tokens=1000).kv_capacity_tokens == 992
    assert ServerConfig(A100, LLAMA_70B, tensor_parallel=4).kv_capacity_tokens > 400_000


def test_devices_and_limits() -> None:
    split = ServerConfig(H100, LLAMA_8B, tensor_parallel=2, prefill_instances=1, decode_instances=3)
    assert (split.instances, split.devices, split.disaggregated) == (4, 8, True)
    assert ServerConfig(H100, LLAMA_8B).limit_w == 700
    assert ServerConfig(H100, LLAMA_8B, power_limit_w=400.0).limit_w == 400
    assert ServerConfig(H100, LLAMA_8B, power_limit_w=900.0).limit_w == 700  # a board has its own


def test_names() -> None:
    assert gpu_named(" h100 ") is H100
    assert model_named("Llama-8B") is LLAMA_8B
    for named, known in ((gpu_named, GPUS), (model_named, MODELS)):
        with pytest.raises(InputError, match="'nothing'") as error:
            named("nothing")
        assert all(name in error.value.fix.lower() for name in known)


def test_impossible_boards_and_models_are_refused() -> None:
    with pytest.raises(ValueError, match="idle_w lies between"):
        GpuModel("X", 70, 1e9, 1e12, 1e11, 1e9, 1e9, "", idle_w=80, compute_w=1, memory_w=1)
    with pytest.raises(ValueError, match="share"):
        GpuModel("X", 70, 1e9, 1e12, 1e11, 1e9, 1e9, "", idle_w=8, compute_w=1, memory_w=1, kv_share=1.5)
    with pytest.raises(ValueError, match="draws power"):
        GpuModel("X", 70, 1e9, 1e12, 1e11, 1e9, 1e9, "", idle_w=8, compute_w=0, memory_w=1)
    with pytest.raises(ValueError, match="no more is active"):
        ModelShape("x", 1e9, 1000, 2, 64, active_parameters=2e9)
    assert SMOLLM2_135M.active == SMOLLM2_135M.parameters
    assert 0 < SMALL.idle_w < SMALL.tdp_w

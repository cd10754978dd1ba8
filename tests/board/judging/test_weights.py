"""What a name says of a model's size, and what it does not."""

from __future__ import annotations

import pytest

from joulemark.board.judging.weights import bits_of, weights_of


@pytest.mark.parametrize(
    ("model", "parameters", "active"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", 8e9, 8e9),
        ("HuggingFaceTB/SmolLM2-135M-Instruct", 135e6, 135e6),
        ("llama3.2:1b-instruct-q4_0", 1e9, 1e9),
        ("Qwen/Qwen2.5-0.5B-Instruct", 0.5e9, 0.5e9),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", 30e9, 3e9),
        ("ibm-granite/granite-3.0-1b-a400m-instruct", 1e9, 400e6),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", 8e9, 8e9),
        ("google/gemma-3-27b-it", 27e9, 27e9),
        ("google/gemma-3n-E4B-it", None, None),
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", None, None),
        ("openai/gpt-oss-120b", 120e9, None),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", None, None),
        ("microsoft/Phi-3.5-MoE-instruct", None, None),
        ("deepseek-ai/DeepSeek-V3", None, None),
        ("own/model-7b", 7e9, None),
        ("gpt-4o-mini", None, None),
        ("unnamed", None, None),
        ("llama-0b", None, None),
    ],
)
def test_parameters_by_name(model: str, parameters: float | None, active: float | None) -> None:
    found = weights_of(model, None, {})
    assert (found.parameters, found.active_parameters) == (parameters, active)


def test_the_engine_knows_better_than_the_name() -> None:
    assert weights_of("SmolLM2-135M", None, {"parameters": 134_515_008}).active_parameters == 134_515_008
    assert weights_of("llama3.1:8b", None, {"parameter_size": "8.0B"}).parameters == 8e9
    assert weights_of("llama-8b", None, {"parameter_size": "big"}).parameters == 8e9
    assert weights_of("mixtral:8x7b", None, {"parameters": 46_702_792_704}).active_parameters is None


@pytest.mark.parametrize(
    ("quantization", "bits"),
    [
        ("Q4_K_M", 4),
        ("Q4_1", 4),
        ("IQ2_XXS", 2),
        ("UD-Q2_K_XL", 2),
        ("Q8_0", 8),
        ("Q5_K - Medium", 5),
        ("MOSTLY_Q4_0", 4),
        ("bfloat16", 16),
        ("BF16", 16),
        ("all F32", 32),
        ("F16", 16),
        ("fp8", 8),
        ("W8A8", 8),
        ("W4A16", 4),
        ("AWQ", 4),
        ("MXFP4", 4),
        ("modelopt_fp4", 4),
        ("bitsandbytes-nf4", 4),
        ("int8", 8),
        ("gptq", None),
        ("Q0_K", None),
        ("W0A16", None),
        ("none", None),
        (None, None),
    ],
)
def test_bits_are_the_least_that_a_name_allows(quantization: str | None, bits: float | None) -> None:
    assert bits_of(quantization) == bits

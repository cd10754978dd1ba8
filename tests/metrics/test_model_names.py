"""Which model a user means."""

from __future__ import annotations

import pytest

from joulemark.metrics.model_names import matching_models

MODELS = (
    "meta-llama/Meta-Llama-3.1-8B-Instruct",
    "meta-llama/Meta-Llama-3.1-70B-Instruct",
    "google/gemma-2-2b-it",
    "google/gemma-2-27b-it",
    "google/codegemma-1.1-2b",
    "stabilityai/stable-diffusion-2-1",
)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("META-LLAMA/meta-llama-3.1-8b-instruct", MODELS[:1]),
        ("gemma-2-2b-it", MODELS[2:3]),
        ("Llama 3.1 8B", MODELS[:1]),
        ("llama 3.1", (MODELS[1], MODELS[0])),
        ("CodeGemma 2B", MODELS[4:5]),
        ("Stable Diffusion 2.1", MODELS[5:]),
        ("llama 8", ()),
        ("", ()),
        ("/", ()),
    ],
)
def test_names(wanted: str, found: tuple[str, ...]) -> None:
    assert matching_models(wanted, MODELS) == list(found)

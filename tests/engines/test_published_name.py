from __future__ import annotations

import pytest

from joulemark.engines.published_name import published_name


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("/home/mia/models/qwen3-8b-q4_k_m.gguf", "qwen3-8b-q4_k_m.gguf"),
        ("/data/models/Qwen3-8B/", "Qwen3-8B"),
        ("~/models/m.gguf", "m.gguf"),
        ("../mia/m", "m"),
        ("models/mia/m.gguf", "m.gguf"),
        (r"C:\Users\mia\m.gguf", "m.gguf"),
        (r"\\nas\mia\m.gguf", "m.gguf"),
        ("file:///home/mia/m", "m"),
        ("Qwen/Qwen3-8B", "Qwen/Qwen3-8B"),
        ("llama3.2:latest", "llama3.2:latest"),
        ("ggml-org/gemma-3-4b-it-GGUF:Q4_K_M", "ggml-org/gemma-3-4b-it-GGUF:Q4_K_M"),
    ],
)
def test_no_folder_leaves_and_a_repository_stays(text: str, published: str) -> None:
    assert published_name(text) == published

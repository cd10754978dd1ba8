"""Requests of made-up lengths: Pareto prompts and exponential answers, or all alike."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from joulemark.simulate.request import SimRequest

PARETO_ALPHA = 2.5
"""The shape of prompt lengths in the synthetic workload of the ML.ENERGY benchmark."""

Shape = Literal["drawn", "fixed"]


def draw_requests(
    n: int,
    prompt_tokens: float,
    output_tokens: float,
    seed: int,
    *,
    shape: Shape = "drawn",
    longest: int | None = None,
) -> list[SimRequest]:
    """Return ``n`` requests whose lengths have the given means, at least one token each.

    ``drawn``: Pareto (alpha 2.5) prompts and exponential answers; ``fixed``: all alike. A
    prompt and its answer have ``longest`` tokens together at most; where they would have more, the prompt
    is cut first.
    Raises ``ValueError`` for means below one token.
    """
    if min(prompt_tokens, output_tokens) < 1:
        raise ValueError("a request has at least one token in and one out")
    if shape == "fixed":
        prompts = np.full(n, round(prompt_tokens), dtype=np.int64)
        outputs = np.full(n, round(output_tokens), dtype=np.int64)
    else:
        random = np.random.default_rng(seed)
        least = prompt_tokens * (PARETO_ALPHA - 1) / PARETO_ALPHA
        prompts = _whole(least * (1 + random.pareto(PARETO_ALPHA, n)))
        outputs = _whole(random.exponential(output_tokens, n))
    if longest is not None:
        outputs = np.minimum(outputs, max(1, longest - 1))
        prompts = np.minimum(prompts, np.maximum(1, longest - outputs))
    return [
        SimRequest(str(number), prompt, output)
        for number, (prompt, output) in enumerate(zip(prompts.tolist(), outputs.tolist(), strict=True))
    ]


def _whole(lengths: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return lengths rounded to the nearest token, at least one."""
    return np.maximum(1, np.round(lengths)).astype(np.int64)

"""What a made-up load draws by chance, real or simulated: lengths in tokens, and gaps between arrivals."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

PARETO_ALPHA = 2.5
"""Shape of the prompts' lengths: as in the ML.ENERGY benchmark (NeurIPS 2025)."""

LengthKind = Literal["fixed", "drawn"]
_LONGEST = 10_000_000

Ints = NDArray[np.int64]


def drawn_lengths(
    n: int,
    prompt_mean: int,
    output_mean: int,
    seed: int,
    *,
    kind: LengthKind = "fixed",
    longest: int | None = None,
) -> tuple[Ints, Ints]:
    """Return int64[n] tokens of prompts and int64[n] of answers, at least one each, with the given means.

    ``fixed``: each as the mean. ``drawn``: prompts from a Pareto distribution with shape `PARETO_ALPHA` (its
    scale is mean · (α − 1)/α), answers from the exponential distribution on whole tokens from 1 on (the
    geometric one). ``longest`` cuts prompts off, which lowers their mean; null does not. The first k of n are
    those of k. Raises ``ValueError`` for means below one token.
    """
    if min(prompt_mean, output_mean) < 1:
        raise ValueError("a request has at least one token in and one out")
    most = longest or _LONGEST
    if kind == "fixed":
        return np.full(n, min(prompt_mean, most), np.int64), np.full(n, output_mean, np.int64)
    uniform = np.random.Generator(np.random.PCG64(seed)).random((n, 3))
    prompts, outputs = np.ones(n), np.ones(n)  # a mean of one token leaves nothing to draw
    if prompt_mean > 1:
        scale = prompt_mean * (PARETO_ALPHA - 1) / PARETO_ALPHA
        # up or down at random, so that the mean of whole tokens is that of the distribution
        prompts = np.floor(scale * (1 - uniform[:, 0]) ** (-1 / PARETO_ALPHA) + uniform[:, 1])
    if output_mean > 1:
        outputs = np.maximum(1, np.ceil(np.log1p(-uniform[:, 2]) / np.log1p(-1 / output_mean)))
    return np.minimum(prompts, most).astype(np.int64), outputs.astype(np.int64)


def poisson_gaps(n: int, seed: int) -> NDArray[np.float64]:
    """Return float64[n] gaps of mean 1 between the arrivals of a Poisson process."""
    return -np.log1p(-np.random.Generator(np.random.PCG64(seed)).random(n))

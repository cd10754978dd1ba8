"""How long prompts and answers are: fixed, or drawn as published load tests draw them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from joulemark.record.errors import InputError

PARETO_ALPHA = 2.5
"""Shape of the prompts' lengths: as in the ML.ENERGY benchmark (NeurIPS 2025)."""

LengthKind = Literal["fixed", "drawn"]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a made-up request is to be: tokens of prompt and answer.

    ``blocks`` name the blocks of 512 tokens that its prompt consists of: equal names, equal text.
    """

    prompt_tokens: int
    output_tokens: int
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Lengths:
    """Lengths in tokens with given means.

    ``fixed``: each as the mean. ``drawn``: prompts from a Pareto distribution with shape `PARETO_ALPHA` (its
    scale is mean · (α − 1)/α), answers from the exponential distribution on whole tokens from 1 on (the
    geometric one). ``longest`` cuts prompts off, which lowers their mean; null does not.
    """

    prompt_mean: int
    output_mean: int
    kind: LengthKind = "fixed"
    longest: int | None = None

    def __post_init__(self) -> None:
        for value in (self.prompt_mean, self.output_mean):
            if not 1 <= value <= 10_000_000:
                raise InputError(f"{value} tokens are not possible", fix="give IN:OUT, such as 512:128")

    def draw(self, n: int, seed: int) -> list[Wish]:
        """Return ``n`` wishes; the first k of them are those of k."""
        longest = self.longest or 10_000_000
        if self.kind == "fixed":
            return [Wish(min(self.prompt_mean, longest), self.output_mean)] * n
        uniform = np.random.Generator(np.random.PCG64(seed)).random((n, 3))
        scale = self.prompt_mean * (PARETO_ALPHA - 1) / PARETO_ALPHA
        prompts = scale * (1 - uniform[:, 0]) ** (-1 / PARETO_ALPHA)
        # up or down at random, so that the mean of whole tokens is that of the distribution
        prompts = np.clip(np.floor(prompts + uniform[:, 1]), 1, longest)
        if self.output_mean == 1:
            outputs = np.ones(n)
        else:
            outputs = np.ceil(np.log1p(-uniform[:, 2]) / np.log1p(-1 / self.output_mean))
        return [
            Wish(int(prompt), max(int(output), 1)) for prompt, output in zip(prompts, outputs, strict=True)
        ]


def parse_lengths(text: str, kind: LengthKind = "fixed", longest: int | None = None) -> Lengths:
    """Return the lengths of ``IN:OUT``, two numbers of tokens; raises `InputError`."""
    found = re.fullmatch(r"(\d{1,8}):(\d{1,8})", text.strip())
    if found is None:
        raise InputError(
            f"{text!r} is no pair of lengths",
            why="IN:OUT are the tokens of a prompt and of an answer",
            fix="give for example --synthetic 512:128",
        )
    return Lengths(int(found[1]), int(found[2]), kind, longest)

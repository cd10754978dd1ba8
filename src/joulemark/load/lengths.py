"""How long prompts and answers are: fixed, or drawn as published load tests draw them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from joulemark.record.drawn import LengthKind, drawn_lengths
from joulemark.record.errors import InputError


@dataclass(frozen=True, slots=True)
class RequestLengths:
    """The tokens of a made-up request: those of its prompt and of its answer.

    ``blocks`` name the blocks of 512 tokens that its prompt consists of: equal names, equal text.
    """

    prompt_tokens: int
    output_tokens: int
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Lengths:
    """Lengths in tokens with given means, as `drawn_lengths` draws them."""

    prompt_mean: int
    output_mean: int
    kind: LengthKind = "fixed"
    longest: int | None = None

    def __post_init__(self) -> None:
        for value in (self.prompt_mean, self.output_mean):
            if not 1 <= value <= 10_000_000:
                raise InputError(f"{value} tokens are not possible", fix="give IN:OUT, such as 512:128")

    @property
    def name(self) -> str:
        """What tells them from other lengths, as part of a task's name: ``512-128-drawn``."""
        kind = "" if self.kind == "fixed" else f"-{self.kind}"
        longest = "" if self.longest is None else f"-up-to-{self.longest}"
        return f"{self.prompt_mean}-{self.output_mean}{kind}{longest}"

    def draw(self, n: int, seed: int) -> list[RequestLengths]:
        """Return ``n`` requests; the first k of them are those of k."""
        prompts, outputs = drawn_lengths(
            n, self.prompt_mean, self.output_mean, seed, kind=self.kind, longest=self.longest
        )
        return [
            RequestLengths(prompt, output)
            for prompt, output in zip(prompts.tolist(), outputs.tolist(), strict=True)
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

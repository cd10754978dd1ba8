"""A workload given as texts: what tokens they would be to each model, by what its run counted of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.least_squares import condition, least_squares
from joulemark.metrics.picking.workload import Workload, sampled

MIN_TEXTS = 10
_MAX_CONDITION = 100.0

Characters = tuple[int, int | None]
"""Characters of a prompt and of its answer; null where there is none."""


@dataclass(frozen=True, slots=True)
class TokenRates:
    """What one model's tokenizer makes of text, by the texts of its run.

    A prompt is ``fixed`` tokens (the template's) and ``per_prompt_character`` a character; an answer
    ``per_answer_character``. ``n`` texts were looked at.
    """

    fixed: float
    per_prompt_character: float
    per_answer_character: float
    n: int


@dataclass(frozen=True, slots=True)
class TextWorkload:
    """Requests as texts. ``completion_tokens`` stand for the answers where the sample holds none."""

    requests: tuple[Characters, ...]
    completion_tokens: float | None = None
    requests_per_day: float | None = None
    told: str = "a sample of texts"

    def counted(self, rates: TokenRates) -> Workload:
        """Return the workload in the tokens of one model; raises ``ValueError`` without answers."""
        lengths = []
        for prompt, answer in self.requests:
            output = self.completion_tokens if answer is None else answer * rates.per_answer_character
            if output is None:
                raise ValueError("the sample holds no answers, and no number of tokens stands for them")
            lengths.append((rates.fixed + prompt * rates.per_prompt_character, output))
        return sampled(lengths, self.requests_per_day, self.told)


def token_rates(texts: Sequence[tuple[int, int, int, int]]) -> TokenRates | None:
    """Return the rates of a run from (prompt characters, prompt tokens, answer characters, answer tokens).

    Null for fewer than `MIN_TEXTS` texts, or where they hold nothing. Where the prompts are too much alike to
    tell a fixed part from a rate, all is taken as rate.
    """
    if len(texts) < MIN_TEXTS:
        return None
    table = np.asarray(texts, np.float64)
    if table[:, 0].sum() <= 0 or table[:, 2].sum() <= 0:
        return None
    fixed, rate = 0.0, float(table[:, 1].sum() / table[:, 0].sum())
    design = np.column_stack([np.ones(len(table)), table[:, 0]])
    if condition(design) <= _MAX_CONDITION:
        a, b = least_squares(design, table[:, 1], range(len(table))).coefficients.tolist()
        if a >= 0 and b > 0:
            fixed, rate = a, b
    return TokenRates(fixed, rate, float(table[:, 3].sum() / table[:, 2].sum()), len(table))

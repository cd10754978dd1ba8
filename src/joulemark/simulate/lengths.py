"""Requests of made-up lengths, drawn as those that are sent to real engines."""

from __future__ import annotations

import numpy as np

from joulemark.record.drawn import LengthKind, drawn_lengths
from joulemark.simulate.request import SimRequest


def draw_requests(
    n: int,
    prompt_tokens: int,
    output_tokens: int,
    seed: int,
    *,
    kind: LengthKind = "drawn",
    longest: int | None = None,
    room: int | None = None,
) -> list[SimRequest]:
    """Return ``n`` requests whose lengths have the given means, as `drawn_lengths` draws them.

    A prompt and its answer have ``room`` tokens together at most: where they would have more, the prompt is
    cut first, then the answer. Raises ``ValueError`` for means below one token.
    """
    prompts, outputs = drawn_lengths(n, prompt_tokens, output_tokens, seed, kind=kind, longest=longest)
    if room is not None:
        outputs = np.minimum(outputs, max(1, room - 1))
        prompts = np.minimum(prompts, np.maximum(1, room - outputs))
    return [
        SimRequest(str(number), prompt, output)
        for number, (prompt, output) in enumerate(zip(prompts.tolist(), outputs.tolist(), strict=True))
    ]

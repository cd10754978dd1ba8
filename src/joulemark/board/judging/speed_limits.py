"""How fast a device can answer at most, and what reading weights costs at least.

One sequence advances one step at a time, and every step reads the weights that work on a token. So a sequence
takes no more steps a second than the memory can deliver them, however many sequences share a step.
"""

from __future__ import annotations

from collections.abc import Iterator

from joulemark.board.judging.devices import DeviceLimits
from joulemark.board.judging.facts import RunFacts
from joulemark.board.judging.ground import Ground

ALLOWANCE = 1.4
"""Weights that a step does not read (input embeddings: a quarter of the smallest models) and memory that was
overclocked by a tenth."""
TOKENS_A_STEP = 8.0
"""More tokens than speculative decoding has accepted a step on the average; where pieces are seen, their
number counts."""
JOULES_PER_BIT = 2e-12
"""HBM2 takes 3.92 pJ a bit and the best design proposed against it half. Source: O'Connor and others,
Fine-Grained DRAM (MICRO 2017); graphics memory takes more."""
ANY_TOKENS_PER_S = 100_000.0
"""Of one sequence, on any device: ten microseconds for a pass through all layers, each after the other."""
ANY_PROMPT_TOKENS_PER_S = 1e8
TOKENS_OVER_PIECES = 1.5
"""Tokens of an answer over those that its pieces hold; special tokens are few."""


def speed_grounds(facts: RunFacts, board: DeviceLimits | None) -> Iterator[Ground]:
    """Yield speeds that neither this device nor, where it is not known, any can reach."""
    over = facts.tokens_over_pieces
    if over is not None and over > TOKENS_OVER_PIECES:
        yield Ground(
            "token_counts",
            f"Its answers are said to have {over:.2f} times the tokens that their pieces hold.",
        )
    fastest, prompts = facts.fastest_tokens_per_s, facts.prompt_tokens_per_s
    if fastest is not None and fastest > ANY_TOKENS_PER_S:
        yield Ground(
            "impossible_rate",
            f"One of its answers came at {fastest:,.0f} tokens a second; nothing computes layer after layer "
            f"that fast ({ANY_TOKENS_PER_S:,.0f}).",
        )
    if prompts is not None and prompts > ANY_PROMPT_TOKENS_PER_S and facts.prefix_cache is False:
        yield Ground("impossible_rate", f"Its prompts were read at {prompts:,.0f} tokens a second.")
    if board is not None:
        yield from _decoding(facts, board)
        yield from _computing(facts, board)


def steps_per_s(facts: RunFacts, board: DeviceLimits) -> float | None:
    """Return the most steps a second of one sequence, `ALLOWANCE` included.

    Null where the weights are not known, or lie in the cache. All devices read at once, each its part.
    """
    read = _bytes_a_step(facts, board)
    n = facts.n_devices or 1
    return None if read is None else ALLOWANCE * n * board.memory_bytes_per_s / read


def memory_energy_j(facts: RunFacts, board: DeviceLimits) -> float | None:
    """Return the least joules of an idle board that reads the weights in every step; null where not known.

    As many sequences as were in flight share a step.
    """
    read = _bytes_a_step(facts, board)
    steps = facts.steps
    if steps is None and facts.completion_tokens is not None:
        steps = int(facts.completion_tokens / TOKENS_A_STEP)
    if read is None or steps is None or facts.duration_s is None or facts.n_devices is None:
        return None
    reading_j = steps / max(1, facts.most_in_flight) * read * 8 * JOULES_PER_BIT / ALLOWANCE
    return reading_j + board.idle_w * facts.n_devices * facts.duration_s


def _bytes_a_step(facts: RunFacts, board: DeviceLimits) -> float | None:
    """Return what a step reads from memory at least: the active weights without what caches can hold."""
    if facts.active_parameters is None or facts.bits_per_weight is None:
        return None
    cached = board.cache_bytes * (facts.n_devices or 1)
    read = facts.active_parameters * facts.bits_per_weight / 8 - cached
    return read if read > 0 else None


def _decoding(facts: RunFacts, board: DeviceLimits) -> Iterator[Ground]:
    most = steps_per_s(facts, board)
    if most is None:
        return
    told = (
        f"the memory of {facts.n_devices or 1} × {board.name} ({board.memory_bytes_per_s / 1e12:g} TB/s "
        f"each, {board.source}) delivers the weights of {facts.model} ({facts.quantization}) at most "
        f"{most:,.0f} times a second. Speculative decoding, or another quantization than the one stated, "
        "would explain it"
    )
    steps, tokens = facts.sequence_steps_per_s, facts.sequence_tokens_per_s
    if steps is not None and steps > most:
        yield Ground("decode_rate", f"One sequence took {steps:,.0f} steps a second; {told}.")
    elif tokens is not None and tokens > TOKENS_A_STEP * most:
        yield Ground(
            "decode_rate",
            f"One sequence got {tokens:,.0f} tokens a second; {told}, by no more than {TOKENS_A_STEP:g} "
            "tokens a step.",
        )


def _computing(facts: RunFacts, board: DeviceLimits) -> Iterator[Ground]:
    """Tell more multiplications than the device can do: two operations a parameter and token."""
    active = facts.active_parameters
    if active is None:
        return
    most = ALLOWANCE * (facts.n_devices or 1) * board.operations_per_s / (2 * active)
    prompts = facts.prompt_tokens_per_s
    told = f"{facts.n_devices or 1} × {board.name} computes at most {most:,.0f} ({board.source})"
    if prompts is not None and facts.prefix_cache is False and prompts > most:
        yield Ground(
            "prompt_rate",
            f"The prompts of one sequence were read at {prompts:,.0f} tokens a second; {told}.",
        )
    if facts.duration_s and facts.completion_tokens is not None:
        tokens = facts.completion_tokens + _computed_prompt(facts)
        if (rate := tokens / facts.duration_s) > most:
            yield Ground("compute_rate", f"In all it worked on {rate:,.0f} tokens a second; {told}.")


def _computed_prompt(facts: RunFacts) -> int:
    """Return the tokens of prompts that were computed for sure: a cache may have held those of others."""
    if facts.prompt_tokens is None:
        return 0
    if facts.prefix_cache is False:
        return facts.prompt_tokens - (facts.cached_tokens or 0)
    return 0 if facts.cached_tokens is None else facts.prompt_tokens - facts.cached_tokens

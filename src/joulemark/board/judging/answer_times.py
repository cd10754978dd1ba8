"""How fast a run says that it answered, one request at a time seen, and how often it says the very same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from joulemark.board.judging.shingles import answer_shingles
from joulemark.metrics.latency import answered_items
from joulemark.metrics.run_view import RunView
from joulemark.record.item import Chunk, Item

SHORTEST_TOKENS = 16
"""Answers of fewer tokens take part in no rate: an answer of one token takes no time but its prompt's."""
LEAST_SHINGLES = 100
SAME_STEP_NS = 100_000
"""Pieces that follow each other closer are of one step that guessed several tokens."""


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """Rates of single requests; null where counts or stamps lack.

    ``tokens_per_s`` are all output tokens over the whole times of their requests, so that nothing that a
    network held back makes it faster. ``steps_per_s`` counts pieces of the stream in place of tokens, and
    those that came in one read or within `SAME_STEP_NS` once: several tokens that one step of the engine
    guessed are one. ``fastest_tokens_per_s`` is the highest ``tokens_per_s`` of one answer.
    ``prompt_tokens_per_s`` are the tokens of prompts that came from no cache, over the times to the first
    token. ``steps`` are the pieces of all answers,
    ``tokens_over_pieces`` the tokens that answers are said to have over those that their pieces hold.
    ``repeated_share`` is the share of stretches of a stream whose gaps stand in the run at another time too.
    """

    tokens_per_s: float | None = None
    steps_per_s: float | None = None
    fastest_tokens_per_s: float | None = None
    prompt_tokens_per_s: float | None = None
    steps: int | None = None
    tokens_over_pieces: float | None = None
    repeated_share: float | None = None
    most_in_flight: int = 0


def answer_times(view: RunView) -> AnswerTimes:
    """Describe the speeds of a run's counted answers."""
    answered = answered_items(view.measured_items)
    long = [
        (item, view.chunks.get(item.key, ()))
        for item in answered
        if (item.completion_tokens or 0) >= SHORTEST_TOKENS and item.t_end > item.t_sent
    ]
    whole_s = math.fsum((item.t_end - item.t_sent) * 1e-9 for item, _ in long)
    tokens = sum(item.completion_tokens or 0 for item, _ in long)
    pieces = [_pieces(chunks) for _, chunks in long]
    seen = bool(pieces) and all(n > 0 for n in pieces)
    rates = [(item.completion_tokens or 0) / ((item.t_end - item.t_sent) * 1e-9) for item, _ in long]
    return AnswerTimes(
        tokens_per_s=tokens / whole_s if long else None,
        steps_per_s=sum(pieces) / whole_s if seen else None,
        fastest_tokens_per_s=max(rates, default=None),
        prompt_tokens_per_s=_prompt_rate(answered),
        steps=sum(_pieces(view.chunks.get(item.key, ())) for item in answered) if seen else None,
        tokens_over_pieces=_over_pieces(long),
        repeated_share=_repeated_share(view),
        most_in_flight=_most_in_flight(view.items),
    )


def _pieces(chunks: Sequence[Chunk]) -> int:
    stamps = [chunk.t_ns for chunk in chunks if not chunk.coalesced]
    return bool(stamps) + sum(b - a >= SAME_STEP_NS for a, b in pairwise(stamps))


def _prompt_rate(answered: Sequence[Item]) -> float | None:
    timed = [item for item in answered if item.t_first is not None and item.t_first > item.t_sent]
    if not timed or any(item.prompt_tokens is None for item in timed):
        return None
    tokens = sum(max(0, (item.prompt_tokens or 0) - (item.cached_tokens or 0)) for item in timed)
    seconds = math.fsum(((item.t_first or 0) - item.t_sent) * 1e-9 for item in timed)
    return tokens / seconds


def _over_pieces(long: Sequence[tuple[Item, Sequence[Chunk]]]) -> float | None:
    """Return tokens over those in the pieces, of answers that hide none; null where there are none such."""
    stated = held = 0
    for item, chunks in long:
        counts = [chunk.tokens for chunk in chunks]
        if not counts or None in counts or item.reasoning_tokens:
            continue
        stated += item.completion_tokens or 0
        held += sum(count or 0 for count in counts)
    return stated / held if held else None


def _repeated_share(view: RunView) -> float | None:
    shingles = answer_shingles(view)
    if len(shingles) < LEAST_SHINGLES:
        return None
    return shingles.repeated_share()


def _most_in_flight(items: Sequence[Item]) -> int:
    events = sorted(
        [(item.segment, item.t_begin, 1) for item in items]
        + [(item.segment, item.t_end, -1) for item in items]
    )
    now = most = 0
    for _, _, step in events:
        now += step
        most = max(most, now)
    return most

"""Tokens and how fast they came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.energy_per import completion_tokens
from joulemark.metrics.latency import answered_items, in_one_piece
from joulemark.metrics.token_doubt import CONTRADICTED, WITHHELD_WHEN, counts_contradicted
from joulemark.metrics.value import Value, withheld
from joulemark.record.item import Chunk, Item
from joulemark.record.reason import Reason

THROUGHPUT = MetricDefinition(
    "tokens_per_second",
    "Output tokens per second, whole run",
    "tokens/s",
    r"\sum_i n_{\mathrm{completion},i} / t",
    ("items.completion_tokens", "windows"),
    ("any request has no token count", WITHHELD_WHEN),
    "prompt processing, queueing and the gaps between items are inside the time",
)
DECODE = MetricDefinition(
    "decode_tokens_per_second",
    "Decode speed of one request",
    "tokens/s",
    r"\sum_i (n_i - 1) / \sum_i (t_{\mathrm{end},i} - t_{\mathrm{first},i})",
    ("items.completion_tokens", "items.t_first", "items.t_end"),
    ("the answers were not streamed", "no request has two tokens and a first-token time", WITHHELD_WHEN),
    "the inverse of the token-weighted TPOT; answers that came in one read are left out; "
    "overlapping requests each count their own time",
)
MEAN_TOKENS = MetricDefinition(
    "mean_completion_tokens",
    "Output tokens per request",
    "tokens",
    r"\sum_i n_{\mathrm{completion},i} / n_\mathrm{requests}",
    ("items.completion_tokens",),
    ("any request has no token count", WITHHELD_WHEN),
    "energy per request = energy per token x this, so that verbosity shows",
)
MEAN_PROMPT = MetricDefinition(
    "mean_prompt_tokens",
    "Prompt tokens per request",
    "tokens",
    r"\sum_i n_{\mathrm{prompt},i} / n_\mathrm{requests}",
    ("items.prompt_tokens",),
    ("any request has no token count", WITHHELD_WHEN),
    "as the engine reports them",
)
DEFINITIONS = (MEAN_PROMPT, MEAN_TOKENS, THROUGHPUT, DECODE)

_NO_REQUEST = "No request was made."


def tokens_per_second(items: Sequence[Item], duration_s: float | None) -> Value:
    """Return output tokens over the length of the measured windows."""
    tokens = completion_tokens(items)
    if isinstance(tokens, Value):
        assert tokens.reason is not None
        return withheld("tokens/s", tokens.reason, detail=tokens.detail)
    if not items or not duration_s:
        return withheld("tokens/s", Reason.OUTSIDE_TIMELINE, detail="The measured windows have no length.")
    return Value(tokens / duration_s, "tokens/s", n=len(items))


def decode_tokens_per_second(
    items: Sequence[Item], chunks: Mapping[tuple[str, int], Sequence[Chunk]] | None = None
) -> Value:
    """Return the token-weighted decode speed of single requests, first token and prompt left out.

    Answers that came in one piece are left out with their tokens. ``chunks`` by ``Item.key``.
    """
    answered = answered_items(items)
    if counts_contradicted(items):
        return withheld("tokens/s", Reason.NOT_REPORTED, detail=CONTRADICTED)
    if any(item.streamed is not True for item in answered):
        return withheld("tokens/s", Reason.NOT_STREAMED)
    seen = [item for item in answered if not in_one_piece(item, (chunks or {}).get(item.key, ()))]
    timed = [
        (item.completion_tokens - 1, (item.t_end - item.t_first) / 1e9)
        for item in seen
        if item.t_first is not None and item.completion_tokens is not None and item.completion_tokens > 1
    ]
    seconds = sum(s for _, s in timed)
    if seconds <= 0:
        whole = len(seen) < len(answered)
        return withheld("tokens/s", Reason.COALESCED if whole else Reason.NO_TOKEN_SEEN)
    return Value(sum(n for n, _ in timed) / seconds, "tokens/s", n=len(timed))


def mean_completion_tokens(items: Sequence[Item]) -> Value:
    """Return output tokens per request, failed ones included."""
    return _mean(items, [item.completion_tokens for item in items])


def mean_prompt_tokens(items: Sequence[Item]) -> Value:
    """Return prompt tokens per request, failed ones included."""
    return _mean(items, [item.prompt_tokens for item in items])


def _mean(items: Sequence[Item], counts: Sequence[int | None]) -> Value:
    if items and counts_contradicted(items):
        return withheld("tokens", Reason.NOT_REPORTED, detail=CONTRADICTED)
    known = [count for count in counts if count is not None]
    if not counts:
        return withheld("tokens", Reason.NOTHING_SCORED, detail=_NO_REQUEST)
    if len(known) < len(counts):
        missing = len(counts) - len(known)
        detail = f"{missing} of {len(counts)} requests have no token count."
        return withheld("tokens", Reason.NOT_REPORTED, detail=detail)
    return Value(sum(known) / len(known), "tokens", n=len(known))

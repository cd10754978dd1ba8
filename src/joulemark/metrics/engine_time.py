"""Speeds by the engine's own clock, where it reports how long prompt and output took it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.latency import answered_items, in_one_piece
from joulemark.metrics.token_doubt import CONTRADICTED, WITHHELD_WHEN, counts_contradicted
from joulemark.metrics.value import Value, withheld
from joulemark.record.item import Chunk, Item
from joulemark.record.reason import Reason

Chunks = Mapping[tuple[str, int], Sequence[Chunk]]

MIN_TOKENS = 16
MIN_NS = 5_000_000
CLOCK_SLACK_NS = 2_000_000  # engines round their durations, to the millisecond at worst
MIN_CHUNKS = 3  # two may be a word and its end
MIN_SHARE_OF_STREAM = (
    0.5  # of the time from the first to the last chunk, which the output cannot be far below
)

_SHORT = "the run holds fewer than 16 such tokens, or less than 5 ms of such time"
_SOURCE = (
    "the engine's own durations, on its own clock; client and network are left out; the last try counts, and "
    "one that took longer by the engine's clock than by the client's does not, nor one whose output took the "
    "engine less than half the time from its first chunk to its last"
)

PREFILL = MetricDefinition(
    "engine_prefill_tokens_per_second",
    "Prompt speed by the engine's clock",
    "tokens/s",
    r"\sum_i (n_{\mathrm{prompt},i} - n_{\mathrm{cached},i}) / \sum_i t_{\mathrm{prefill},i}",
    ("items.prompt_tokens", "items.cached_tokens", "items.engine_prefill_ns"),
    (
        "the engine reports no such duration",
        "how much of the prompts came from a cache is not known, and the cache is not off",
        _SHORT,
    ),
    f"{_SOURCE}; tokens from a cache are not counted: they took no time",
)
DECODE = MetricDefinition(
    "engine_decode_tokens_per_second",
    "Output speed by the engine's clock",
    "tokens/s",
    r"\sum_i (n_{\mathrm{completion},i} - 1) / \sum_i t_{\mathrm{decode},i}",
    ("items.completion_tokens", "items.engine_decode_ns"),
    (
        "the engine reports no such duration",
        WITHHELD_WHEN,
        _SHORT,
    ),
    f"{_SOURCE}; the first token comes out of the prompt: that clock starts when it is there",
)
PREFILL_SHARE = MetricDefinition(
    "engine_prefill_share",
    "Share of the engine's time spent on prompts",
    "1",
    r"\sum_i t_{\mathrm{prefill},i} / \sum_i (t_{\mathrm{prefill},i} + t_{\mathrm{decode},i})",
    ("items.engine_prefill_ns", "items.engine_decode_ns"),
    ("the engine does not report both durations", "the run holds less than 5 ms of such time"),
    f"{_SOURCE}; loading the model is left out",
)
DEFINITIONS = (PREFILL, DECODE, PREFILL_SHARE)

_NOT_TOLD = "The engine does not report how long it took."
_IMPOSSIBLE = "The engine's clock contradicts the client's in every request that it timed."


def engine_time_too_long(item: Item) -> bool:
    """Tell whether the engine says it worked longer on the last try than the client waited for it."""
    spans = [ns for ns in (item.engine_prefill_ns, item.engine_decode_ns) if ns is not None]
    return sum(spans) > item.t_end - item.t_sent + CLOCK_SLACK_NS


def engine_time_too_short(item: Item, chunks: Sequence[Chunk]) -> bool:
    """Tell whether the engine's output time is far shorter than the client saw the output arrive.

    Only a stream of several chunks that did not come in one piece can tell.
    """
    if item.engine_decode_ns is None or item.streamed is not True or len(chunks) < MIN_CHUNKS:
        return False
    if in_one_piece(item, chunks):
        return False
    stream_ns = chunks[-1].t_ns - chunks[0].t_ns
    return item.engine_decode_ns + CLOCK_SLACK_NS < MIN_SHARE_OF_STREAM * stream_ns


def engine_time_contradicted(item: Item, chunks: Sequence[Chunk] = ()) -> bool:
    """Tell whether the client's clock contradicts the engine's, in either direction."""
    return engine_time_too_long(item) or engine_time_too_short(item, chunks)


def _believed(items: Sequence[Item], chunks: Chunks | None) -> list[Item]:
    return [
        item
        for item in answered_items(items)
        if not engine_time_contradicted(item, (chunks or {}).get(item.key, ()))
    ]


def _unknown(unit: str, items: Sequence[Item], chunks: Chunks | None) -> Value:
    doubted = len(_believed(items, chunks)) < len(answered_items(items))
    return withheld(unit, Reason.NOT_REPORTED, detail=_IMPOSSIBLE if doubted else _NOT_TOLD)


def engine_prefill_tokens_per_second(
    items: Sequence[Item], prefix_cache: bool | None, chunks: Chunks | None = None
) -> Value:
    """Return freshly processed prompt tokens over the engine's prompt time; ``chunks`` by ``Item.key``.

    ``prefix_cache`` tells whether prompts may come from a cache. Items whose cached part is not known are
    left out unless it is off; where that leaves none the figure is withheld.
    """
    timed = [item for item in _believed(items, chunks) if item.engine_prefill_ns is not None]
    known: list[tuple[int, int]] = []
    for item in timed:
        cached = 0 if item.cached_tokens is None and prefix_cache is False else item.cached_tokens
        if item.engine_prefill_ns is not None and item.prompt_tokens is not None and cached is not None:
            known.append((max(0, item.prompt_tokens - cached), item.engine_prefill_ns))
    if timed and not known:
        unknown = "How much of the prompts came from the engine's cache is not known."
        return withheld("tokens/s", Reason.NOT_REPORTED, detail=unknown)
    return _rate(known, items, chunks)


def engine_decode_tokens_per_second(items: Sequence[Item], chunks: Chunks | None = None) -> Value:
    """Return output tokens after the first over the engine's output time.

    Engines start that clock when the first token is there; an answer of one token took 0.001 ms by it, which
    no speed may be made of.
    """
    if items and counts_contradicted(items):
        return withheld("tokens/s", Reason.NOT_REPORTED, detail=CONTRADICTED)
    return _rate(
        [
            (item.completion_tokens - 1, item.engine_decode_ns)
            for item in _believed(items, chunks)
            if item.completion_tokens is not None
            and item.completion_tokens > 1
            and item.engine_decode_ns is not None
        ],
        items,
        chunks,
    )


def engine_prefill_share(items: Sequence[Item], chunks: Chunks | None = None) -> Value:
    """Return prompt time over prompt and output time, of the items with both."""
    both = [
        (item.engine_prefill_ns, item.engine_decode_ns)
        for item in _believed(items, chunks)
        if item.engine_prefill_ns is not None and item.engine_decode_ns is not None
    ]
    if not both:
        return _unknown("1", items, chunks)
    prefill_ns, all_ns = sum(p for p, _ in both), sum(p + d for p, d in both)
    if all_ns < MIN_NS:
        return withheld("1", Reason.TOO_SHORT, detail=f"{all_ns / 1e6:.3g} ms.", n=len(both))
    return Value(prefill_ns / all_ns, "1", n=len(both))


def _rate(timed: Sequence[tuple[int, int]], items: Sequence[Item], chunks: Chunks | None) -> Value:
    """Return tokens over nanoseconds; a rate over next to nothing is a fault of the clock, not a speed."""
    if not timed:
        return _unknown("tokens/s", items, chunks)
    tokens, duration_ns = sum(n for n, _ in timed), sum(ns for _, ns in timed)
    if tokens < MIN_TOKENS or duration_ns < MIN_NS:
        detail = f"{tokens:,} tokens in {duration_ns / 1e6:.3g} ms."
        return withheld("tokens/s", Reason.TOO_SHORT, detail=detail, n=len(timed))
    return Value(tokens / (duration_ns / 1e9), "tokens/s", n=len(timed))

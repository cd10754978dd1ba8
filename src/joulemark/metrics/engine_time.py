"""Speeds by the engine's own clock, where it reports how long prompt and output took it."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.latency import answered_items
from joulemark.metrics.token_doubt import CONTRADICTED, counts_contradicted
from joulemark.metrics.value import Value, withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

MIN_TOKENS = 16
MIN_NS = 5_000_000
CLOCK_SLACK_NS = 2_000_000  # engines round their durations, to the millisecond at worst

_SHORT = "the run holds fewer than 16 such tokens, or less than 5 ms of such time"
_SOURCE = (
    "the engine's own durations, on its own clock; client and network are left out; the last try counts, and "
    "one that took longer by the engine's clock than by the client's does not"
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
        "most token counts are contradicted by what was seen",
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
_IMPOSSIBLE = "By the engine's clock every request took longer than by the client's."


def engine_time_contradicted(item: Item) -> bool:
    """Tell whether the engine says it worked longer on the last try than the client waited for it."""
    spans = [ns for ns in (item.engine_prefill_ns, item.engine_decode_ns) if ns is not None]
    return sum(spans) > item.t_end - item.t_sent + CLOCK_SLACK_NS


def _believed(items: Sequence[Item]) -> list[Item]:
    return [item for item in answered_items(items) if not engine_time_contradicted(item)]


def _unknown(unit: str, items: Sequence[Item]) -> Value:
    doubted = any(map(engine_time_contradicted, answered_items(items)))
    return withheld(unit, Reason.NOT_REPORTED, detail=_IMPOSSIBLE if doubted else _NOT_TOLD)


def engine_prefill_tokens_per_second(items: Sequence[Item], prefix_cache: bool | None) -> Value:
    """Return freshly processed prompt tokens over the engine's prompt time.

    ``prefix_cache`` tells whether prompts may come from a cache. Items whose cached part is not known are
    left out unless it is off; where that leaves none the figure is withheld.
    """
    timed = [item for item in _believed(items) if item.engine_prefill_ns is not None]
    known: list[tuple[int, int]] = []
    for item in timed:
        cached = 0 if item.cached_tokens is None and prefix_cache is False else item.cached_tokens
        if item.engine_prefill_ns is not None and item.prompt_tokens is not None and cached is not None:
            known.append((max(0, item.prompt_tokens - cached), item.engine_prefill_ns))
    if timed and not known:
        unknown = "How much of the prompts came from the engine's cache is not known."
        return withheld("tokens/s", Reason.NOT_REPORTED, detail=unknown)
    return _rate(known, items)


def engine_decode_tokens_per_second(items: Sequence[Item]) -> Value:
    """Return output tokens after the first over the engine's output time.

    Engines start that clock when the first token is there; an answer of one token took 0.001 ms by it, which
    no speed may be made of.
    """
    if items and counts_contradicted(items):
        return withheld("tokens/s", Reason.NOT_REPORTED, detail=CONTRADICTED)
    return _rate(
        [
            (item.completion_tokens - 1, item.engine_decode_ns)
            for item in _believed(items)
            if item.completion_tokens is not None
            and item.completion_tokens > 1
            and item.engine_decode_ns is not None
        ],
        items,
    )


def engine_prefill_share(items: Sequence[Item]) -> Value:
    """Return prompt time over prompt and output time, of the items with both."""
    both = [
        (item.engine_prefill_ns, item.engine_decode_ns)
        for item in _believed(items)
        if item.engine_prefill_ns is not None and item.engine_decode_ns is not None
    ]
    if not both:
        return _unknown("1", items)
    prefill_ns, all_ns = sum(p for p, _ in both), sum(p + d for p, d in both)
    if all_ns < MIN_NS:
        return withheld("1", Reason.TOO_SHORT, detail=f"{all_ns / 1e6:.3g} ms.", n=len(both))
    return Value(prefill_ns / all_ns, "1", n=len(both))


def _rate(timed: Sequence[tuple[int, int]], items: Sequence[Item]) -> Value:
    """Return tokens over nanoseconds; a rate over next to nothing is a fault of the clock, not a speed."""
    if not timed:
        return _unknown("tokens/s", items)
    tokens, duration_ns = sum(n for n, _ in timed), sum(ns for _, ns in timed)
    if tokens < MIN_TOKENS or duration_ns < MIN_NS:
        detail = f"{tokens:,} tokens in {duration_ns / 1e6:.3g} ms."
        return withheld("tokens/s", Reason.TOO_SHORT, detail=detail, n=len(timed))
    return Value(tokens / (duration_ns / 1e9), "tokens/s", n=len(timed))

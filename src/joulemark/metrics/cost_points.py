"""What a fit of costs by lengths can use: single requests with their joules, or blocks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.answer_blocks import AnswerBlocks
from joulemark.metrics.latency import answered_items
from joulemark.record.attribution import Attribution
from joulemark.record.item import Item

ItemLengths = dict[tuple[str, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class CostPoint:
    """One request as the fit sees it, or the means of a block of ``requests``.

    ``prompt_tokens`` are those that were not taken from a cache.
    """

    item_id: str
    repeat: int
    prompt_tokens: float
    completion_tokens: float
    joules: float
    requests: int = 1


def cost_points(
    items: Sequence[Item], attributions: Mapping[tuple[str, int], Attribution]
) -> tuple[CostPoint, ...]:
    """Return the requests that a fit can use: answered, sent once, with known counts and a known energy."""
    points = []
    for key, (fresh, output) in _usable_lengths(items).items():
        row = attributions.get(key)
        if row is not None and row.joules is not None:
            points.append(CostPoint(*key, fresh, output, row.joules))
    return tuple(points)


def block_points(blocks: AnswerBlocks, items: Sequence[Item]) -> tuple[tuple[CostPoint, ...], ItemLengths]:
    """Return the blocks of which a fit can use every request, and the lengths of their requests."""
    usable = _usable_lengths(items)
    used: ItemLengths = {}
    points = []
    for number, (block, joules) in enumerate(zip(blocks.blocks, blocks.joules, strict=True)):
        if not all(key in usable for key in block.keys):
            continue
        lengths = {key: usable[key] for key in block.keys}
        used |= lengths
        n = len(lengths)
        prompt, output = (sum(of) / n for of in zip(*lengths.values(), strict=True))
        points.append(CostPoint(f"block {number}", 0, prompt, output, joules / n, n))
    return tuple(points), used


def _usable_lengths(items: Sequence[Item]) -> ItemLengths:
    """Return fresh prompt tokens and output tokens of the requests that a fit can use, by ``Item.key``."""
    found = {}
    for item in answered_items(items):
        if len(item.attempts) > 1 or item.prompt_tokens is None or item.completion_tokens is None:
            continue
        fresh = item.prompt_tokens - (item.cached_tokens or 0)
        if fresh >= 0:
            found[item.key] = (fresh, item.completion_tokens)
    return found

"""Whether the engine's token counts may be believed, from what the stream parser flagged."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.record.item import Item

CONTRADICTED = "The engine's token counts contradict what was seen."
MAX_DOUBTED_SHARE = 0.5
# A difference of one (an end token counted or not) and the prompt's own counts leave output tokens standing.
_HARMLESS = ("by one", "prompt token", "prompt_tokens", "cached")


def is_token_doubt(sentence: str) -> bool:
    """Tell whether a flagged sentence contradicts a count of output tokens."""
    return "token" in sentence and not any(word in sentence for word in _HARMLESS)


def doubted_items(items: Sequence[Item]) -> int:
    """Return how many items have output-token counts that something seen contradicts."""
    return sum(any(map(is_token_doubt, item.suspect)) for item in items)


def counts_contradicted(items: Sequence[Item]) -> bool:
    """Tell whether most of the items' counts are contradicted: then no figure may rest on any of them."""
    return doubted_items(items) > MAX_DOUBTED_SHARE * len(items)

"""Whether the engine's token counts may be believed, from what the stream parser flagged."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.record.item import Item

CONTRADICTED = "The engine's token counts contradict what was seen."
WITHHELD_WHEN = (
    "answers whose token counts are contradicted by what was seen carry more than 1 % of the tokens, or are "
    "most of the answers"
)
MAX_DOUBTED_SHARE = 0.5
MAX_DOUBTED_TOKENS_PCT = 1  # one count of 10¹² among sixty would otherwise be the whole sum
# A difference of one (an end token counted or not) and the prompt's own counts leave output tokens standing.
_HARMLESS = ("by one", "prompt token", "prompt_tokens", "cached")


def is_token_doubt(sentence: str) -> bool:
    """Tell whether a flagged sentence contradicts a count of output tokens."""
    return "token" in sentence and not any(word in sentence for word in _HARMLESS)


def doubted_items(items: Sequence[Item]) -> int:
    """Return how many items have output-token counts that something seen contradicts."""
    return sum(map(_is_doubted, items))


def counts_contradicted(items: Sequence[Item]) -> bool:
    """Tell whether no figure may rest on the items' counts: too many, or too much of them, are contradicted.

    That is where the doubted ones are most of the items, or carry more than 1 % of the output tokens.
    """
    if doubted_items(items) > MAX_DOUBTED_SHARE * len(items):
        return True
    tokens = sum(item.completion_tokens or 0 for item in items)
    doubted = sum(item.completion_tokens or 0 for item in items if _is_doubted(item))
    return 100 * doubted > MAX_DOUBTED_TOKENS_PCT * tokens  # whole numbers: a count may be beyond any float


def _is_doubted(item: Item) -> bool:
    return any(map(is_token_doubt, item.suspect))

"""No answer has more tokens than it was allowed: counts beyond that are doubted, when asked and when read."""

from __future__ import annotations

from dataclasses import replace

from joulemark.record.item import Chunk, ItemRow

_END_TOKENS = 1  # a stream may count the token that ends it


def over_budget(completion_tokens: int | None, budget: int) -> tuple[str, ...]:
    """Return the doubt of a count of output tokens beyond what was allowed; none of any other."""
    if completion_tokens is None or completion_tokens <= budget:
        return ()
    return (f"{completion_tokens} completion tokens were reported, and {budget} were allowed",)


def within_budget(row: ItemRow, budget: int) -> ItemRow:
    """Return a stored row as a reader may believe it; ``budget``: the most that any answer was allowed.

    A count of the whole answer beyond the budget is flagged anew, whatever the file says of it. Counts of
    chunks that sum up to more are unknown instead: they would stand in for a count that is missing.
    """
    item, chunks = row.item, row.chunks
    doubts = over_budget(item.completion_tokens, budget)
    seen = sum(chunk.tokens or 0 for chunk in chunks)
    if seen > budget + _END_TOKENS:
        doubts += (f"the chunks count {seen} tokens, and {budget} were allowed",)
        chunks = tuple(Chunk(chunk.t_ns, None, chunk.coalesced) for chunk in chunks)
    new = [doubt for doubt in doubts if doubt not in item.suspect]
    if not new and chunks is row.chunks:
        return row
    return replace(row, item=replace(item, suspect=(*item.suspect, *new)), chunks=chunks)

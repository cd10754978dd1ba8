"""Blocks of prompts that stay in memory after their request, and are read by the next that begins alike."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from joulemark.simulate.config import KV_BLOCK_TOKENS
from joulemark.simulate.request import PREFIX_BLOCK_TOKENS, SimRequest

PAGES_PER_BLOCK = PREFIX_BLOCK_TOKENS // KV_BLOCK_TOKENS


class PrefixCache:
    """Hashes of blocks, and how many requests hold each. What nobody holds can go, the oldest first."""

    __slots__ = ("_held", "_unheld")

    def __init__(self) -> None:
        self._held: dict[int, int] = {}
        self._unheld: OrderedDict[int, None] = OrderedDict()

    @property
    def pages(self) -> int:
        """Pages of memory that the blocks fill."""
        return PAGES_PER_BLOCK * (len(self._held) + len(self._unheld))

    @property
    def free_pages(self) -> int:
        """Pages that could be had by dropping what nobody holds."""
        return PAGES_PER_BLOCK * len(self._unheld)

    def found(self, request: SimRequest) -> tuple[int, ...]:
        """Return the leading blocks of a prompt that are here; at least one token is left to compute."""
        usable = request.prefix[: (request.prompt_tokens - 1) // PREFIX_BLOCK_TOKENS]
        for n, block in enumerate(usable):
            if block not in self._held and block not in self._unheld:
                return usable[:n]
        return usable

    def pages_unheld(self, blocks: Sequence[int]) -> int:
        """Return the pages of ``blocks`` that nobody holds."""
        return PAGES_PER_BLOCK * sum(block in self._unheld for block in blocks)

    def hold(self, blocks: Sequence[int]) -> int:
        """Hold blocks, those that are new too; returns the pages by which the cache grew."""
        grown = 0
        for block in blocks:
            if block in self._held:
                self._held[block] += 1
                continue
            if block in self._unheld:
                del self._unheld[block]
            else:
                grown += PAGES_PER_BLOCK
            self._held[block] = 1
        return grown

    def release(self, blocks: Sequence[int]) -> None:
        """Let blocks go; the last of a prompt is forgotten first, for without its beginning it is no use."""
        for block in reversed(blocks):
            if self._held[block] > 1:
                self._held[block] -= 1
            else:
                del self._held[block]
                self._unheld[block] = None

    def drop(self, pages: int) -> int:
        """Drop blocks that nobody holds until ``pages`` are free or none is left; returns the pages freed."""
        freed = 0
        while freed < pages and self._unheld:
            self._unheld.popitem(last=False)
            freed += PAGES_PER_BLOCK
        return freed

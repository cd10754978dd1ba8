"""The memory of the context: pages of 16 tokens, some of them kept for prompts that begin alike."""

from __future__ import annotations

from joulemark.simulate.config import KV_BLOCK_TOKENS, ServerConfig
from joulemark.simulate.job import Job
from joulemark.simulate.prefix_cache import PAGES_PER_BLOCK, PrefixCache


class ContextMemory:
    """``pages`` in all, of which ``free_pages`` hold nothing; what the ``cache`` keeps unheld can be had too.

    ``reserve`` pages are left to those who run when others are admitted.
    """

    __slots__ = ("cache", "caching", "free_pages", "pages", "reserve")

    def __init__(self, config: ServerConfig) -> None:
        self.pages = self.free_pages = config.kv_capacity_tokens // KV_BLOCK_TOKENS
        self.reserve = max(1, self.pages // 100)
        self.caching, self.cache = config.prefix_cache, PrefixCache()

    @property
    def available(self) -> int:
        """Pages that can be claimed."""
        return self.free_pages + self.cache.free_pages

    @property
    def used(self) -> int:
        """Pages that requests hold."""
        return self.pages - self.available

    def claim(self, pages: int) -> None:
        """Take pages, which have to be ``available``."""
        if pages > self.free_pages:
            self.free_pages += self.cache.drop(pages - self.free_pages)
        self.free_pages -= pages

    def claim_for(self, job: Job, pages: int, reserve: int) -> bool:
        """Take the pages that a job's context fills, less those that are here; false where there are too few.

        A job that begins anew then has the context and the ``shared`` blocks that the cache had.
        """
        blocks: tuple[int, ...] = ()
        if self.caching and job.context == 0:
            blocks = self.cache.found(job.request)
        pages -= PAGES_PER_BLOCK * len(blocks)
        held_now = self.cache.pages_unheld(blocks) if blocks else 0
        if pages + reserve > self.available - held_now:
            return False
        if blocks:
            self.cache.hold(blocks)
            job.shared = blocks
            job.context = len(blocks) * PAGES_PER_BLOCK * KV_BLOCK_TOKENS
        self.claim(pages)
        return True

    def keep_prefix(self, job: Job) -> None:
        """Leave the full blocks of a prompt that was computed to those who come after."""
        if not self.caching:
            return
        full = job.request.prompt_tokens // (PAGES_PER_BLOCK * KV_BLOCK_TOKENS)
        new = job.request.prefix[len(job.shared) : full]
        if new:
            self.free_pages += PAGES_PER_BLOCK * len(new) - self.cache.hold(new)
            job.shared = job.shared + new

    def give_back(self, job: Job) -> None:
        """Take back the pages of a job that does not decode any more; shared blocks stay in the cache."""
        pages = pages_for(max(job.target, job.context))
        self.free_pages += pages - PAGES_PER_BLOCK * len(job.shared)
        if job.shared:
            self.cache.release(job.shared)
            job.shared = ()


def pages_for(tokens: int) -> int:
    """Return the pages that ``tokens`` tokens of context fill."""
    return -(-tokens // KV_BLOCK_TOKENS)

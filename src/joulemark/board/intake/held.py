"""How much of what is being sent is in memory: a bound for one address, and one for all together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MIB = 2**20
OF_ONE, OF_ALL = 128 * MIB, 768 * MIB
"""Bytes of bodies at once: four of the largest of an address; together what a small machine has."""


class Full(Exception):
    """No more can be taken in for now."""


class Held:
    """Counts the bytes of bodies that are in memory. For one event loop."""

    def __init__(self, of_one: int = OF_ONE, of_all: int = OF_ALL) -> None:
        self._of_one, self._of_all = of_one, of_all
        self._by_one: Counter[str] = Counter()
        self._all = 0

    @contextmanager
    def for_one(self, who: str) -> Iterator[Callable[[int], None]]:
        """Give a function that counts bytes of a body, or raises `Full`; at the end they are given back."""
        mine = 0

        def hold(n_bytes: int) -> None:
            nonlocal mine
            if self._by_one[who] + n_bytes > self._of_one or self._all + n_bytes > self._of_all:
                raise Full
            mine += n_bytes
            self._by_one[who] += n_bytes
            self._all += n_bytes

        try:
            yield hold
        finally:
            self._all -= mine
            self._by_one[who] -= mine
            if not self._by_one[who]:
                del self._by_one[who]

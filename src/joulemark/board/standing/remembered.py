"""Answers that were made once for a version of the board: the same question is not worked out twice."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

MOST_BYTES = 48 << 20
MOST_ANSWERS = 2000


class Remembered:
    """The answers asked for last, by key, of up to ``most_bytes`` together.

    Keys count: what they hold, strangers wrote.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """Return what was made for ``key``, or make it."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
                return found
        made = make()
        with self._lock:
            if key in self._kept:  # another made the same meanwhile
                self._size -= _size_of(key, self._kept.pop(key))
            self._kept[key] = made
            self._size += _size_of(key, made)
            while self._kept and (self._size > self._most_bytes or len(self._kept) > MOST_ANSWERS):
                self._size -= _size_of(*self._kept.popitem(last=False))
        return made


def _size_of(key: Hashable, made: bytes) -> int:
    return len(made) + sys.getsizeof(repr(key))


_of: WeakKeyDictionary[Engine, Remembered] = WeakKeyDictionary()
_first = threading.Lock()


def remembered(engine: Engine) -> Remembered:
    """Return the answers of a board, by its database."""
    with _first:
        return _of.setdefault(engine, Remembered())

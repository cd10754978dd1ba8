"""Answers that were made once for a version of the board: the same question is not worked out twice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

MOST_BYTES = 48 << 20
MOST_ANSWERS = 2000


class Remembered:
    """The answers asked for last, by key, of up to ``most_bytes`` together."""

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
            before = self._kept.pop(key, b"")
            self._kept[key] = made
            self._size += len(made) - len(before)
            while self._kept and (self._size > self._most_bytes or len(self._kept) > MOST_ANSWERS):
                self._size -= len(self._kept.popitem(last=False)[1])
        return made


_of: WeakKeyDictionary[Engine, Remembered] = WeakKeyDictionary()
_first = threading.Lock()


def remembered(engine: Engine) -> Remembered:
    """Return the answers of a board, by its database."""
    with _first:
        return _of.setdefault(engine, Remembered())

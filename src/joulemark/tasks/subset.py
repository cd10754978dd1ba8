"""A keyed random order of a task's items: the same for every model, and never "the first n"."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

DEFAULT_KEY = "joulemark"


def rank(item_id: str, key: str) -> bytes:
    """Return HMAC-SHA256 of ``item_id`` under ``key``: the item's place in the order."""
    return hmac.digest(key.encode(), item_id.encode(), hashlib.sha256)


def order_key(subset_key: str, nonce: str | None) -> str:
    """Return the key of a task's order: that of the subset, and the nonce where there is one."""
    return subset_key if nonce is None else f"{subset_key}\0{nonce}"


def permuted(items: Sequence[T], key: str, item_id: Callable[[T], str]) -> list[T]:
    """Return ``items`` in the order of ``key``; it depends on ids and key alone, not on the order given."""
    return sorted(items, key=lambda item: (rank(item_id(item), key), item_id(item)))

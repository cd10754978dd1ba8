"""References that are more than a text, written as their scorers read them; definitions call these."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping, Sequence


def instructions(ids: Sequence[str], arguments: Sequence[Mapping[str, object]]) -> str:
    """Pair instructions with their arguments, as the scorer of kind ``instructions`` reads them."""
    paired = [
        {"id": name, "kwargs": {key: value for key, value in given.items() if value is not None}}
        for name, given in zip(ids, arguments, strict=True)
    ]
    return json.dumps(paired, ensure_ascii=False)


def shares(options: Sequence[str], shares: Sequence[float], positions: Sequence[float] | None = None) -> str:
    """Give each option's letter its share and place, as the scorer of kind ``distribution`` reads them."""
    letters = string.ascii_uppercase[: len(options)]
    by_letter = dict(zip(letters, map(float, shares), strict=True))
    places = range(len(letters)) if positions is None else positions
    return json.dumps({"shares": by_letter, "positions": dict(zip(letters, map(float, places), strict=True))})

"""Numbers as people and services write them; what only Python takes for one (``1_0``, ``١``) is none."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"\s*+[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?\s*+")
_LONGEST = 400  # the largest float, written out


def plain_number(text: str) -> float:
    """Return the number in ``text``; raises ``ValueError`` for anything else. It may be infinite."""
    if len(text) > _LONGEST or not _PLAIN.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no number")
    return float(text)

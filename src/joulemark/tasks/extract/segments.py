"""The formulas of a text: ``$…$``, ``$$…$$``, ``\\(…\\)``, ``\\[…\\]``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_DELIMITER = re.compile(r"\\[\s\S]|\$\$?")
_CLOSES = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_IN_BRACES = re.compile(r"\{[^{}]*\}")
_JOIN = re.compile(r"\s{0,3}(?:,?\s{0,2}(?:and|or)|,|;)\s{0,3}")


@dataclass(frozen=True, slots=True)
class Segment:
    """A formula at ``[start, end)``, delimiters included, and its inside."""

    start: int
    end: int
    inner_start: int
    inner_end: int


def _is_formula(text: str, opening: re.Match[str], closing: re.Match[str]) -> bool:
    """Tell formulas from amounts of money ("$5 and then $6")."""
    inner = text[opening.end() : closing.start()]
    if not inner.strip():
        return False
    if opening[0] != "$":
        return True
    is_padded = inner[0].isspace(), inner[-1].isspace()
    if is_padded[0] != is_padded[1] or "\n\n" in inner:
        return False
    return len(inner) < 1000 and not _WORD.search(_IN_BRACES.sub("", inner))


def segments(text: str) -> list[Segment]:
    """Return the formulas of ``text`` in their order; one pass, so its time is linear."""
    found: list[Segment] = []
    opening: re.Match[str] | None = None
    for mark in _DELIMITER.finditer(text):
        if opening is None or (opening[0] != mark[0] and mark[0] in ("\\(", "\\[")):
            opening = mark if mark[0] in _CLOSES else None
        elif mark[0] == _CLOSES[opening[0]]:
            if _is_formula(text, opening, mark):
                found.append(Segment(opening.start(), mark.end(), opening.end(), mark.start()))
                opening = None
            else:
                opening = mark if mark[0] == "$" else None
    return found


def joined_segments(text: str, formulas: Sequence[Segment]) -> list[Segment]:
    """Return the first formula and those that "and", "or" or a comma joins to it, in either direction."""
    joined = [formulas[0]]
    for formula in formulas[1:]:
        left, right = sorted((joined[-1], formula), key=lambda segment: segment.start)
        if right.start - left.end > 12 or not _JOIN.fullmatch(text, left.end, right.start):
            break
        joined.append(formula)
    return joined

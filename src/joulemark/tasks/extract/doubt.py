"""Where a number is no answer although it stands where one is looked for: denied, a bound, one of several."""

from __future__ import annotations

import re
from enum import StrEnum

from joulemark.tasks.extract.denial import DENIED_CLAIM
from joulemark.tasks.extract.number import Number, number_from

_SIGNS = r"[\s*_\"'`(\[{$€£¥₹\\~:]{0,6}"
_MORE = r"(?:more|less|fewer|greater|larger|bigger|smaller|higher|lower) than"
_DENIED = re.compile(
    rf"(?P<contrast>,\s?(?:and |but )?not|\brather than|\binstead of"
    rf"|,\s?(?:which|that) is (?:not|{_MORE}))"
    rf"|(?:{DENIED_CLAIM}(?:answer|result) (?:is|was|would be|must be)|\bnot|n't|\bnever|\bnor|\b{_MORE})",
    re.IGNORECASE,
)
# What may stand between the denial and its number.
_FILLER = re.compile(
    r"\s(?:(?:be|equal to|equal|exactly|just|only|simply|about|the number|the answer|a total of)\s){0,3}"
    rf"{_SIGNS}",
    re.IGNORECASE,
)
_OR = re.compile(rf"[*_$\"'`)\]}}]{{0,4}}\s?,?\s?\bor\b {_SIGNS}", re.IGNORECASE)
_TO = re.compile(rf"[*_$\"'`)\]}}]{{0,4}}\sto\s{_SIGNS}", re.IGNORECASE)
_BETWEEN = re.compile(rf"\bbetween {_SIGNS}$", re.IGNORECASE)
_AND = re.compile(rf"\W{{0,6}}\sand\s{_SIGNS}", re.IGNORECASE)
_COMPARES = re.compile(rf"\s(?:[a-z]{{1,20}}\s)?{_MORE} {_SIGNS}(?=[\d.])", re.IGNORECASE)
_LOOK_BACK = 96


class Doubt(StrEnum):
    """Why a number is not the answer."""

    DENIED = "denied"
    CONTRASTED = "contrasted"
    """It is named as what the answer, given before it, is not: "18, not 12"."""
    SEVERAL = "several"
    EMPTY = "empty"
    """The place for the answer holds nothing."""


def denial(text: str, start: int, number: Number) -> Doubt | None:
    """Tell whether the words in ``text[start:]`` right before the number deny it or make it a mere bound."""
    begin = max(start, number.start - _LOOK_BACK)
    for word in _DENIED.finditer(text, begin, number.start):
        if _FILLER.fullmatch(text, word.end(), number.start):
            return Doubt.CONTRASTED if word["contrast"] else Doubt.DENIED
    return None


def is_one_of_several(text: str, start: int, number: Number, end: int, *, is_marked: bool) -> bool:
    """Tell whether "or" and another number follow (where an answer is marked, also "to"), or it is a range.

    Equal values ("1/2 or 0.5") and percentages are two ways to write one number.
    """
    begins = max(start, number.start - 24)
    links = [
        _OR,
        *([_TO] if is_marked else []),
        *([_AND] if _BETWEEN.search(text, begins, number.start) else []),
    ]
    for link in links:
        if (joined := link.match(text, number.end, end)) is None:
            continue
        other, after = number_from(text, joined.end(), end)
        if other is None or any(char.isalnum() for char in text[joined.end() : other.start]):
            continue
        if other.value != number.value and not text[after : after + 3].strip(" \\").startswith("%"):
            return True
    return False


def is_compared(text: str, number: Number, end: int) -> bool:
    """Tell whether "more than" and another number follow: the number is a difference, not a result."""
    return _COMPARES.match(text, number.end, end) is not None

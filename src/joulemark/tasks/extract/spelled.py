"""Numbers spelled out in English: "thirty-six", "one hundred and five"."""

from __future__ import annotations

import re
from fractions import Fraction

from joulemark.tasks.extract.number import Number

_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6}
_VALUES = {word: value for value, word in enumerate(_UNITS)} | {
    word: 10 * (place + 2) for place, word in enumerate(_TENS)
}
_WORD = "|".join((*_VALUES, *_SCALES))
# At most twelve words: more is no number, and the bound keeps the reading linear.
_SPELLED = re.compile(
    rf"(?<![\w-])(?P<sign>minus |negative )?(?:{_WORD})(?:(?:-| and | ?, ?| )(?:{_WORD})){{0,11}}(?![\w-])",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:[\s*_\"'`(:$]|\b(?:the|number|exactly|about|therefore|thus|simply|just)\b){0,12}")


def _read(match: re.Match[str]) -> Number | None:
    """Return the value, or null where the words make no number ("five six")."""
    total = group = 0
    last = 0
    for word in re.findall(r"[a-z]+", match[0].lower()):
        if word in _SCALES:
            if word == "hundred":
                group = max(group, 1) * 100
            else:
                total, group = total + max(group, 1) * _SCALES[word], 0
            last = 0
        elif word in _VALUES:
            if last and not (last >= 20 and _VALUES[word] < 10):
                return None
            group += _VALUES[word]
            last = _VALUES[word]
    value = Fraction(total + group)
    return Number(-value if match["sign"] else value, match.start(), match.end())


def leading_spelled(text: str, start: int, end: int) -> Number | None:
    """Return the number word that ``text[start:end]`` begins with ("one of them" is none)."""
    lead = _LEAD.match(text, start, end)
    match = _SPELLED.match(text, lead.end() if lead else start, end)
    if not match or re.compile(r" of\b").match(text, match.end(), end):
        return None
    return _read(match)


def last_spelled(text: str) -> Number | None:
    """Return the last number word; a bare "one" is taken for a pronoun."""
    last = None
    for match in _SPELLED.finditer(text):
        if match[0].lower() != "one":
            last = _read(match)
    return last

"""Numbers as people and models write them, read as exact rationals.

Thousands separators (comma, space, no-break space, apostrophe, underscore, LaTeX ``{,}`` and ``\\,``) between
groups of three, decimal point or comma, fractions, mixed numbers, powers, scale words. Currency and percent
signs carry no value. Sizes are capped, so that no reply has the reader compute a number of a million digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from joulemark.tasks.extract.visible import folded

MAX_DIGITS = 300

# Every repetition below is bounded or possessive: a hostile reply costs time linear in its length.
# WORD: a word character that is not of a script written without spaces.
WORD = r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_SEPARATORS = (r"(?:,|\{,\})", r"(?: |\\[,;: ])", "'", "_")
_GROUPED = "|".join(rf"[1-9]\d{{0,2}}(?:{sep}\d{{3}}){{1,100}}+(?!\d)" for sep in _SEPARATORS)
_UNSIGNED = re.compile(
    rf"(?P<european>[1-9]\d{{0,2}}(?:[. ]\d{{3}}){{1,100}}+,\d{{1,2}}(?![\d,]))"
    rf"|(?P<grouped>(?:{_GROUPED}|[1-9]\d?(?:,\d{{2}}(?=,)){{1,9}}+,\d{{3}}(?!\d))(?:\.\d++)?)"
    rf"|(?P<comma>(?<![(\[,])(?:\d++,\d{{1,2}}|0,\d++)(?![\d,]))"
    rf"|(?P<plain>\d++(?:\.\d++)?|\.\d++)"
)
_START = re.compile(rf"(?<!{WORD})(?<!\^)(?<!\^[-{{])(?:\d|(?<!\.)\.\d|\\[dtc]?frac(?![a-zA-Z]))")
_LATEX_FRACTION = re.compile(
    r"\\[dtc]?frac\s?(?:\{\s?(-?\d{1,300})\s?\}|(\d))\s?(?:\{\s?(-?\d{1,300})\s?\}|(\d))"
)
_FRACTION = re.compile(r"\s?/\s?(\d{1,300})(?![\d/]|\.\d)")
_MIXED = re.compile(r"(?: |-| and )(\d{1,300})\s?/\s?(\d{1,300})(?![\d/])")
_EXPONENT = re.compile(
    r"[eE]([+-]?\d++)(?!\w)|\s?(?:[xX×*·]|\\times|\\cdot)\s?10\s?(?:\^|\*\*)\s?\{?([+-]?\d++)\}?"
)
_POWER = re.compile(r"\s?(?:\^|\*\*)\s?\{?([+-]?\d++)\}?")
_SCALE = re.compile(r"[\s-]?(hundred|thousand|million|billion|trillion)s?\b", re.IGNORECASE)
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SIGN = re.compile(
    r"(?:(?<![{\w)\]}%\-])(?P<before>[-+])|(?<!\d )\b(?P<word>minus|negative) )?"
    r"(?:\\?[$€£¥₹] ?)?(?P<after>(?<![\w)\]}%\-])[-+])?$",
    re.IGNORECASE,
)
_LONGEST_SIGN = 12


@dataclass(frozen=True, slots=True)
class Number:
    """An exact value and its place ``[start, end)`` in the text it was read from (sign included)."""

    value: Fraction
    start: int
    end: int


def _unsigned(match: re.Match[str]) -> Fraction | None:
    text = match[0]
    if len(text) > MAX_DIGITS:
        return None
    if match["european"]:
        text = re.sub(r"[. ]", "", text).replace(",", ".")
    elif match["comma"]:
        text = text.replace(",", ".")
    elif match["grouped"]:
        text = re.sub(r"[^\d.]", "", text)
    return Fraction(text if text[0] != "." else "0" + text)


def _power(base: Fraction, written: str) -> Fraction | None:
    if len(written) > len(str(-MAX_DIGITS)):
        return None
    exponent = int(written)
    digits = max(len(str(base.numerator)), len(str(base.denominator)))
    if digits * abs(exponent) > MAX_DIGITS or (base == 0 and exponent <= 0):
        return None
    return Fraction(base**exponent)


def _latex_fraction(text: str, at: int, end: int) -> tuple[Fraction | None, int]:
    match = _LATEX_FRACTION.match(text, at, end)
    if not match:
        return None, at
    top, bottom = int(match[1] or match[2]), int(match[3] or match[4])
    return (Fraction(top, bottom) if bottom else None), match.end()


def _with_suffix(value: Fraction, text: str, at: int, end: int) -> tuple[Fraction | None, int]:
    """Read what may follow an unsigned number: a fraction, an exponent, a power, a scale word."""
    if value.denominator == 1:
        if mixed := _MIXED.match(text, at, end):
            top, bottom = int(mixed[1]), int(mixed[2])
            if 0 < top < bottom:
                return value + Fraction(top, bottom), mixed.end()
        if text.startswith("\\", at):
            part, after = _latex_fraction(text, at, end)
            if part is not None and 0 < part < 1:
                return value + part, after
        if fraction := _FRACTION.match(text, at, end):
            bottom = int(fraction[1])
            return (value / bottom if bottom else None), fraction.end()
    if exponent := _EXPONENT.match(text, at, end):
        scale = _power(Fraction(10), exponent[1] or exponent[2])
        return (value * scale if scale is not None else None), exponent.end()
    if power := _POWER.match(text, at, end):
        return _power(value, power[1]), power.end()
    if scale_word := _SCALE.match(text, at, end):
        return value * _SCALES[scale_word[1].lower()], scale_word.end()
    return value, at


def _sign(text: str, start: int, at: int) -> tuple[int, int]:
    """Return the sign (+1 or -1) written before position ``at`` and where it begins."""
    match = _SIGN.search(text, max(start, at - _LONGEST_SIGN), at)
    if not match:
        return 1, at
    is_negative = match["before"] == "-" or match["after"] == "-" or match["word"] is not None
    return (-1, match.start()) if is_negative else (1, at)


def number_from(text: str, start: int, end: int | None = None) -> tuple[Number | None, int]:
    """Find the first number at or after ``start``.

    Returns it and where to go on; the number is null where there is none (go on at ``end``) or where what was
    read has no value (too long, a division by zero).
    """
    end = len(text) if end is None else end
    found = _START.search(text, start, end)
    if not found:
        return None, end
    at = found.start()
    value: Fraction | None
    if text[at] == "\\":
        value, after = _latex_fraction(text, at, end)
        after = max(after, found.end())
    else:
        match = _UNSIGNED.match(text, at, end)
        if not match:
            return None, found.end()
        value, after = _unsigned(match), match.end()
        if value is not None:
            value, after = _with_suffix(value, text, after, end)
    if value is None:
        return None, after
    sign, begin = _sign(text, start, at)
    return Number(sign * value, begin, after), after


def numbers(text: str, start: int = 0, end: int | None = None) -> Iterator[Number]:
    """Yield the numbers of ``text[start:end]`` from left to right."""
    end = len(text) if end is None else end
    while start < end:
        number, start = number_from(text, start, end)
        if number is not None:
            yield number


def parse_number(text: str) -> Fraction | None:
    """Return the first number in ``text``, or null."""
    return next((number.value for number in numbers(text)), None)


_BEFORE_ONLY = re.compile(r"\+?\s?(?:\\?[$€£¥₹])?\s?\+?")
_AFTER_ONLY = re.compile(r"\s?(?:\\?[%$€£¥₹])?[.,]?")


def only_number(text: str) -> Fraction | None:
    """Return the number that ``text`` is, or null where it is anything else or more ("5 to 7", "24 clips").

    Around the number may stand white space, a currency sign, a percent sign, a full stop or a comma.
    """
    text = folded(text).strip()
    number, _ = number_from(text, 0)
    if number is None or not _BEFORE_ONLY.fullmatch(text, 0, number.start):
        return None
    return number.value if _AFTER_ONLY.fullmatch(text, number.end) else None


def canonical(value: Fraction) -> str:
    """Return the one way to write ``value``: integer, terminating decimal, else ``a/b`` in lowest terms."""
    if value.denominator == 1:
        return str(value.numerator)
    rest, places = value.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1:
        return f"{value.numerator}/{value.denominator}"
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"

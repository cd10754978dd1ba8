"""Units behind a number: kept apart from the value, because a reply may leave them out."""

from __future__ import annotations

import re

PERCENT = "percent"
_WORDS = {
    "deg": "degrees degree deg °",
    PERCENT: "percent percents %",
    "usd": "dollars dollar usd $",
    "cent": "cents cent",
    "mm": "mm millimeters millimeter millimetres millimetre",
    "cm": "cm centimeters centimeter centimetres centimetre",
    "m": "m meters meter metres metre",
    "km": "km kilometers kilometer kilometres kilometre",
    "in": "inches inch in",
    "ft": "feet foot ft",
    "yd": "yards yard yd",
    "mi": "miles mile",
    "g": "g grams gram",
    "kg": "kg kilograms kilogram",
    "lb": "pounds pound lbs lb",
    "s": "seconds second sec",
    "min": "minutes minute min",
    "h": "hours hour hr hrs",
    "day": "days day",
    "week": "weeks week",
    "month": "months month",
    "year": "years year",
}
_UNITS = {word: unit for unit, words in _WORDS.items() for word in words.split()}
_POWER = re.compile(r"^(?:(?P<square>sq\.?|square) |(?P<cube>cu\.?|cubic) )?(?P<word>\S+)$")


def unit_of(words: str) -> str | None:
    """Return the one name of a known unit ("square inches" is ``in^2``), null for other words."""
    match = _POWER.match(" ".join(words.lower().split()).strip("()").rstrip("."))
    unit = _UNITS.get(match["word"]) if match else None
    if unit is None or match is None:
        return None
    return unit + ("^2" if match["square"] else "^3" if match["cube"] else "")


def is_short_unit(word: str) -> bool:
    """Tell whether a run of two letters is a unit rather than a product of two variables."""
    return word in {"cm", "mm", "km", "kg", "ft", "yd", "lb", "hr"}

"""What an instrument's answers mean: numbers that are none, headers, and the step of a display. Pure."""

from __future__ import annotations

import math

from joulemark.meters.fault_flags import OVERLOAD

NO_DATA, UNREADABLE = "no_data", "unreadable"
J_PER_WH = 3600.0

# Instead of a number, IEEE 488.2 instruments send these (SCPI-99 vol. 1, 7.2.1.4 and .5); Yokogawa's WT send
# 9.9E+37 for "over range" beside it (IM WT210, 14.3).
_NOT_A_NUMBER = 9.91e37
_INFINITE = 9.9e37


def number(text: str) -> float | str:
    """Return the number in an answer, or why there is none (`NO_DATA`, `OVERLOAD`, `UNREADABLE`)."""
    try:
        value = float(text)
    except ValueError:
        return UNREADABLE
    if math.isnan(value) or value == _NOT_A_NUMBER:
        return NO_DATA
    return OVERLOAD if abs(value) >= _INFINITE else value


def units(answer: str) -> list[str]:
    """Split an answer to several queries, each without the header that some set-ups put before it."""
    return [unit.strip().rsplit(" ", 1)[-1] for unit in answer.split(";")]


def step_wh(energy_wh: float, digits: int) -> float:
    """Return the step in which ``digits`` significant digits can change at a value of ``energy_wh`` (Wh)."""
    if energy_wh == 0:
        return 0.0
    return float(10.0 ** (math.floor(math.log10(abs(energy_wh)) + 1e-12) + 1 - digits))


def largest_step_wh(limit_wh: float, digits: int) -> float:
    """Return the largest step of any value below ``limit_wh`` (Wh)."""
    return step_wh(math.nextafter(limit_wh * (1 - 1e-9), 0.0), digits)


def put(found: dict[str, float], flags: list[str], quantity: str, value: float | str, scale: float) -> None:
    """Add a number to the values of a reading, in units of the record, or its reason to the flags."""
    if isinstance(value, float):
        found[str(quantity)] = value * scale
    else:
        flags.append(f"{quantity}:{value}")

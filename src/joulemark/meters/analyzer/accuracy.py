"""What Yokogawa states of the active power of its WT300 family, in per cent of a reading. Pure.

Sources: IM WT310E-02EN section 7.3.2 (WT310E, WT310EH, WT332E, WT333E) and IM WT310-02EN section 7.3.2
(WT310, WT310HC, WT332, WT333): 12 months, 45 to 66 Hz, line filter off::

    error = P · [reading % + range % · (power range / S) + tan φ · (influence at power factor 0)]

with S the apparent power. A crest factor of 6 doubles the part of the range.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """Per cent of the reading, of the range, and of S at power factor 0."""

    reading_pct: float
    range_pct: float
    reactive_pct: float


_WT300E = Statement(0.1, 0.05, 0.1)
_WT300 = Statement(0.1, 0.1, 0.2)


def statement_of(model: str) -> Statement | None:
    """Return what is stated for a model; null for one whose data sheet is not known here."""
    if re.match(r"WT3(10E|10EH|32E|33E)(?![A-Z0-9])", model):
        return _WT300E
    return _WT300 if re.match(r"WT3(10|10HC|30|32|33)(?![A-Z0-9])", model) else None


def uncertainty_pct(
    statement: Statement, *, power_w: float, apparent_va: float, range_va: float, crest_factor: str = "3"
) -> float | None:
    """Return the stated error in per cent of a reading; null where nothing is drawn."""
    if power_w <= 0 or apparent_va <= 0:
        return None
    apparent_va = max(apparent_va, power_w)
    tan_phi = math.sqrt(apparent_va**2 - power_w**2) / power_w
    doubled = 1.0 if crest_factor == "3" else 2.0
    return (
        statement.reading_pct
        + doubled * statement.range_pct * range_va / apparent_va
        + tan_phi * statement.reactive_pct
    )

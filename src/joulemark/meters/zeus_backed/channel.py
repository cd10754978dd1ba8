"""One thing that a device object of Zeus can be asked: facts, and how to take a reading."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from joulemark.record.meter import SourceInfo

ZERO, UNREADABLE = "zero", "unreadable"
MILLI = 1e-3


@dataclass(slots=True)
class Taken:
    """What one reading gave, in units of the record; ``flags`` name what it did not give, with the reason."""

    values: dict[str, float] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)

    def put_milli(self, quantity: str, value: Any) -> None:
        """Take a value in thousandths (mJ, mW); one that is no positive number is absent with its reason.

        Zeus gives 0 for what the hardware does not count. No device that answers draws 0 W, and no counter
        that works stands at 0 J for long, so 0 is unknown.
        """
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.flags.append(f"{quantity}:{UNREADABLE}")
        elif value <= 0:
            self.flags.append(f"{quantity}:{ZERO if value == 0 else 'negative'}")
        else:
            self.values[str(quantity)] = value * MILLI


@dataclass(frozen=True, slots=True)
class Channel:
    """``key`` names it within its part. ``take`` gets the time (ns) and raises `SourceLost`."""

    key: str
    measures: str
    info: SourceInfo
    take: Callable[[int], Taken]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that Zeus lists and that is not read, with the reason."""

    name: str
    measures: str
    why: str

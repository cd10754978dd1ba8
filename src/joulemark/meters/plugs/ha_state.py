"""The state of a Home Assistant entity, as ``/api/states/ENTITY`` gives it.

Documented at developers.home-assistant.io/docs/api/rest and
home-assistant.io/docs/configuration/state_object: ``state`` is always text; ``last_updated`` moves when the
state or an attribute changes; ``last_reported`` (since 2024.4) also when the same value is written again.
`suggested_display_precision` is no attribute of the state (it lives in the entity registry), so the step of a
register is told from the values themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

from joulemark.meters.http.answer import LATEST_S
from joulemark.meters.plugs.payload import number_in
from joulemark.meters.written import step, without_noise

ENERGY_UNITS_J = {
    "Wh": Decimal(3600),
    "kWh": Decimal(3_600_000),
    "MWh": Decimal(3_600_000_000),
    "J": Decimal(1),
    "kJ": Decimal(1000),
    "MJ": Decimal(1_000_000),
    "GJ": Decimal(1_000_000_000),
}
POWER_UNITS_W = {"mW": Decimal("0.001"), "W": Decimal(1), "kW": Decimal(1000)}
_NO_VALUE = ("unavailable", "unknown", "none", "")
_ENOUGH_CHANGES = 4


@dataclass(frozen=True, slots=True)
class State:
    """One entity at one instant. ``value`` is null with the ``reason`` in its place.

    ``reported_s`` is the server's own stamp of the last report (Unix time), null where it gave none.
    """

    value: Decimal | None
    reason: str
    unit: str | None
    state_class: str | None
    last_reset: str | None
    reported_s: float | None

    @classmethod
    def of(cls, content: dict[str, Any]) -> State:
        """Read a state; anything that is no plain number is absent with a reason."""
        attributes = content.get("attributes")
        attributes = attributes if isinstance(attributes, dict) else {}
        written = content.get("state")
        value = _number(written) if isinstance(written, str) else None
        reason = "not_a_number"
        if not isinstance(written, str):
            reason = "malformed"
        elif written.strip().lower() in _NO_VALUE:
            reason = written.strip().lower() or "unknown"
        return cls(
            value=value,
            reason=reason,
            unit=_text(attributes.get("unit_of_measurement")),
            state_class=_text(attributes.get("state_class")),
            last_reset=_text(attributes.get("last_reset")),
            reported_s=stamp_s(content.get("last_reported") or content.get("last_updated")),
        )


def stamp_s(text: object) -> float | None:
    """Return an ISO 8601 stamp with a zone as Unix time; null for anything else."""
    if not isinstance(text, str) or len(text) > 40:
        return None
    try:
        stamp = datetime.fromisoformat(text)
        at_s = None if stamp.tzinfo is None else stamp.timestamp()
    except (ValueError, OverflowError):
        return None
    return at_s if at_s is not None and 0 <= at_s < LATEST_S else None


@dataclass(frozen=True, slots=True)
class History:
    """What an entity did of late: its values in order of time, and when each of them came (Unix time)."""

    values: tuple[Decimal, ...]
    times_s: tuple[float, ...]

    @classmethod
    def of(cls, states: object) -> History:
        """Read one entity's list of states, as ``/api/history/period`` gives it."""
        values: list[Decimal] = []
        times: list[float] = []
        for entry in states if isinstance(states, list) else []:
            if not isinstance(entry, dict) or not isinstance(entry.get("state"), str):
                continue
            value, at_s = _number(entry["state"]), stamp_s(entry.get("last_changed"))
            if value is not None and at_s is not None and (not times or at_s > times[-1]):
                values.append(value)
                times.append(at_s)
        return cls(tuple(values), tuple(times))

    @property
    def longest_gap_s(self) -> float | None:
        """The longest time between two changes; null where there were too few to tell."""
        # the first entry is the state at the beginning of the period, however old
        gaps = [b - a for a, b in pairwise(self.times_s[1:])]
        return max(gaps) if len(gaps) >= _ENOUGH_CHANGES else None


def register_step(value: Decimal, history: Sequence[Decimal]) -> Decimal:
    """Return the step of a register, in the unit of its values; rather too coarse than too fine.

    The last digit alone tells little: a register of 0.01 kWh shown in Wh counts by tens, and zeros at the end
    are not written (12.30 is shown as ``12.3``). So it is what divides all changes, where there were enough
    of them; of fewer it is the smallest; and the last digit where nothing changed.
    """
    finest = min(step(known) for known in (value, *history))
    changes = [abs(int((b - a) / finest)) for a, b in pairwise(history) if a != b]
    if not changes:
        return finest
    return finest * (math.gcd(*changes) if len(changes) >= _ENOUGH_CHANGES else min(changes))


def _number(written: str) -> Decimal | None:
    value = number_in(written)
    return None if value is None else without_noise(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= 40 else None

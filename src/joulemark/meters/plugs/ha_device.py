"""The entities of one meter in Home Assistant, read together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from joulemark.meters.fault_flags import RESET_MARKER
from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.plugs.ha_client import HomeAssistantClient
from joulemark.meters.plugs.ha_state import ENERGY_UNITS_J, POWER_UNITS_W, State
from joulemark.meters.plugs.plug import Polled
from joulemark.record.meter import SourceInfo
from joulemark.record.telemetry import Quantity

_QUIET_STEPS = 2  # an energy entity rests this long at the power now drawn and is not stale


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """One of the two entities of a meter."""

    quantity: Quantity
    option: str
    units: Mapping[str, Decimal]


SLOTS = (
    Slot(Quantity.ENERGY_J, "energy", ENERGY_UNITS_J),
    Slot(Quantity.POWER_W, "power", POWER_UNITS_W),
)


class HomeAssistantDevice:
    """The entities of one meter. ``entities`` maps a quantity to the entity that shows it."""

    def __init__(
        self, client: HomeAssistantClient, entities: Mapping[str, str], info: SourceInfo, stale_s: float
    ) -> None:
        self.info = info
        self._client, self._entities, self._stale_s = client, entities, stale_s
        self._seen: dict[str, tuple[float | None, float]] = {}
        self._last_reset: str | None = None

    def poll(self, now_s: float, deadline: Deadline) -> Polled:
        """Return energy and power; what the server has not heard of for too long is absent."""
        polled = Polled()
        ages_s: dict[str, float] = {}
        for slot in SLOTS:
            entity = self._entities.get(slot.quantity)
            if entity is None:
                continue
            try:
                state = self._client.state(entity, deadline)
            except Unanswered as error:
                if error.reason != "entity_missing":
                    raise
                polled.take(slot.quantity, None, "entity_missing")
                continue
            ages_s[slot.quantity] = self._age_s(slot.quantity, state, now_s)
            self._take(polled, slot, state)
        self._drop_stale(polled, ages_s)
        return polled

    def close(self) -> None:
        """Hang up."""
        self._client.close()

    def _take(self, polled: Polled, slot: Slot, state: State) -> None:
        unit = slot.units.get(state.unit or "")
        if state.value is None:
            polled.take(slot.quantity, None, state.reason)
        elif unit is None:
            polled.take(slot.quantity, None, "unit_unknown")
        else:
            polled.take(slot.quantity, float(state.value * unit), "unavailable")
        if slot.quantity is not Quantity.ENERGY_J:
            return
        if state.last_reset is not None:
            if self._last_reset not in (None, state.last_reset):
                polled.flags.append(RESET_MARKER)
            self._last_reset = state.last_reset
        if state.reported_s is not None:
            polled.t_driver_ns = round(state.reported_s * 1e9)

    def _age_s(self, quantity: str, state: State, now_s: float) -> float:
        """Return how long ago the server heard of it: by its clock, and by ours since we saw the report."""
        reported_s, since_s = self._seen.get(quantity, (None, now_s))
        if reported_s != state.reported_s:
            since_s = now_s
        self._seen[quantity] = (state.reported_s, since_s)
        server_s = self._client.server_s
        if server_s is None or state.reported_s is None:
            return now_s - since_s
        return max(server_s - state.reported_s, now_s - since_s)

    def _drop_stale(self, polled: Polled, ages_s: Mapping[str, float]) -> None:
        if ages_s.get(Quantity.POWER_W, 0.0) > self._stale_s:
            polled.drop(Quantity.POWER_W, "stale")
        age_s = ages_s.get(Quantity.ENERGY_J, 0.0)
        if age_s <= self._stale_s:
            return
        power_w = polled.values.get(Quantity.POWER_W)
        if power_w is None or power_w * age_s > _QUIET_STEPS * self.info.counter_quantum_j:
            polled.drop(Quantity.ENERGY_J, "stale")

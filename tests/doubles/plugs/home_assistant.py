"""A Home Assistant server that hears of one plug: states, stamps of last report, history."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime

from doubles.faults import Fault
from doubles.plugs.http_device import HANG_UP, Asked, HttpDevice, Reply
from doubles.plugs.meter_curve import MeterCurve

ENERGY, POWER = "sensor.smiths_kitchen_energy", "sensor.smiths_kitchen_power"
TOKEN = "eyJhbGciOiJIUzI1NiJ9.double"
EPOCH_S = 1_780_000_000.0  # Unix time of virtual time 0, by the server's clock
_UNITS_J = {"kWh": 3_600_000.0, "Wh": 3600.0, "MJ": 1e6}


@dataclass
class ServerSettings:
    """``unit`` and ``decimals`` of the energy entity; ``state`` overrides what it shows."""

    unit: str | None = "kWh"
    decimals: int = 2
    state_class: str | None = "total_increasing"
    state: str | None = None
    power_unit: str = "W"
    reports: bool = True  # last_reported is there (2024.4 and later)
    last_reset: str | None = None
    keeps_history: bool = True
    sends_date: bool = True
    has_power: bool = True


class HomeAssistant(HttpDevice):
    """The parts of the REST API that a meter needs (developers.home-assistant.io/docs/api/rest)."""

    server_header = "Python/3.13 aiohttp/3.11"

    def __init__(self, curve: MeterCurve, settings: ServerSettings | None = None) -> None:
        super().__init__()
        self.curve, self.settings = curve, settings or ServerSettings()

    def clock_s(self) -> float | None:
        return EPOCH_S + self.curve.now_s() if self.settings.sends_date else None

    def answer(self, asked: Asked) -> Reply:
        if self.curve.is_silent:
            return HANG_UP
        if asked.headers.get("authorization") != f"Bearer {TOKEN}":
            return Reply(b"401: Unauthorized", 401, content_type="text/plain")
        if asked.path.startswith("/api/states/"):
            return self._state(asked.path.removeprefix("/api/states/"))
        if asked.path.startswith("/api/history/period/") and self.settings.keeps_history:
            begin = datetime.fromisoformat(asked.path.removeprefix("/api/history/period/"))
            return self._history(asked.query["filter_entity_id"], begin.timestamp() - EPOCH_S)
        return Reply(b"404: Not Found", 404, content_type="text/plain")

    def _state(self, entity: str) -> Reply:
        is_power = entity == POWER and self.settings.has_power
        missing = entity != ENERGY and not is_power
        if missing or (not is_power and self.curve.fault is Fault.NOT_SUPPORTED):
            return Reply(b'{"message": "Entity not found."}', 404)
        settings, curve = self.settings, self.curve
        attributes: dict[str, object] = {"friendly_name": "Kitchen of the Smiths"}
        if is_power:
            shown = f"{curve.power_w:.1f}"
            attributes |= {"unit_of_measurement": settings.power_unit, "state_class": "measurement"}
        else:
            shown = settings.state if settings.state is not None else self._shown(curve.energy_j)
            facts = {
                "unit_of_measurement": settings.unit,
                "state_class": settings.state_class,
                "last_reset": settings.last_reset,
            }
            attributes |= {k: v for k, v in facts.items() if v is not None}
        changed = _iso(curve.updated_s if is_power else self._changed_s())
        content = {
            "entity_id": entity,
            "state": shown,
            "attributes": attributes,
            "last_changed": changed,
            "last_updated": changed,
            "context": {"id": "01HXDOUBLE", "parent_id": None, "user_id": None},
        }
        if settings.reports:
            content["last_reported"] = _iso(curve.heard_s)
        return Reply(json.dumps(content).encode())

    def _shown(self, energy_j: float) -> str:
        """A float's text: zeros at the end are not written."""
        decimals, unit_j = self.settings.decimals, _UNITS_J.get(self.settings.unit or "", 3_600_000.0)
        return str(math.floor(energy_j / unit_j * 10**decimals + 1e-6) / 10**decimals)

    def _changed_s(self) -> float:
        """When the shown value was last changed: the first update that shows it."""
        t_s, shown = self.curve.updated_s, self._shown(self.curve.energy_j)
        while t_s > self.curve.updated_s - 3600 and shown == self._shown(
            self.curve.energy_at_j(t_s - self.curve.update_s)
        ):
            t_s -= self.curve.update_s
        return t_s

    def _history(self, entity: str, begin_s: float) -> Reply:
        update_s, curve = self.curve.update_s, self.curve
        first = math.ceil(begin_s / update_s)
        states: list[dict[str, object]] = []
        for k in range(first, math.floor(curve.updated_s / update_s) + 1):
            t_s = k * update_s
            noisy = f"{curve.power_w + (k % 3) / 10:.1f}"  # a real gauge is never quite still
            shown = noisy if entity == POWER else self._shown(curve.energy_at_j(t_s))
            if not states or states[-1]["state"] != shown:
                states.append({"state": shown, "last_changed": _iso(t_s)})
        for end in states[:1] + states[-1:]:
            end |= {"entity_id": entity, "attributes": {}, "last_updated": end["last_changed"]}
        return Reply(json.dumps([states] if states else []).encode())


def _iso(t_s: float) -> str:
    return datetime.fromtimestamp(EPOCH_S + t_s, UTC).isoformat()

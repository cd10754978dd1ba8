"""Shelly devices of the first generation: plain paths, HTTP Basic, a register in watt-minutes.

Documented at shelly-api-docs.shelly.cloud/gen1: ``/meter/N`` gives ``power`` (W), ``total`` (watt-minutes,
whole), ``is_valid`` and ``timestamp`` (of the last counter value); the register starts at 0 with every
restart. The energy meters (``/emeter/N`` of EM and 3EM) give ``total`` in Wh with one decimal instead. Owners
found the power renewed about once a second (StyraHem/ShellyForHASS#94). Whether ``total`` follows by the
second or, like ``counters`` beside it, by the minute is not documented: the minute is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.plugs.client import Client
from joulemark.meters.plugs.payload import number, plain
from joulemark.meters.plugs.plug import RATED_MAX_W, Mark, Polled
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity

WATT_MINUTE_J = 60.0
_EMETER_WH_J = 3600.0
_EMETER_STEP_WH = 0.1
_EMETER_MAX_W = 120 * 250.0
_AGE_S = 62.0  # a minute between two updates, and two seconds for what lies before the register
_STALE_MARK_S = 150.0  # ``timestamp`` follows the clock, or the minute
_READ_PERIOD_S = 1.0  # an ESP8266 serves one request at a time


class Gen1Device:
    """One meter of a first-generation device."""

    def __init__(self, client: Client, path: str, unit_j: float, info: SourceInfo) -> None:
        self.info = info
        self._client, self._path, self._unit_j = client, path, unit_j
        self._timestamp = Mark(_STALE_MARK_S)

    def poll(self, now_s: float, deadline: Deadline) -> Polled:
        """Return energy and power; both are absent while the device calls its meter invalid."""
        status = self._client.ask(self._path, deadline)
        polled = Polled()
        valid = status.get("is_valid") is not False
        for quantity, key, unit in (
            (Quantity.ENERGY_J, "total", self._unit_j),
            (Quantity.POWER_W, "power", 1.0),
        ):
            if quantity in self.info.quantities:
                value = number(status.get(key)) if valid else None
                reason = "unavailable" if valid else "invalid"
                polled.take(quantity, None if value is None else float(value) * unit, reason)
        if self._timestamp.is_stale(status.get("timestamp"), now_s):
            for name in self.info.quantities:
                polled.drop(name, "stale")
        return polled

    def close(self) -> None:
        """Hang up."""
        self._client.close()


def describe_gen1(
    client: Client, facts: Mapping[str, Any], name: str, scope: Scope, channel: int
) -> Gen1Device:
    """Find the meter with this number; raises `Unanswered` (``no_component``, ``no_meter``)."""
    is_emeter = bool(_count(facts, "num_emeters"))
    if "num_meters" in facts and not is_emeter and not _count(facts, "num_meters"):
        raise Unanswered("no_meter")
    path = f"/{'emeter' if is_emeter else 'meter'}/{channel}"
    try:
        status = client.ask(path, Deadline())
    except Unanswered as error:
        if error.reason not in ("not_found", "http_400"):
            raise
        raise Unanswered("no_component") from error
    keys = ((Quantity.ENERGY_J, "total"), (Quantity.POWER_W, "power"))
    quantities = tuple(quantity.value for quantity, key in keys if number(status.get(key)) is not None)
    if not quantities:
        raise Unanswered("no_meter")
    info = SourceInfo(
        name=name,
        kind="shelly",
        scope=scope,
        quantities=quantities,
        counter_quantum_j=_EMETER_STEP_WH * _EMETER_WH_J if is_emeter else WATT_MINUTE_J,
        power_window_s=0.0 if Quantity.POWER_W in quantities else None,
        power_max_w=_EMETER_MAX_W if is_emeter else RATED_MAX_W,
        is_register=Quantity.ENERGY_J in quantities,
        value_age_s=_AGE_S,
        read_period_s=_READ_PERIOD_S,
        device_id=f"{facts['mac']}{path}",
        device_name=f"Shelly {plain(facts['type']) or ''}".strip(),
    )
    return Gen1Device(client, path, _EMETER_WH_J if is_emeter else WATT_MINUTE_J, info)


def _count(facts: Mapping[str, Any], key: str) -> int:
    value = facts.get(key)
    return value if isinstance(value, int) else 0

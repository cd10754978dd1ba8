"""Shelly devices of the second generation and later: RPC over GET.

Documented at shelly-api-docs.shelly.cloud/gen2/ComponentsAndServices (Switch, PM1, EM1, EM1Data, EM, EMData):
``apower`` in W and ``aenergy.total`` in Wh. How often they are renewed is not stated. Public logs of such a
plug, read every 1.3 s (github.com/tommasoboccali/riscv64-tests, Results/Aug_FullNode), show the register rise
by once or twice the power × 1 s and by nothing between: it is renewed once a second with that second's mean
power. EM1Data and EMData are documented to store energy a minute at a time, so their registers may be a
minute old. A second more is allowed for what lies before the register.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.plugs.client import Client
from joulemark.meters.plugs.payload import member, number, plain
from joulemark.meters.plugs.plug import RATED_MAX_W, Mark, Polled
from joulemark.meters.written import step
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity

WH_J = 3600
_AGE_S = 2.0  # a second between two updates, and one for what lies before the register
_STORE_AGE_S = 62.0
_MINUTE_MARK_S = 150.0  # ``minute_ts`` moves once a minute
_CLAMP_MAX_W = 120 * 250.0  # the largest current transformer of an EM1, one phase
_READ_PERIOD_S = 0.5  # twice an update; each answer costs the plug about 50 ms
_LEAST_LIMIT_W = 100.0  # a limit below this would switch the measured machine off


@dataclass(frozen=True, slots=True, kw_only=True)
class _Component:
    """Where a component keeps its values: paths of power (W) and of energy in and out (Wh).

    ``data`` is the component that stores its energy, null where it does so itself. Of a switch the total
    holds what flowed back too (home-assistant/core#146911); a store counts the directions apart.
    """

    key: str
    method: str
    data: str | None = None
    power: tuple[str, ...] = ("apower",)
    energy: tuple[str, ...] = ("aenergy", "total")
    returned: tuple[str, ...] | None = ("ret_aenergy", "total")
    step_wh: Decimal = Decimal("0.001")
    age_s: float = _AGE_S
    max_w: float = RATED_MAX_W


_COMPONENTS = (
    _Component(key="switch", method="Switch"),
    _Component(key="pm1", method="PM1"),
    _Component(
        key="em1",
        method="EM1",
        data="EM1Data",
        power=("act_power",),
        energy=("total_act_energy",),
        returned=None,
        step_wh=Decimal("0.01"),
        age_s=_STORE_AGE_S,
        max_w=_CLAMP_MAX_W,
    ),
    _Component(
        key="em",
        method="EM",
        data="EMData",
        power=("total_act_power",),
        energy=("total_act",),
        returned=None,
        step_wh=Decimal("0.01"),
        age_s=_STORE_AGE_S,
        max_w=3 * _CLAMP_MAX_W,
    ),
)


class RpcDevice:
    """One metering component. Asked with one request, or two where energy lies in a component of its own."""

    def __init__(self, client: Client, component: _Component, channel: int, info: SourceInfo) -> None:
        self.info = info
        self._client, self._component = client, component
        self._power_path = f"/rpc/{component.method}.GetStatus?id={channel}"
        self._energy_path = f"/rpc/{component.data or component.method}.GetStatus?id={channel}"
        self._minute = Mark(_MINUTE_MARK_S)

    def poll(self, now_s: float, deadline: Deadline) -> Polled:
        """Return energy and power; a minute's stamp that stopped makes both of them stale."""
        status = self._client.ask(self._power_path, deadline)
        stored = status
        if self._energy_path != self._power_path:
            stored = self._client.ask(self._energy_path, deadline)
        polled = Polled()
        if Quantity.ENERGY_J in self.info.quantities:
            wh = _energy_wh(self._component, stored)
            polled.take(Quantity.ENERGY_J, None if wh is None else float(wh * WH_J), "unavailable")
        if Quantity.POWER_W in self.info.quantities:
            watts = number(member(status, *self._component.power))
            polled.take(Quantity.POWER_W, None if watts is None else float(watts), "unavailable")
        if self._minute.is_stale(member(status, "aenergy", "minute_ts"), now_s):
            for quantity in self.info.quantities:
                polled.drop(quantity, "stale")
        return polled

    def close(self) -> None:
        """Hang up."""
        self._client.close()


def describe_rpc(
    client: Client, facts: Mapping[str, Any], name: str, scope: Scope, channel: int
) -> RpcDevice:
    """Find the metering component with this number; raises `Unanswered` (``no_component``, ``no_meter``)."""
    deadline = Deadline()
    status = client.ask("/rpc/Shelly.GetStatus", deadline)
    component = _component_of(status, channel)
    stored = status.get(f"{component.key}data:{channel}", status.get(f"{component.key}:{channel}"))
    wh = _energy_wh(component, stored)
    watts = number(member(status, f"{component.key}:{channel}", *component.power))
    shown = ((Quantity.ENERGY_J, wh), (Quantity.POWER_W, watts))
    info = SourceInfo(
        name=name,
        kind="shelly",
        scope=scope,
        quantities=tuple(quantity.value for quantity, value in shown if value is not None),
        counter_quantum_j=float(_step_wh(component, wh) * WH_J) if wh is not None else 0.0,
        power_window_s=1.0 if watts is not None else None,
        power_max_w=_power_max_w(client, component, channel, deadline),
        is_register=wh is not None,
        value_age_s=component.age_s,
        read_period_s=_READ_PERIOD_S,
        device_id=f"{facts['id']}/{component.key}:{channel}",
        device_name=f"Shelly {plain(facts.get('model')) or ''}".strip(),
    )
    return RpcDevice(client, component, channel, info)


def _component_of(status: Mapping[str, Any], channel: int) -> _Component:
    """Return the first kind of component with this number that measures."""
    there = [c for c in _COMPONENTS if f"{c.key}:{channel}" in status]
    for component in there:
        if member(status, f"{component.key}:{channel}", *component.power) is not None:
            return component
    others = any(key.split(":")[0] in {c.key for c in _COMPONENTS} for key in status)
    raise Unanswered("no_component" if others and not there else "no_meter")


def _energy_wh(component: _Component, stored: object) -> Decimal | None:
    """Return what was consumed: without what flowed back, where the total holds that as well."""
    total = number(member(stored, *component.energy))
    if total is None or component.returned is None:
        return total
    return total - (number(member(stored, *component.returned)) or 0)


def _step_wh(component: _Component, wh: Decimal) -> Decimal:
    """Return the register's step; fewer decimals than documented are believed, unless the number is whole."""
    written = step(wh)
    return max(component.step_wh, written) if written < 1 else component.step_wh


def _power_max_w(client: Client, component: _Component, channel: int, deadline: Deadline) -> float:
    """Return the power at which the device switches off, where it says so and it may be believed."""
    try:
        config = client.ask(f"/rpc/{component.method}.GetConfig?id={channel}", deadline)
    except Unanswered:
        return component.max_w
    limit = config.get("power_limit")
    if isinstance(limit, int | Decimal) and not isinstance(limit, bool) and limit >= _LEAST_LIMIT_W:
        return min(float(limit), component.max_w)
    return component.max_w

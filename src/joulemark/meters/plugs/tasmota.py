"""Plugs that run Tasmota: ``Status 10``, whose ``StatusSNS.ENERGY`` holds ``Total`` (kWh) and ``Power`` (W).

From the firmware (arendst/Tasmota, tasmota/tasmota_xdrv_driver/xdrv_03_energy.ino): values are renewed once a
second, and cleared where a meter chip was silent for 4 s; ``EnergyRes`` sets the decimals; with SetOption129
a meter of several phases writes a list instead of a sum, and ``Power`` is a list of phases at any rate;
``TotalStartTime`` is when the count began. The total is kept as a 32-bit float of kWh, so that its step grows
with what it has counted: 0.22 J in the first kWh, 220 J from 512 kWh. A login is asked for with ``{"WARNING":
"Need user=…"}``, with status 401 since 8.2.3 and 200 before.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import quote

import numpy as np

from joulemark.meters.address import MeterAddress
from joulemark.meters.fault_flags import RESET_MARKER
from joulemark.meters.http.answer import status_reason
from joulemark.meters.http.connection import Connection
from joulemark.meters.http.deadline import Deadline, Unanswered
from joulemark.meters.http.endpoint import Endpoint, parse_endpoint
from joulemark.meters.notes import note
from joulemark.meters.plugs.finding import Args, Kind, find_device, open_device
from joulemark.meters.plugs.password import read_password
from joulemark.meters.plugs.payload import json_object, member, number_in
from joulemark.meters.plugs.plug import RATED_MAX_W, Mark, PlugSource, Polled
from joulemark.meters.source import Finding, SourceSpec
from joulemark.meters.written import step
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import WALL, Scope
from joulemark.record.telemetry import Quantity

PASSWORD, USER = "JOULEMARK_TASMOTA_PASSWORD", "JOULEMARK_TASMOTA_USER"
KWH_J = 3_600_000
_MAX_PHASES = 8
_COARSE_J = 3600.0  # a step of 1 Wh and more is worth a hint: EnergyRes 5 makes it 36 J
_STOPPED_CLOCK_S = 10.0
_READ_PERIOD_S = 1.0  # an ESP8266 serves one request at a time
_ONE_PHASE_AGE_S = 1.0
_PHASES_AGE_S = 4.0  # phases are asked for one after another, within the watchdog's 4 s
_EXAMPLE = "tasmota:192.168.1.21"
_KIND = Kind(
    name="tasmota",
    product="Tasmota device",
    measures="a plug with Tasmota: energy and power of what is plugged into it",
    probe="/cm?cmnd=Status%2010",
    secret=PASSWORD,
    secret_option="password_file",
    words={
        "no_meter": (
            "this device has no meter, or Tasmota does not know it",
            "set its template in its web interface: Configuration, Configure Template",
        ),
        "command_unknown": ("its firmware does not know the command Status 10", "update Tasmota"),
    },
)


class TasmotaDevice:
    """The energy meter of one device, all phases together."""

    def __init__(self, client: TasmotaClient, info: SourceInfo) -> None:
        self.info = info
        self._client = client
        self._start_time: object = None
        self._time = Mark(_STOPPED_CLOCK_S)

    def poll(self, now_s: float, deadline: Deadline) -> Polled:
        """Return energy and power; a changed ``TotalStartTime`` is flagged as a reset."""
        sensors = self._client.command("Status 10", deadline)
        energy = member(sensors, "StatusSNS", "ENERGY")
        polled = Polled()
        for quantity, key, unit in ((Quantity.ENERGY_J, "Total", KWH_J), (Quantity.POWER_W, "Power", 1)):
            if quantity in self.info.quantities:
                value = _sum(member(energy, key))
                polled.take(quantity, None if value is None else float(value * unit), "unavailable")
        start_time = member(energy, "TotalStartTime")
        if self._start_time is not None and start_time != self._start_time:
            polled.flags.append(RESET_MARKER)
        self._start_time = start_time
        if self._time.is_stale(member(sensors, "StatusSNS", "Time"), now_s):
            for name in self.info.quantities:
                polled.drop(name, "stale")
        return polled

    def close(self) -> None:
        """Hang up."""
        self._client.close()


class TasmotaClient:
    """Sends commands. The login goes into the query, as the firmware wants it, once it was asked for."""

    def __init__(self, endpoint: Endpoint, user: str, password: str | None) -> None:
        self._connection = Connection(endpoint)
        self._user, self._password = user, password
        self._is_asked = False

    def command(self, text: str, deadline: Deadline) -> dict[str, Any]:
        """Return the answer to a command; raises `Unanswered`."""
        answer = self._send(text, deadline)
        if answer is None and not self._is_asked:
            if self._password is None:
                raise Unanswered("password_missing")
            self._is_asked = True
            answer = self._send(text, deadline)
        if answer is None:
            raise Unanswered("password_refused")
        if answer.get("Command") == "Unknown":
            raise Unanswered("command_unknown")
        return answer

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _send(self, text: str, deadline: Deadline) -> dict[str, Any] | None:
        """Return the answer, null where a login is wanted."""
        login = ""
        if self._is_asked and self._password is not None:
            login = f"user={quote(self._user, safe='')}&password={quote(self._password, safe='')}&"
        answer = self._connection.get(f"/cm?{login}cmnd={quote(text, safe='')}", deadline)
        if answer.status == 401:
            return None
        if (reason := status_reason(answer.status)) is not None:
            raise Unanswered(reason)
        content = json_object(answer)
        return None if str(content.get("WARNING", "")).startswith("Need user") else content


def find_tasmota(address: MeterAddress) -> list[Finding]:
    """Ask the device at ``address`` (options ``scope``, ``password_file``); raises `InputError`."""
    address.require_options({"scope", "password_file"})
    endpoint = parse_endpoint(address.address, _EXAMPLE)
    args: Args = {
        "address": endpoint.url,
        "scope": address.scope(Scope(WALL)).path,
        "password_file": address.options.get("password_file"),
    }
    return find_device(_KIND, endpoint, args, _describe)


def open_tasmota(spec: SourceSpec, clock: Clock | None = None) -> PlugSource:
    """Open the plug that ``spec`` names; raises `SourceLost` where it does not answer or is another one."""
    return open_device(spec, _describe, clock)


def _describe(spec: SourceSpec) -> TasmotaDevice:
    args = spec.args
    file = args.get("password_file")
    password = read_password(PASSWORD, None if file is None else str(file))
    endpoint = parse_endpoint(str(args["address"]), _EXAMPLE)
    client = TasmotaClient(endpoint, os.environ.get(USER) or "admin", password)
    try:
        return TasmotaDevice(client, _info(client, spec))
    except BaseException:
        client.close()
        raise


def _info(client: TasmotaClient, spec: SourceSpec) -> SourceInfo:
    deadline = Deadline()
    sensors = member(client.command("Status 10", deadline), "StatusSNS")
    if not isinstance(sensors, dict):
        raise Unanswered("wrong_device")
    energy = sensors.get("ENERGY")
    total, power = member(energy, "Total"), member(energy, "Power")
    shown = ((Quantity.ENERGY_J, total), (Quantity.POWER_W, power))
    quantities = tuple(quantity.value for quantity, value in shown if _sum(value) is not None)
    if not quantities:
        raise Unanswered("no_meter")
    network = client.command("Status 5", deadline)
    phases = max(len(_phases(total)), len(_phases(power)))
    quantum_j = _quantum_j(_phases(total)) if Quantity.ENERGY_J in quantities else 0.0
    notes: tuple[str, ...] = ()
    if quantum_j >= _COARSE_J:
        said = f"its steps are {quantum_j:,.6g} J; the command EnergyRes 5 makes them finer"
        notes = (note("coarse_step", said),)
    return SourceInfo(
        name=spec.name or "tasmota",
        kind="tasmota",
        scope=Scope(str(spec.args["scope"])),
        quantities=quantities,
        counter_quantum_j=quantum_j,
        power_window_s=0.0 if Quantity.POWER_W in quantities else None,
        power_max_w=RATED_MAX_W * phases,
        is_register=Quantity.ENERGY_J in quantities,
        value_age_s=_ONE_PHASE_AGE_S if phases == 1 else _PHASES_AGE_S,
        read_period_s=_READ_PERIOD_S,
        device_id=_device_id(network),
        device_name="Tasmota",
        notes=notes,
    )


def _device_id(network: dict[str, Any]) -> str | None:
    """Return the network card's number; the wired one where the wireless one is off."""
    for path in (("StatusNET", "Mac"), ("StatusNET", "Ethernet", "Mac")):
        mac = member(network, *path)
        if isinstance(mac, str) and mac.strip("0:"):
            return mac
    return None


def _phases(value: object) -> Sequence[Decimal]:
    """Return the value of each phase; none where any of them is no number."""
    entries = value if isinstance(value, list) else [value]
    numbers = [number_in(entry) for entry in entries[:_MAX_PHASES]]
    return [n for n in numbers if n is not None] if None not in numbers else []


def _sum(value: object) -> Decimal | None:
    phases = _phases(value)
    return sum(phases, Decimal(0)) if phases else None


def _quantum_j(phases: Sequence[Decimal]) -> float:
    """Return the step of the sum: that of the digits, or of a 32-bit float of that size, for each phase."""
    steps = [max(float(step(kwh)), float(np.spacing(np.float32(abs(kwh))))) for kwh in phases]
    return sum(steps) * KWH_J

"""A plug with Tasmota: commands by ``/cm?cmnd=``, a login in the query, one phase or three."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from doubles.faults import Fault
from doubles.plugs.http_device import HANG_UP, Asked, HttpDevice, Reply
from doubles.plugs.meter_curve import MeterCurve

MAC = "2C:3A:E8:00:11:22"
KWH_J = 3_600_000.0


@dataclass
class TasmotaSettings:
    """``energy_res``: decimals of kWh. ``phase_list``: SetOption129. ``as_text``: numbers in quotes."""

    energy_res: int = 3
    phases: int = 1
    phase_list: bool = False
    as_text: bool = False
    password: str | None = None
    refusal_status: int = 401  # 200 before 8.2.3
    has_energy: bool = True


class Tasmota(HttpDevice):
    """Answers ``Status 10`` and ``Status 5`` (tasmota.github.io/docs/Commands)."""

    server_header = "Tasmota/14.4.1 (ESP8266EX)"

    def __init__(self, curve: MeterCurve, settings: TasmotaSettings | None = None) -> None:
        super().__init__()
        self.curve, self.settings = curve, settings or TasmotaSettings()

    def answer(self, asked: Asked) -> Reply:
        if self.curve.is_silent:
            return HANG_UP
        if asked.path != "/cm":
            return Reply(b"<html>File Not Found</html>", 404, content_type="text/html")
        password = self.settings.password
        if password is not None and (asked.query.get("user"), asked.query.get("password")) != (
            "admin",
            password,
        ):
            body = {"WARNING": "Need user=<username>&password=<password>"}
            return Reply(json.dumps(body).encode(), self.settings.refusal_status)
        command = asked.query.get("cmnd", "").lower()
        if command == "status 5":
            body = {"StatusNET": {"Hostname": "smiths-kitchen", "IPAddress": self.address, "Mac": MAC}}
            return Reply(json.dumps(body).encode())
        if command == "status 10":
            return Reply(self._sensors().encode())
        return Reply(b'{"Command":"Unknown"}')

    def _sensors(self) -> str:
        curve = self.curve
        time = _stamp(curve.heard_s)
        if not self.settings.has_energy or curve.fault is Fault.NOT_SUPPORTED:
            return f'{{"StatusSNS":{{"Time":"{time}","Switch1":"OFF"}}}}'
        start = _stamp(curve.truth.middle_s) if curve.has_reset else "2024-01-01T00:00:00"
        n = self.settings.phases
        # phases draw 1/2, 1/4, 1/4 or all
        shares = {1: [1.0], 3: [0.5, 0.25, 0.25]}[n]
        totals = [curve.energy_j / KWH_J * share for share in shares]
        if not self.settings.phase_list:
            totals = [sum(totals)]
        total = self._list([self._kwh(kwh) for kwh in totals])
        watts = self._list([f"{curve.power_w * share:.0f}" for share in shares])
        energy = (
            f'"TotalStartTime":"{start}","Total":{total},"Yesterday":0.100,"Today":0.320,"Power":{watts},'
            f'"ApparentPower":{watts},"ReactivePower":0,"Factor":0.98,"Voltage":230,"Current":0.521'
        )
        return f'{{"StatusSNS":{{"Time":"{time}","ENERGY":{{{energy}}}}}}}'

    def _kwh(self, kwh: float) -> str:
        decimals = self.settings.energy_res
        return f"{math.floor(kwh * 10**decimals + 1e-6) / 10**decimals:.{decimals}f}"

    def _list(self, numbers: list[str]) -> str:
        written = [f'"{n}"' if self.settings.as_text else n for n in numbers]
        return written[0] if len(written) == 1 else "[" + ",".join(written) + "]"


def _stamp(t_s: float) -> str:
    hours, rest = divmod(math.floor(t_s), 3600)
    return f"2026-05-01T{hours % 24:02d}:{rest // 60:02d}:{rest % 60:02d}"

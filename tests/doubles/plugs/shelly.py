"""Shelly devices: generation 2 and later by RPC with Digest, generation 1 by plain paths with Basic."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from dataclasses import dataclass

from doubles.faults import Fault
from doubles.plugs.http_device import HANG_UP, Asked, HttpDevice, Reply
from doubles.plugs.meter_curve import MeterCurve

MAC = "A8032AB63D1C"
BOOT_UNIX_S = 1_780_000_000
WH_J, WATT_MINUTE_J = 3600.0, 60.0
NOT_FOUND = Reply(b"<html><body>Not Found</body></html>", 404, content_type="text/html")


def fixed(value: float, decimals: int) -> str:
    """A register as firmware prints it: cut, with all its decimals."""
    return f"{math.floor(value * 10**decimals + 1e-6) / 10**decimals:.{decimals}f}"


@dataclass
class Gen2Settings:
    """What differs between devices. ``component``: switch, pm1 or em1; ``returned_wh`` flowed back."""

    password: str | None = None
    component: str = "switch"
    channel: int = 0
    returned_wh: float | None = None
    nonce_uses: int = 1  # 30,000 from firmware 2.0.0 on
    power_limit: float | None = 2500.0
    has_time: bool = True


class ShellyGen2(HttpDevice):
    """A plug of generation 2 or later (shelly-api-docs.shelly.cloud/gen2)."""

    server_header = "ShellyHTTP/1.0.0"

    def __init__(self, curve: MeterCurve, settings: Gen2Settings | None = None) -> None:
        super().__init__()
        self.curve, self.settings = curve, settings or Gen2Settings()
        self.realm = f"shellyplugsg3-{MAC.lower()}"
        self._nonce, self._uses, self._serial = "", 0, 0

    def answer(self, asked: Asked) -> Reply:
        if self.curve.is_silent:
            return HANG_UP
        if asked.path == "/shelly":
            return self._json(
                {
                    "name": "Kitchen of the Smiths",
                    "id": self.realm,
                    "mac": MAC,
                    "slot": 0,
                    "model": "S3PL-00112EU",
                    "gen": 3,
                    "fw_id": "20240819-074343/1.4.20",
                    "ver": "1.4.20",
                    "app": "PlugSG3",
                    "auth_en": self.settings.password is not None,
                    "auth_domain": self.realm if self.settings.password else None,
                }
            )
        if self.settings.password is not None and not self._is_admitted(asked):
            return self._challenge()
        if asked.path == "/rpc/Shelly.GetStatus":
            return Reply(("{" + ", ".join(self._components()) + "}").encode())
        return self._call(asked)

    def _call(self, asked: Asked) -> Reply:
        namespace, _, method = asked.path.removeprefix("/rpc/").partition(".")
        known = {"Switch": "switch", "PM1": "pm1", "EM1": "em1", "EM1Data": "em1data"}
        if not asked.path.startswith("/rpc/") or namespace not in known:
            return self._json({"code": 404, "message": f"No handler for {namespace}.{method}"}, 404)
        key = f'"{known[namespace]}:{asked.query.get("id", "0")}": '
        found = [part.removeprefix(key) for part in self._components() if part.startswith(key)]
        if not found:
            message = f"Argument 'id', value {asked.query.get('id')} not found!"
            return self._json({"code": -105, "message": message}, 500)
        if method == "GetConfig":
            limit = self.settings.power_limit
            return self._json({"id": self.settings.channel, "name": None, "power_limit": limit})
        return Reply(found[0].encode())

    def _components(self) -> list[str]:
        """``"key:id": {status}``, with numbers printed as the firmware prints them."""
        number, curve = self.settings.channel, self.curve
        parts = ['"sys": {"uptime": 36301}', f'"wifi": {{"sta_ip": "{self.address}"}}']
        wh, watts = curve.energy_j / WH_J, curve.power_w
        head = f'"id":{number}, "voltage":230.4, "current":0.521'
        if curve.fault is Fault.NOT_SUPPORTED:
            return [*parts, f'"switch:{number}": {{"id":{number}, "source":"init", "output":true}}']
        if self.settings.component == "em1":
            power = f'"em1:{number}": {{{head}, "act_power":{watts:.1f}, "pf":0.98}}'
            stored = f'"total_act_energy":{fixed(wh, 2)},"total_act_ret_energy":0.00'
            return [*parts, power, f'"em1data:{number}": {{"id":{number},{stored}}}']
        minute = BOOT_UNIX_S + math.floor(curve.heard_s / 60) * 60
        stamp = f',"by_minute":[0.000,0.000,0.000],"minute_ts":{minute}' if self.settings.has_time else ""
        back = self.settings.returned_wh
        returned = "" if back is None else f', "ret_aenergy":{{"total":{fixed(back, 3)}{stamp}}}'
        total = fixed(wh + (back or 0.0), 3)
        body = f'{head}, "apower":{watts:.1f}, "aenergy":{{"total":{total}{stamp}}}{returned}'
        return [*parts, f'"{self.settings.component}:{number}": {{{body}}}']

    def _challenge(self) -> Reply:
        self._serial += 1
        self._nonce, self._uses = f"{1_780_000_000 + self._serial:x}", 0
        field = f'Digest qop="auth", realm="{self.realm}", nonce="{self._nonce}", algorithm=SHA-256'
        return Reply(b"", 401, {"WWW-Authenticate": field})

    def _is_admitted(self, asked: Asked) -> bool:
        """Check the answer to the challenge as RFC 7616 says."""
        field = asked.headers.get("authorization", "")
        given = {k: a or b for k, a, b in re.findall(r'(\w+)=(?:"([^"]*)"|([^\s,]+))', field)}
        if not field.startswith("Digest ") or given.get("nonce") != self._nonce or not self._nonce:
            return False
        if given.get("username") != "admin" or given.get("uri") != asked.target:
            return False
        self._uses += 1
        if self._uses > self.settings.nonce_uses or int(given["nc"], 16) != self._uses:
            return False

        def h(text: str) -> str:
            return hashlib.sha256(text.encode()).hexdigest()

        ha1 = h(f"admin:{self.realm}:{self.settings.password}")
        middle = f"{given['nonce']}:{given['nc']}:{given['cnonce']}:{given['qop']}"
        return given["response"] == h(f"{ha1}:{middle}:{h('GET:' + asked.target)}")

    @staticmethod
    def _json(content: object, status: int = 200) -> Reply:
        return Reply(json.dumps(content).encode(), status)


class ShellyGen1(HttpDevice):
    """A plug of the first generation (shelly-api-docs.shelly.cloud/gen1)."""

    server_header = "Mongoose/6.18"

    def __init__(
        self, curve: MeterCurve, *, password: str | None = None, is_valid: bool = True, emeter: bool = False
    ) -> None:
        super().__init__()
        self.curve, self.is_valid, self.emeter = curve, is_valid, emeter
        self._password = password

    def answer(self, asked: Asked) -> Reply:
        if self.curve.is_silent:
            return HANG_UP
        has_meter = self.curve.fault is not Fault.NOT_SUPPORTED
        if asked.path == "/shelly":
            counts = {"num_emeters": 1} if self.emeter else {"num_meters": int(has_meter)}
            facts = {"type": "SHEM" if self.emeter else "SHPLG-S", "mac": MAC, "auth": bool(self._password)}
            return Reply(json.dumps({**facts, "fw": "20221027-101131/v1.12.1", **counts}).encode())
        if self._password is not None:
            wanted = "Basic " + base64.b64encode(f"admin:{self._password}".encode()).decode()
            if asked.headers.get("authorization") != wanted:
                field = f'Basic realm="{MAC.lower()}"'
                return Reply(b"401 Unauthorized", 401, {"WWW-Authenticate": field}, "text/plain")
        if not has_meter or asked.path != ("/emeter/0" if self.emeter else "/meter/0"):
            return NOT_FOUND
        curve = self.curve
        unit, decimals = (WH_J, 1) if self.emeter else (WATT_MINUTE_J, 0)
        total = fixed(curve.energy_j / unit, decimals)
        stamp = BOOT_UNIX_S + math.floor(curve.heard_s)
        valid = "true" if self.is_valid else "false"
        power = curve.power_w if self.is_valid else 0.0
        body = f'"power":{power:.2f},"overpower":0.00,"is_valid":{valid},"timestamp":{stamp}'
        return Reply(f'{{{body},"counters":[119.870,120.013,119.930],"total":{total}}}'.encode())

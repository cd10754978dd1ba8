"""What a user may say of an analyzer: ``analyzer:TCPIP::192.168.1.9::INSTR?scope=wall&element=1``."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

from joulemark.meters.address import MeterAddress
from joulemark.meters.analyzer.link import DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS
from joulemark.meters.analyzer.scpi import J_PER_WH
from joulemark.meters.source import SourceSpec
from joulemark.record.errors import InputError
from joulemark.record.scope import WALL, Scope

INTEGRATE = ("start", "never")
UNITS_J = {"J": 1.0, "Wh": J_PER_WH, "mWh": 1e-3 * J_PER_WH, "kWh": 1e3 * J_PER_WH}
_KNOWN = (
    "scope",
    "element",
    "integrate",
    "until_kwh",
    "power_max_w",
    "timeout_ms",
    "energy_query",
    "power_query",
    "unit",
    "digits",
)
_RESOURCE = re.compile(r"(TCPIP|USB|GPIB|ASRL|VICP|PXI)\d*::?\S+", re.IGNORECASE)
_EXAMPLE = "for example --meter 'analyzer:TCPIP::192.168.1.9::INSTR?scope=wall'"


@dataclass(frozen=True, slots=True)
class AnalyzerOptions:
    """``integrate``: ``start`` has a halted integration run, ``never`` leaves it as it is.

    ``until_kwh``: the register's step is stated for values below this; from there on its energy is withheld.
    ``energy_query`` and ``power_query`` make an analyzer of another maker readable.
    """

    resource: str
    scope: str = WALL
    element: str = "1"
    integrate: str = "start"
    until_kwh: int = 10
    power_max_w: int = 0
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    energy_query: str = ""
    power_query: str = ""
    unit: str = "Wh"
    digits: int = 6
    name: str = "analyzer"

    @classmethod
    def of_address(cls, address: MeterAddress) -> AnalyzerOptions:
        """Read what the user wrote; raises `InputError`."""
        address.require_options(_KNOWN)
        if not _RESOURCE.fullmatch(address.address):
            raise InputError(
                f"{address.address!r} is no VISA resource name",
                why="it begins with TCPIP, USB, GPIB or ASRL and its parts are joined by '::'",
                fix=_EXAMPLE,
            )
        text = address.options.get
        element = text("element", "1").upper()
        if not re.fullmatch(r"[1-6]|SIGM[AB]", element):
            raise InputError(f"element={element} is none", why="it is 1 to 6, SIGMA or SIGMB", fix=_EXAMPLE)
        integrate, unit = text("integrate", "start"), text("unit", "Wh")
        for option, value, known in (("integrate", integrate, INTEGRATE), ("unit", unit, tuple(UNITS_J))):
            if value not in known:
                raise InputError(
                    f"{option}={value} is not known", why=f"it is {' or '.join(known)}", fix=_EXAMPLE
                )
        return cls(
            resource=address.address,
            scope=address.scope(Scope(WALL)).path,
            element=element,
            integrate=integrate,
            until_kwh=max(1, address.number("until_kwh", 10)),
            power_max_w=address.number("power_max_w", 0),
            timeout_ms=min(LONGEST_TIMEOUT_MS, max(100, address.number("timeout_ms", DEFAULT_TIMEOUT_MS))),
            energy_query=text("energy_query", ""),
            power_query=text("power_query", ""),
            unit=unit,
            digits=min(15, max(3, address.number("digits", 6))),
        )

    @classmethod
    def of_spec(cls, spec: SourceSpec) -> AnalyzerOptions:
        """Read what `spec` wrote."""
        return cls(**{name: spec.args[name] for name in cls.__slots__ if spec.args.get(name) is not None})  # type: ignore[arg-type]

    def spec(self) -> SourceSpec:
        """Return how to open the analyzer in another process."""
        return SourceSpec("analyzer", asdict(self))

    @property
    def has_queries(self) -> bool:
        """Whether the user said how to read it."""
        return bool(self.energy_query or self.power_query)

"""The unit of a series, told by its name's suffix or by the user, and what it is in joules or watts."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.record.telemetry import Quantity

_WH_J = 3600.0


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of energy or power: ``factor`` turns a value into joules or watts.

    ``is_register`` tells the units in which household meters count, whose steps are coarse.
    """

    name: str
    quantity: Quantity
    factor: float
    is_register: bool = False

    @property
    def is_energy(self) -> bool:
        """Whether it is a unit of energy."""
        return self.quantity is Quantity.ENERGY_J


def _energy(name: str, factor: float, *, is_register: bool = False) -> Unit:
    return Unit(name, Quantity.ENERGY_J, factor, is_register)


def _power(name: str, factor: float) -> Unit:
    return Unit(name, Quantity.POWER_W, factor)


UNITS = {
    unit.name: unit
    for unit in (
        _energy("J", 1.0),
        _energy("kJ", 1e3),
        _energy("mJ", 1e-3),
        _energy("uJ", 1e-6),
        _energy("Wh", _WH_J, is_register=True),
        _energy("kWh", 1e3 * _WH_J, is_register=True),
        _power("W", 1.0),
        _power("kW", 1e3),
        _power("mW", 1e-3),
        _power("uW", 1e-6),
    )
}
"""What the option ``unit`` may be."""

_SUFFIXES = {
    "joules": "J",
    "joule": "J",
    "kilojoules": "kJ",
    "millijoules": "mJ",
    "microjoules": "uJ",
    "watt_hours": "Wh",
    "watthours": "Wh",
    "wh": "Wh",
    "kilowatt_hours": "kWh",
    "kilowatthours": "kWh",
    "kwh": "kWh",
    "watts": "W",
    "watt": "W",
    "kilowatts": "kW",
    "milliwatts": "mW",
    "microwatts": "uW",
}


def unit_of_name(name: str) -> Unit | None:
    """Return the unit that a name ends with, before ``_total``; null where it ends with none."""
    stem = name.lower().removesuffix("_total")
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if stem == suffix or stem.endswith(f"_{suffix}"):
            return UNITS[_SUFFIXES[suffix]]
    return None

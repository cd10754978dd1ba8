"""What a chip measures: its channels of energy and power, with their units, windows and limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from joulemark.meters.hwmon.chip import Chip
from joulemark.record.meter import CEILING_UNKNOWN_W
from joulemark.record.telemetry import Quantity

# INA3221 data sheet: the shunt's full scale is 163.8 mV, the bus takes 26 V at most.
_INA3221_FULL_SCALE_V, _INA3221_BUS_V = 0.1638, 26.0

_ENERGY = re.compile(r"energy(\d+)_input\Z")
_POWER = re.compile(r"power(\d+)_(?:input|average)\Z")
_RAIL = re.compile(r"curr([123])_input\Z")  # 4 is the sum of the three
_IIO_RAIL = re.compile(r"in_power(\d+)_input\Z")
_NOT_CONNECTED = "NC"
# A driver that averages without saying over what; the common ones take a second or less.
_UNSTATED_WINDOW_S = 1.0


@dataclass(frozen=True, slots=True)
class Channel:
    """One quantity of a chip: the product of the numbers in ``files``, times ``unit`` (J or W).

    ``key`` names it within its chip, ``label`` is the driver's word for it, empty where there is none.
    ``window_s``: the trailing average of a power, null where it is not known; ``value_age_s`` then is how old
    what it shows may be. ``power_max_w``: the largest limit that the driver states, null for none.
    """

    key: str
    label: str
    quantity: Quantity
    files: tuple[str, ...]
    unit: float
    window_s: float | None = None
    value_age_s: float = 0.0
    power_max_w: float | None = None
    uncertainty_pct: float | None = None


def channels_of(chip: Chip) -> list[Channel]:
    """Return the channels of energy and power of ``chip``, in the driver's order; none where it has none."""
    makers: list[tuple[re.Pattern[str], Callable[[Chip, str], Channel]]] = [
        (_ENERGY, _energy),
        (_POWER, _power),
        (_IIO_RAIL, _iio_rail),
    ]
    if chip.name.startswith("ina3221"):
        makers.append((_RAIL, _rail))
    found: list[Channel] = []
    for pattern, make in makers:
        numbers = {match[1] for name in chip.names if (match := pattern.match(name))}
        found += [make(chip, number) for number in sorted(numbers, key=int)]
    return [channel for channel in found if channel.label != _NOT_CONNECTED]


def _energy(chip: Chip, number: str) -> Channel:
    label = chip.text(f"energy{number}_label") or ""
    limit_w = _limit_w(chip, number) or (_limit_w(chip, "1") if chip.pci else None)
    return Channel(
        f"energy{number}",
        label,
        Quantity.ENERGY_J,
        (f"energy{number}_input",),
        1e-6,
        power_max_w=limit_w,
    )


def _power(chip: Chip, number: str) -> Channel:
    label = chip.text(f"power{number}_label") or chip.text(f"power{number}_oem_info") or ""
    # An average is preferred: samples of it miss nothing that lies between them.
    if f"power{number}_average" not in chip.names:
        return Channel(
            f"power{number}",
            label,
            Quantity.POWER_W,
            (f"power{number}_input",),
            1e-6,
            window_s=0.0,
            power_max_w=_limit_w(chip, number),
        )
    interval_ms = chip.number(f"power{number}_average_interval")
    window_s = interval_ms * 1e-3 if interval_ms and interval_ms > 0 else None
    return Channel(
        f"power{number}",
        label,
        Quantity.POWER_W,
        (f"power{number}_average",),
        1e-6,
        window_s=window_s,
        value_age_s=_UNSTATED_WINDOW_S if window_s is None else 0.0,
        power_max_w=_limit_w(chip, number),
        uncertainty_pct=_uncertainty_pct(chip.text(f"power{number}_accuracy")),
    )


def _rail(chip: Chip, number: str) -> Channel:
    interval_ms = chip.number("update_interval")
    return Channel(
        f"rail{number}",
        chip.text(f"in{number}_label") or "",
        Quantity.POWER_W,
        (f"in{number}_input", f"curr{number}_input"),
        1e-6,  # mV × mA
        window_s=interval_ms * 1e-3 if interval_ms and interval_ms > 0 else 0.0,
        power_max_w=_rail_limit_w(chip, number),
    )


def _iio_rail(chip: Chip, number: str) -> Channel:
    return Channel(
        f"rail{number}",
        chip.text(f"rail_name_{number}") or "",
        Quantity.POWER_W,
        (f"in_power{number}_input",),
        1e-3,  # mW
        window_s=0.0,
        power_max_w=_over_w(chip, f"in_voltage{number}_input", f"crit_current_limit_{number}"),
    )


def _limit_w(chip: Chip, number: str) -> float | None:
    """Return the largest power that a limit of the channel names (W).

    A limit of 0 is one that is off, one that no device draws is an error code or in a wrong unit.
    """
    limits = [
        limit * 1e-6
        for kind in ("cap_max", "cap", "max", "rated_max", "crit")
        if (limit := chip.number(f"power{number}_{kind}")) is not None
    ]
    return max((limit for limit in limits if 0 < limit <= CEILING_UNKNOWN_W), default=None)


def _rail_limit_w(chip: Chip, number: str) -> float | None:
    """Return the most that a rail can carry before its alarm, else the most that its sensor can show (W)."""
    alarm_w = _over_w(chip, f"in{number}_input", f"curr{number}_crit")
    if alarm_w is not None:
        return alarm_w
    shunt_uohm = chip.number(f"shunt{number}_resistor")
    if shunt_uohm and shunt_uohm > 0:
        return _INA3221_BUS_V * _INA3221_FULL_SCALE_V / (shunt_uohm * 1e-6)
    return None


def _over_w(chip: Chip, voltage: str, current: str) -> float | None:
    """Return the power (W) at which a rail's over-current alarm goes off; null where it states none."""
    volt_mv, ampere_ma = chip.number(voltage), chip.number(current)
    if volt_mv and ampere_ma and volt_mv > 0 and ampere_ma > 0:
        return volt_mv * ampere_ma * 1e-6
    return None


def _uncertainty_pct(accuracy: str | None) -> float | None:
    """Return 100 minus an ACPI meter's stated accuracy (``95.0%``); null for one that makes no sense."""
    try:
        value = float((accuracy or "").rstrip("%"))
    except ValueError:
        return None
    return round(100.0 - value, 3) if 50.0 <= value < 100.0 else None

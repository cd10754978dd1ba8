"""A graphics card that is not NVIDIA's, as facts: what sysfs says of it."""

from __future__ import annotations

import os
from pathlib import Path

from joulemark.meters.boards import Board
from joulemark.meters.drm_place import device_directory
from joulemark.meters.sysfs import number, text

NO_INDEX = -1  # the numbers of boards are NVML's
_NOT_REPORTED = "not_reported"


def drm_board(address: str) -> Board | None:
    """Return the card at a PCI address; null where no graphics driver has it.

    ``uuid`` is the card's own number where the driver shows one, else where it sits in this machine.
    """
    device = device_directory(address)
    if device is None:
        return None
    vram_bytes = number(device / "mem_info_vram_total")
    limit_uw = _limit_uw(device)
    driver = Path(os.path.realpath(device / "driver")).name if os.path.lexists(device / "driver") else None
    name = text(device / "product_name") or _ids(device)
    facts = {"vram_mib": vram_bytes, "power_limit_w": limit_uw, "driver": driver, "name": name}
    return Board(
        index=NO_INDEX,
        uuid=text(device / "unique_id") or os.path.realpath(device),
        name=name,
        vram_mib=None if vram_bytes is None else vram_bytes >> 20,
        driver=driver,
        power_limit_w=None if limit_uw is None else limit_uw * 1e-6,
        mig=False,
        reasons={fact: _NOT_REPORTED for fact, value in facts.items() if value is None},
    )


def _limit_uw(device: Path) -> int | None:
    for file in ("power1_cap", "power1_max"):
        for place in sorted(device.glob(f"hwmon/hwmon*/{file}")):
            if (limit := number(place)) is not None and limit > 0:  # 0: switched off
                return limit
    return None


def _ids(device: Path) -> str | None:
    vendor, model = text(device / "vendor"), text(device / "device")
    makers = {"0x8086": "Intel", "0x1002": "AMD"}
    return f"{makers.get(vendor, vendor)} {model}" if vendor and model else None

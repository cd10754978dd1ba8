"""Which devices of this machine Zeus could read, as the system shows them; Zeus itself is not asked."""

from __future__ import annotations

import os
import platform
import sys
from enum import StrEnum
from pathlib import Path

from joulemark.meters.hwmon.chip import find_chips
from joulemark.meters.sysfs import sys_root, text

VARIABLE = "JOULEMARK_ZEUS"  # the parts to look for, comma-separated, whatever the system shows
_AMD_VENDOR = "0x1002"
_AMD_VENDOR_KFD = "vendor_id 4098"
_TEGRA = b"nvidia,tegra"
_OWN_JETSON_READER = "ina3221"


class Part(StrEnum):
    """A kind of device that Zeus reads."""

    AMD = "amd"
    APPLE = "apple"
    JETSON = "jetson"
    EMI = "emi"


def parts_here() -> list[Part]:
    """Return the parts that this machine has.

    A Jetson whose sensors the kernel shows is left out: they are read directly, and Zeus would only integrate
    the same sensors in a process of its own.
    """
    named = os.environ.get(VARIABLE)
    if named is not None:
        return [part for part in Part if part.value in named.lower().split(",")]
    found = []
    if sys.platform.startswith("linux"):
        if has_amd_gpu(sys_root()):
            found.append(Part.AMD)
        if is_jetson(sys_root()) and not any(
            chip.name.startswith(_OWN_JETSON_READER) for chip in find_chips()
        ):
            found.append(Part.JETSON)
    elif sys.platform == "darwin" and platform.machine() == "arm64":
        found.append(Part.APPLE)
    elif sys.platform == "win32":
        found.append(Part.EMI)
    return found


def has_amd_gpu(root: Path) -> bool:
    """Tell whether sysfs below ``root`` shows a graphics device of AMD (DRM, or ROCm's KFD)."""
    vendors = root.glob("class/drm/card*/device/vendor")
    if any(text(path) == _AMD_VENDOR for path in vendors):
        return True
    nodes = root.glob("class/kfd/kfd/topology/nodes/*/properties")
    return any(_is_kfd_gpu(text(path) or "") for path in nodes)


def is_jetson(root: Path) -> bool:
    """Tell whether the device tree below ``root`` is that of an NVIDIA Tegra."""
    try:
        compatible = (root / "firmware/devicetree/base/compatible").read_bytes()
    except OSError:
        return False
    return any(name.startswith(_TEGRA) for name in compatible.split(b"\0"))


def _is_kfd_gpu(properties: str) -> bool:
    lines = properties.splitlines()
    return _AMD_VENDOR_KFD in lines and "simd_count 0" not in lines

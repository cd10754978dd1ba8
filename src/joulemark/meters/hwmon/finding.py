"""What discovery says of the kernel's power sensors, and how to be allowed to read them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from joulemark.meters.hwmon.chip import ROOT_VARIABLE, Chip, find_chips, hwmon_root
from joulemark.meters.hwmon.place import GPU_DRIVERS, Placed
from joulemark.meters.hwmon.source import HwmonSource, find_placed, hwmon_spec, name_of
from joulemark.meters.machine import is_virtual, is_wsl
from joulemark.meters.source import Finding, SourceLost
from joulemark.meters.sysfs import moved_by

_MEASURES = "graphics cards, modules and power supplies through the kernel's hwmon class"
_RULE_FILE = "/etc/udev/rules.d/99-joulemark-hwmon.rules"
_LACKING = {
    "amdgpu": (
        "this driver shows no power of this card",
        "upgrade the kernel (`uname -r`), or read AMD's library: pip install 'joulemark[zeus]'",
    ),
    "i915": (
        "this driver shows no energy of this card (it does of discrete cards, from Linux 6.2 on)",
        "upgrade the kernel to 6.2 or later: `uname -r` tells the present one",
    ),
    "xe": (
        "this driver shows no energy of this card (it does of discrete cards, from Linux 6.8 on)",
        "upgrade the kernel to 6.8 or later: `uname -r` tells the present one",
    ),
}


def find_hwmon() -> list[Finding]:
    """Return one finding a channel of energy or power, and one for each graphics card that shows none.

    A single finding that says why where there is nothing at all.
    """
    placed = find_placed()
    findings = [_find(one) for one in placed]
    findings += [_lacking(chip) for chip in _without_channels(placed)]
    if findings:
        return findings
    why, fix = _why_none()
    return [Finding("hwmon", "hwmon", _MEASURES, why=why, fix=fix)]


def permission_fix(placed: Placed) -> str:
    """Return the commands that let everybody read a channel, now and after each boot."""
    chip, files = placed.chip, placed.channel.files
    beside = "/device" if chip.directory.name == "device" else ""
    now = " ".join(str(chip.directory / file) for file in files)
    later = " ".join(f"/sys%p{beside}/{file}" for file in files)
    rule = f'SUBSYSTEM=="hwmon", ACTION=="add", ATTR{{name}}=="{chip.name}", RUN+="/bin/chmod a+r {later}"'
    return (
        f"now: sudo chmod a+r {now}\n"
        f"for good: echo '{rule}' | sudo tee -a {_RULE_FILE} && sudo udevadm control --reload "
        "&& sudo udevadm trigger --action=add --subsystem-match=hwmon"
    )


def _find(placed: Placed) -> Finding:
    name = name_of(placed)
    file = placed.chip.directory / placed.channel.files[0]
    try:
        source = HwmonSource(placed)
    except SourceLost as error:
        if str(error) == "permission_denied":
            why = f"only root may read {file}"
            return Finding("hwmon", name, placed.measures, why=why, fix=permission_fix(placed))
        why = f"{file}: {error}"
        return Finding(
            "hwmon", name, placed.measures, why=why, fix=f"sudo dmesg | grep -i {placed.chip.name}"
        )
    source.close()
    doubt = ""
    if placed.scope.kind == "sensor":
        doubt = "what it covers is not known for certain: it is shown, and never the headline"
    return Finding("hwmon", name, placed.measures, spec=hwmon_spec(placed), info=source.info, why=doubt)


def _without_channels(placed: Sequence[Placed]) -> list[Chip]:
    measured = {one.chip.device for one in placed}
    return [chip for chip in find_chips() if chip.name in GPU_DRIVERS and chip.device not in measured]


def _lacking(chip: Chip) -> Finding:
    why, fix = _LACKING[chip.name]
    return Finding(
        "hwmon", f"hwmon:{chip.name}-{chip.place}", f"graphics card {chip.place}", why=why, fix=fix
    )


def _why_none() -> tuple[str, str]:
    root = hwmon_root()
    if not sys.platform.startswith("linux"):
        return "the hwmon class is Linux's", "none on this system"
    if (variable := moved_by(ROOT_VARIABLE)) is not None:
        return f"{root} holds no sensor of energy or power", f"unset {variable}"
    if is_wsl() or is_virtual():
        why = "this is a virtual machine, and its hypervisor passes no power sensors on"
        return why, "measure on the host; inside this machine the sensors cannot be had"
    why = f"{root} holds no sensor of energy or power"
    return (
        why,
        "sudo modprobe acpi_power_meter   # servers; a Corsair power supply: sudo modprobe corsair-psu",
    )

"""What discovery says of NVIDIA boards."""

from __future__ import annotations

from typing import Any

from joulemark.meters.machine import is_wsl
from joulemark.meters.notes import lacking
from joulemark.meters.nvml.driver import NOT_INSTALLED, reason_of, session
from joulemark.meters.nvml.source import NvmlSource, nvml_spec
from joulemark.meters.source import Finding, SourceLost
from joulemark.record.meter import SourceInfo
from joulemark.record.telemetry import Quantity

_FIXES = {
    NOT_INSTALLED: ("the Python package nvidia-ml-py is not installed", "pip install nvidia-ml-py"),
    "library_not_found": (
        "no NVIDIA driver library (libnvidia-ml.so.1) is on this machine",
        "install the driver of your NVIDIA board; in a container: docker run --gpus all",
    ),
    "driver_not_loaded": ("the NVIDIA kernel module is not loaded", "sudo modprobe nvidia"),
    "no_permission": (
        "this user may not open /dev/nvidiactl",
        "sudo usermod -aG video,render $USER   # then log in again",
    ),
    "lib_rm_version_mismatch": (
        "the NVIDIA library was updated, the kernel module was not",
        "sudo reboot   # or: sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia; sudo modprobe nvidia",
    ),
    "not_ready": (
        "the board is not in the ready state",
        "sudo nvidia-smi conf-compute -srs 1   # or sudo reboot",
    ),
    "gpu_is_lost": (
        "the board fell off the bus",
        "sudo nvidia-smi --gpu-reset   # or reboot; then see dmesg",
    ),
    "reset_required": ("the board asks for a reset", "sudo nvidia-smi --gpu-reset"),
}
_MEASURES = "NVIDIA boards: energy, power, throttle time, temperature, clocks"


def find_nvml() -> list[Finding]:
    """Return one finding a board; one that fails is reported and does not hide the others."""
    try:
        with session() as module:
            count = int(module.nvmlDeviceGetCount())
            if count == 0:
                why = "the driver sees no board"
                return [
                    Finding(
                        "nvml", "nvml", _MEASURES, why=why, fix="nvidia-smi -L; sudo dmesg | grep -i nvrm"
                    )
                ]
            return [_find_board(module, index) for index in range(count)]
    except SourceLost as error:
        return [_missing("nvml", str(error))]


def _find_board(module: Any, index: int) -> Finding:
    name = f"nvml:{index}"
    try:
        uuid = str(module.nvmlDeviceGetUUID(module.nvmlDeviceGetHandleByIndex(index)))
        source = NvmlSource(uuid)
    except SourceLost as error:
        return _missing(name, str(error))
    except module.NVMLError as error:
        return _missing(name, reason_of(error.value))
    info = source.info
    source.close()
    if not {Quantity.ENERGY_J, Quantity.POWER_W, Quantity.POWER_AVERAGE_W}.intersection(info.quantities):
        return _without_power(name, info)
    return Finding("nvml", name, _measures(info), spec=nvml_spec(uuid), info=info)


def _measures(info: SourceInfo) -> str:
    what = "the energy counter" if Quantity.ENERGY_J in info.quantities else "power only (no energy counter)"
    board = info.device_name or "a board"
    whole = "CPU and GPU of the module" if info.scope.kind == "module" else "the whole board"
    return f"{board}: {what} of {whole}"


def _without_power(name: str, info: SourceInfo) -> Finding:
    """Say why a board gives neither energy nor power: what the driver said of both, or what it then is."""
    wanted = (Quantity.ENERGY_J.value, Quantity.POWER_W.value)
    said = [reason for quantity, reason in lacking(info) if quantity in wanted]
    reason = next((reason for reason in said if reason in _FIXES), None)
    if reason is not None:
        return _missing(name, reason)
    board = info.device_name or "the board"
    why = f"{board} gives neither energy nor power (a vGPU, or an old laptop board)"
    fix = "measure on the host of the virtual machine, or with a wall meter"
    return Finding("nvml", name, _MEASURES, why=why, fix=fix)


def _missing(name: str, reason: str) -> Finding:
    why, fix = _FIXES.get(
        reason, (f"the NVIDIA driver says {reason}", "nvidia-smi   # shows what the driver says")
    )
    if reason == "library_not_found" and is_wsl():
        fix = "update the NVIDIA driver of Windows; inside WSL 2 none is installed"
    return Finding("nvml", name, _MEASURES, why=why, fix=fix)

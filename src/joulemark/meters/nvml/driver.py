"""The door to NVML: load the library late, hold it open, and name its errors.

Index is never identity: a board is found by its UUID, because NVML's order, CUDA's order and
``CUDA_VISIBLE_DEVICES`` disagree.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from joulemark.meters.source import SourceLost

NOT_INSTALLED = "nvidia_ml_py_not_installed"
FUNCTION_NOT_FOUND = 13  # NVML_ERROR_FUNCTION_NOT_FOUND: the driver is older than the call

# NVML return codes (nvml.h, nvmlReturn_t) after which a handle never answers again.
_LOST_CODES = frozenset({1, 9, 15, 16, 28})
_NAMES = {
    1: "uninitialized",
    2: "invalid_argument",
    3: "not_supported",
    4: "no_permission",
    6: "not_found",
    8: "insufficient_power",
    9: "driver_not_loaded",
    10: "timeout",
    11: "irq_issue",
    12: "library_not_found",
    13: "function_not_found",
    14: "corrupted_inforom",
    15: "gpu_is_lost",
    16: "reset_required",
    17: "operating_system",
    18: "lib_rm_version_mismatch",
    19: "in_use",
    20: "memory",
    21: "no_data",
    23: "insufficient_resources",
    25: "argument_version_mismatch",
    26: "deprecated",
    27: "not_ready",
    28: "gpu_not_found",
    29: "invalid_state",
}


def nvml() -> Any:
    """Return the ``pynvml`` module of package nvidia-ml-py; raises ``ImportError`` where it is absent."""
    import pynvml  # costs 70 ms, so only who meters pays

    return pynvml


def reason_of(code: int) -> str:
    """Return a snake-case name for an NVML return code; it goes into flags and records."""
    return _NAMES.get(code, f"nvml_error_{code}")


def is_lost(code: int) -> bool:
    """Tell whether the board or the driver is gone for good."""
    return code in _LOST_CODES


def start() -> Any:
    """Load the library, open the driver and return the module; raises `SourceLost` with the reason's name."""
    try:
        module = nvml()
    except ImportError as error:
        raise SourceLost(NOT_INSTALLED) from error
    try:
        module.nvmlInit()
    except module.NVMLError as error:
        raise SourceLost(reason_of(error.value)) from error
    return module


def stop(module: Any) -> None:
    """Release what `start` opened; a driver that is gone cannot object."""
    with contextlib.suppress(module.NVMLError):
        module.nvmlShutdown()


@contextlib.contextmanager
def session() -> Iterator[Any]:
    """Hold the driver open for a few calls; an NVML error inside becomes `SourceLost`."""
    module = start()
    try:
        yield module
    except module.NVMLError as error:
        raise SourceLost(reason_of(error.value)) from error
    finally:
        stop(module)


def open_board(module: Any, uuid: str) -> Any:
    """Return the handle of the board with this UUID; for a MIG instance, of the board that holds it.

    Raises `SourceLost` where the driver does not know it.
    """
    try:
        handle = module.nvmlDeviceGetHandleByUUID(uuid)
        if uuid.startswith("MIG-"):
            handle = module.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle)
    except module.NVMLError as error:
        raise SourceLost(reason_of(error.value)) from error
    return handle


def driver_branch(module: Any) -> int | None:
    """Return the driver's branch, for example 580; null where the version cannot be read."""
    try:
        return int(str(module.nvmlSystemGetDriverVersion()).split(".")[0])
    except (module.NVMLError, ValueError):
        return None

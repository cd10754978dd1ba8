"""The power limits of this machine's devices: read by anybody, set where that is permitted."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from joulemark.meters.boards import boards
from joulemark.meters.nvml.driver import open_board, session
from joulemark.meters.nvml.source import uses_mig
from joulemark.meters.rapl.powercap import find_domains, powercap_root
from joulemark.meters.source import SourceLost
from joulemark.meters.sysfs import number
from joulemark.record.errors import InputError
from joulemark.record.scope import Scope

Kind = Literal["nvml", "rapl"]
NVML: Kind = "nvml"
RAPL: Kind = "rapl"
_LONG_TERM = "constraint_0_power_limit_uw"  # of the powercap tree: the limit over seconds
_NO_PERMISSION = 4  # NVML_ERROR_NO_PERMISSION


@dataclass(frozen=True, slots=True)
class PowerLimit:
    """One device's limit as it is now. ``address`` is a board's UUID or a zone's directory: never published.

    ``default_w`` is the maker's, null where the device does not say; ``lowest_w``/``highest_w`` are what may
    be set, null where that is not said. ``is_shared``: the board is split by MIG, and its limit is not one
    user's to change.
    """

    kind: Kind
    address: str
    scope: str
    in_force_w: float
    default_w: float | None = None
    lowest_w: float | None = None
    highest_w: float | None = None
    is_shared: bool = False

    @property
    def base_w(self) -> float:
        """What shares are taken of: the factory default, else the limit in force."""
        return self.in_force_w if self.default_w is None else self.default_w


class NotPermitted(InputError):
    """This user may not set the limit."""


def power_limits() -> list[PowerLimit]:
    """Return the limits that can be read: of NVIDIA boards and of processor packages."""
    return [*_of_boards(), *_of_packages()]


def limits_in_force_w() -> dict[str, float]:
    """Return the limit in force by scope path."""
    return {limit.scope: limit.in_force_w for limit in power_limits()}


def drivers() -> dict[str, str]:
    """Return the driver of each board by its scope path."""
    return {Scope.gpu(board.index).path: board.driver for board in boards() if board.driver is not None}


def read_limit_w(kind: Kind, address: str) -> float:
    """Return a device's limit now; raises `InputError` where it cannot be read."""
    try:
        if kind == NVML:
            with session() as module:
                return _in_force_w(module, open_board(module, address))
    except SourceLost as error:
        raise InputError("a power limit cannot be read", why=str(error)) from error
    limit_w = _of_package_w(Path(address))
    if limit_w is None:
        raise InputError("a power limit cannot be read", why=f"{address} does not show it")
    return limit_w


def set_limit_w(kind: Kind, address: str, limit_w: float) -> None:
    """Set a device's limit. Raises `NotPermitted` where this user may not, `InputError` where it fails."""
    try:
        if kind == NVML:
            _set_board(address, limit_w)
        else:
            _set_package(Path(address), limit_w)
    except PermissionError as error:
        raise _not_permitted(str(error.strerror)) from error
    except (SourceLost, OSError) as error:
        raise InputError(f"the power limit cannot be set to {limit_w:g} W", why=str(error)) from error


def _set_board(uuid: str, limit_w: float) -> None:
    with session() as module:
        handle = open_board(module, uuid)
        try:
            module.nvmlDeviceSetPowerManagementLimit(handle, round(limit_w * 1e3))
        except module.NVMLError as error:
            if error.value == _NO_PERMISSION:
                raise _not_permitted("the driver lets only root set it") from error
            raise


def _set_package(zone: Path, limit_w: float) -> None:
    """Write into the kernel's own file, which is there and is no link."""
    descriptor = os.open(zone / _LONG_TERM, os.O_WRONLY | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0))
    with open(descriptor, "w") as file:
        file.write(str(round(limit_w * 1e6)))


def _not_permitted(why: str) -> NotPermitted:
    return NotPermitted(
        "the power limit may not be set",
        why=why,
        fix='run the same command as root: sudo env XDG_DATA_HOME="$HOME/.local/share" joulemark calibrate …',
    )


def _of_boards() -> list[PowerLimit]:
    found: list[PowerLimit] = []
    with contextlib.suppress(SourceLost), session() as module:
        for index in range(module.nvmlDeviceGetCount()):
            with contextlib.suppress(module.NVMLError):
                found.append(_of_board(module, index))
    return found


def _of_board(module: Any, index: int) -> PowerLimit:
    handle = module.nvmlDeviceGetHandleByIndex(index)
    default_w = lowest_w = highest_w = None
    with contextlib.suppress(module.NVMLError):
        default_w = module.nvmlDeviceGetPowerManagementDefaultLimit(handle) * 1e-3
    with contextlib.suppress(module.NVMLError):
        lowest_w, highest_w = (
            mw * 1e-3 for mw in module.nvmlDeviceGetPowerManagementLimitConstraints(handle)
        )
    return PowerLimit(
        NVML,
        str(module.nvmlDeviceGetUUID(handle)),
        Scope.gpu(index).path,
        _in_force_w(module, handle),
        default_w,
        lowest_w,
        highest_w,
        is_shared=uses_mig(module, handle),
    )


def _in_force_w(module: Any, handle: Any) -> float:
    """Return the limit that was set; a driver too old to say it gives the one that it enforces."""
    try:
        return float(module.nvmlDeviceGetPowerManagementLimit(handle) * 1e-3)
    except module.NVMLError:
        return float(module.nvmlDeviceGetEnforcedPowerLimit(handle) * 1e-3)


def _of_packages() -> list[PowerLimit]:
    found = []
    for domain in find_domains(powercap_root()):
        if domain.scope.kind == "package":
            in_force_w = _of_package_w(domain.directory)
            if in_force_w is not None:
                found.append(PowerLimit(RAPL, str(domain.directory), domain.scope.path, in_force_w))
    return found


def _of_package_w(zone: Path) -> float | None:
    """Return the limit of a zone (W); null where it shows none, and 0 is none."""
    limit_uw = number(zone / _LONG_TERM)
    return None if limit_uw is None or limit_uw <= 0 else limit_uw * 1e-6

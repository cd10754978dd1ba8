"""The NVIDIA boards of this machine as facts, and who computes on them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from joulemark.meters.nvml.driver import FUNCTION_NOT_FOUND, open_board, reason_of, session
from joulemark.meters.nvml.source import uses_mig
from joulemark.meters.process_tree import PROC, children_of, label
from joulemark.meters.source import SourceLost


@dataclass(frozen=True, slots=True)
class Board:
    """One board. A fact that the driver does not give is null and has its entry in ``reasons``."""

    index: int
    uuid: str
    name: str | None
    vram_mib: int | None
    driver: str | None
    power_limit_w: float | None
    mig: bool
    reasons: dict[str, str] = field(default_factory=dict)


def boards() -> list[Board]:
    """Return every board that answers; a lost one is left out and does not hide the others.

    Empty where there is no NVIDIA driver.
    """
    found: list[Board] = []
    with contextlib.suppress(SourceLost), session() as module:
        driver = _fact(module, {}, "driver", module.nvmlSystemGetDriverVersion)
        for index in range(module.nvmlDeviceGetCount()):
            with contextlib.suppress(module.NVMLError):
                found.append(_describe(module, index, driver))
    return found


def processes_on(uuid: str, *, compute_only: bool = False) -> list[int] | None:
    """Return the pids that compute or draw on a board, ascending; null where the driver does not say.

    ``compute_only`` leaves out those that only draw, a desktop's.
    The pids are those of the driver's pid namespace: in a container they may name no process seen here.
    """
    try:
        with session() as module:
            handle = open_board(module, uuid)
            compute = _pids(module, handle, "Compute")
            if compute is None:
                return None
            compute |= _pids(module, handle, "MPSCompute") or set()
            graphics = set() if compute_only else _pids(module, handle, "Graphics") or set()
            return sorted(compute | graphics)
    except SourceLost:
        return None


@dataclass(frozen=True, slots=True)
class Placement:
    """Whether an engine is on a board, and who else is.

    ``engine_on_device`` is null where nobody can tell; ``why`` then says what is missing.
    """

    engine_on_device: bool | None
    others: tuple[str, ...] = ()
    why: str = ""


def placement(uuid: str, engine_pid: int | None) -> Placement:
    """Tell whether ``engine_pid`` or a descendant of it is on the board, and name the other processes.

    A driver that lists pids which this machine does not show speaks of another pid namespace: then absence
    proves nothing, and the answer is null.
    """
    pids = processes_on(uuid)
    if pids is None:
        return Placement(None, (), "the driver does not list the board's processes")
    engine = set() if engine_pid is None else {engine_pid, *children_of([engine_pid])}
    others = tuple(label(pid) for pid in pids if pid not in engine)
    if engine_pid is None:
        return Placement(None, others, "the engine's process is not known")
    if engine.intersection(pids):
        return Placement(True, others)
    if any(not (PROC / str(pid)).exists() for pid in pids):
        return Placement(None, others, "the driver's process ids are those of another pid namespace")
    return Placement(False, others, "the driver lists no process of the engine on this board")


def _describe(module: Any, index: int, driver: str | None) -> Board:
    handle = module.nvmlDeviceGetHandleByIndex(index)
    reasons: dict[str, str] = {}
    if driver is None:
        reasons["driver"] = "not_reported"
    name = _fact(module, reasons, "name", lambda: str(module.nvmlDeviceGetName(handle)))
    vram_mib = _fact(module, reasons, "vram_mib", lambda: module.nvmlDeviceGetMemoryInfo(handle).total >> 20)
    limit_w = _fact(
        module, reasons, "power_limit_w", lambda: module.nvmlDeviceGetEnforcedPowerLimit(handle) * 1e-3
    )
    return Board(
        index=index,
        uuid=str(module.nvmlDeviceGetUUID(handle)),
        name=name,
        vram_mib=vram_mib,
        driver=driver,
        power_limit_w=limit_w,
        mig=uses_mig(module, handle),
        reasons=reasons,
    )


def _fact(module: Any, reasons: dict[str, str], name: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except module.NVMLError as error:
        reasons[name] = reason_of(error.value)
        return None


def _pids(module: Any, handle: Any, kind: str) -> set[int] | None:
    """Ask by the versioned names: the unversioned ones raise no `NVMLError` with an older driver."""
    for version in ("v3", "v2"):
        try:
            processes = getattr(module, f"nvmlDeviceGet{kind}RunningProcesses_{version}")(handle)
        except module.NVMLError as error:
            if error.value == FUNCTION_NOT_FOUND:
                continue
            return None
        return {int(process.pid) for process in processes}
    return None

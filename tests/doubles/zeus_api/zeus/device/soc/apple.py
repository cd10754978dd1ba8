"""Apple Silicon: cumulative millijoules, each field null where the chip does not count it."""

from __future__ import annotations

from dataclasses import dataclass

from doubles.faults import Fault
from doubles.zeus_world import world

_UPDATE_S = 0.01


def apple_silicon_is_available() -> bool:
    return world().available


@dataclass
class AppleSiliconMeasurement:
    cpu_total_mj: int | None = None
    efficiency_cores_mj: list[int] | None = None
    performance_cores_mj: list[int] | None = None
    efficiency_cluster_mj: list[int] | None = None
    performance_cluster_mj: list[int] | None = None
    efficiency_core_manager_mj: int | None = None
    performance_core_manager_mj: int | None = None
    dram_mj: int | None = None
    gpu_mj: int | None = None
    gpu_sram_mj: int | None = None
    ane_mj: int | None = None


class AppleSilicon:
    def __init__(self) -> None:
        world().made += 1
        self.available_metrics: set[str] | None = None

    def get_total_energy_consumption(self) -> AppleSiliconMeasurement:
        if world().lost():
            raise RuntimeError("IOReportCreateSamples failed")
        if world().fault is Fault.NOT_SUPPORTED:
            return AppleSiliconMeasurement()
        return AppleSiliconMeasurement(
            **{
                name: None
                if share is None
                else int(world().energy_mj(share, _UPDATE_S, name))
                if share
                else 0
                for name, share in world().apple.items()
            }
        )

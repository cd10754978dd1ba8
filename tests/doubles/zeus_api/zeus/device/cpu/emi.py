"""Windows' Energy Meter Interface, as the repository of Zeus has it."""

from __future__ import annotations

from doubles.faults import Fault
from doubles.zeus_world import world
from zeus.device.cpu.common import CpuDramMeasurement

_UPDATE_S = 0.001


class ZeusEMINotSupportedError(Exception):
    pass


class ZeusEMIInitError(Exception):
    pass


def emi_is_available() -> bool:
    return world().available


class EMICPU:
    def __init__(self, cpu_index: int) -> None:
        self.cpu_index = cpu_index

    def get_total_energy_consumption(self) -> CpuDramMeasurement:
        if world().lost():
            raise ZeusEMIInitError("IOCTL_EMI_GET_MEASUREMENT failed")
        cpu, dram = world().packages[self.cpu_index]
        return CpuDramMeasurement(
            cpu_mj=world().energy_mj(cpu, _UPDATE_S),
            dram_mj=None if dram is None else world().energy_mj(dram, _UPDATE_S),
        )

    def supports_get_dram_energy_consumption(self) -> bool:
        return world().packages[self.cpu_index][1] is not None


class EMICPUs:
    def __init__(self) -> None:
        world().made += 1
        if world().fault is Fault.NOT_SUPPORTED:
            raise ZeusEMINotSupportedError("no RAPL_Package PKG channels were detected")
        self._cpus = [EMICPU(index) for index in range(len(world().packages))]

    @property
    def cpus(self) -> list[EMICPU]:
        return self._cpus

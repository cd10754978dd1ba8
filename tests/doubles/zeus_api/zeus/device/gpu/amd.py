"""AMD GPUs: the object interface, and the handle through which amdsmi is asked for an address."""

from __future__ import annotations

import os

from doubles.faults import Fault
from doubles.zeus_world import FakeGpu, world
from zeus.device.gpu import common

_UPDATE_S = 0.01


class _Amdsmi:
    """The part of ``amdsmi`` that Zeus does not wrap."""

    @staticmethod
    def amdsmi_get_gpu_device_bdf(processor_handle: FakeGpu) -> str:
        return processor_handle.address.upper()


amdsmi = _Amdsmi()


def amdsmi_is_available() -> bool:
    if not world().available:
        print("Unable to find libamd_smi.so library try installing amd-smi-lib")
    return world().available


class AMDGPU:
    def __init__(self, gpu_index: int) -> None:
        self.gpu_index = gpu_index
        self.handle = world().gpus[gpu_index]

    def get_name(self) -> str:
        return self.handle.name

    def get_power_management_limit_constraints(self) -> tuple[int, int]:
        return 0, 300_000

    def get_total_energy_consumption(self) -> int:
        self._reach(self.handle.counts and world().fault is not Fault.NOT_SUPPORTED)
        return 0 if self.handle.silent_zero else int(world().energy_mj(self.handle.share, _UPDATE_S))

    def get_instant_power_usage(self) -> int:
        self._reach(self.handle.instant)
        return 0 if self.handle.silent_zero else int(world().power_mw(self.handle.share))

    def get_average_power_usage(self) -> int:
        self._reach(self.handle.average)
        return 0 if self.handle.silent_zero else int(world().power_mw(self.handle.share))

    def _reach(self, supported: bool) -> None:
        if world().lost():
            raise common.ZeusGPUTimeoutError("AMDSMI_STATUS_TIMEOUT")
        if not supported or self.handle.second_die:
            raise common.ZeusGPUNotSupportedError("not supported on this AMD GPU")


class AMDGPUs:
    def __init__(self, ensure_homogeneous: bool = False) -> None:
        world().made += 1
        mask = os.environ.get("HIP_VISIBLE_DEVICES", os.environ.get("CUDA_VISIBLE_DEVICES"))
        if mask == "":
            raise common.ZeusGPUInitError("HIP_VISIBLE_DEVICES or CUDA_VISIBLE_DEVICES is set but empty.")
        indices = range(len(world().gpus)) if mask is None else [int(index) for index in mask.split(",")]
        self._gpus = [AMDGPU(index) for index in indices]

    @property
    def gpus(self) -> list[AMDGPU]:
        return self._gpus

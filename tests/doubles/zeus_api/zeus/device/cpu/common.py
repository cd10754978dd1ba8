"""What a processor has used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class CpuDramMeasurement:
    cpu_mj: float
    dram_mj: float | None = None

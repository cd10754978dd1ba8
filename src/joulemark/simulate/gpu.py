"""The boards that can be simulated: what the data sheets say, and what is assumed of their power."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from joulemark.record.errors import InputError


@dataclass(frozen=True, slots=True)
class GpuModel:
    """A board. The first group of fields is from its data sheet, the second is assumed.

    ``peak_flops`` are dense 16-bit operations a second, ``memory_bytes_per_s`` the memory's,
    ``link_bytes_per_s`` what one board sends to its neighbours and ``host_bytes_per_s`` to the host, each
    in one direction.

    ``idle_w`` is always drawn. ``compute_w`` and ``memory_w`` are what full use of the arithmetic units and
    of the memory adds; both together with ``idle_w`` may exceed ``tdp_w``, which then caps. ``transfer_w``
    is what a busy link to the host adds. ``flops_share``, ``memory_share`` and ``kv_share`` are the parts
    of the peaks that matrix products, reading weights, and reading the paged context reach.
    ``decode_power_share`` is what a second of arithmetic costs in decoding against prefill, whose matrix
    products fill the units. ``bend`` shapes the concave curve of power over use u: u (1 + bend) / (u +
    bend). ``static_share`` is the part of a step's energy above idle that a lower clock does not save.
    ``link_latency_s`` is that of one all-reduce. Raises ``ValueError`` for figures that no board can have.
    """

    name: str
    tdp_w: float
    memory_bytes: float
    peak_flops: float
    memory_bytes_per_s: float
    link_bytes_per_s: float
    host_bytes_per_s: float
    source: str

    idle_w: float
    compute_w: float
    memory_w: float
    transfer_w: float = 15.0
    flops_share: float = 0.6
    memory_share: float = 0.8
    kv_share: float = 0.6
    decode_power_share: float = 0.8
    bend: float = 0.8
    static_share: float = 0.5
    link_latency_s: float = 8e-6

    def __post_init__(self) -> None:
        positive = (self.memory_bytes, self.peak_flops, self.memory_bytes_per_s, self.link_bytes_per_s)
        if min(*positive, self.host_bytes_per_s, self.bend) <= 0 or not 0 < self.idle_w < self.tdp_w:
            raise ValueError(f"{self.name}: rates are positive, and idle_w lies between 0 and tdp_w")
        shares = (self.flops_share, self.memory_share, self.kv_share, self.decode_power_share)
        if not all(0 < share <= 1 for share in shares) or not 0 <= self.static_share < 1:
            raise ValueError(f"{self.name}: a share lies between 0 and 1")
        if min(self.compute_w, self.memory_w) <= 0 or self.transfer_w < 0:
            raise ValueError(f"{self.name}: use of a board draws power")


H100 = GpuModel(
    name="H100",
    tdp_w=700.0,
    memory_bytes=80e9,
    peak_flops=989.4e12,
    memory_bytes_per_s=3.35e12,
    link_bytes_per_s=450e9,
    host_bytes_per_s=64e9,
    source="NVIDIA H100 data sheet, SXM5 80 GB, dense BF16",
    idle_w=90.0,
    compute_w=430.0,
    memory_w=240.0,
)
H200 = GpuModel(
    name="H200",
    tdp_w=700.0,
    memory_bytes=141e9,
    peak_flops=989.4e12,
    memory_bytes_per_s=4.8e12,
    link_bytes_per_s=450e9,
    host_bytes_per_s=64e9,
    source="NVIDIA H200 data sheet, SXM 141 GB, dense BF16",
    idle_w=95.0,
    compute_w=430.0,
    memory_w=260.0,
)
B200 = GpuModel(
    name="B200",
    tdp_w=1000.0,
    memory_bytes=180e9,
    peak_flops=2250e12,
    memory_bytes_per_s=8e12,
    link_bytes_per_s=900e9,
    host_bytes_per_s=64e9,
    source="NVIDIA DGX B200 data sheet, a board's share, dense BF16",
    idle_w=140.0,
    compute_w=610.0,
    memory_w=370.0,
)
A100 = GpuModel(
    name="A100",
    tdp_w=400.0,
    memory_bytes=80e9,
    peak_flops=312e12,
    memory_bytes_per_s=2.039e12,
    link_bytes_per_s=300e9,
    host_bytes_per_s=32e9,
    source="NVIDIA A100 data sheet, SXM4 80 GB, dense BF16",
    idle_w=55.0,
    compute_w=230.0,
    memory_w=160.0,
)
L4 = GpuModel(
    name="L4",
    tdp_w=72.0,
    memory_bytes=24e9,
    peak_flops=121e12,
    memory_bytes_per_s=300e9,
    link_bytes_per_s=32e9,
    host_bytes_per_s=32e9,
    source="NVIDIA L4 data sheet, dense BF16; no NVLink, boards speak over PCIe",
    idle_w=16.0,
    compute_w=50.0,
    memory_w=24.0,
    transfer_w=4.0,
    link_latency_s=25e-6,
)
SMALL = GpuModel(
    name="SMALL",
    tdp_w=75.0,
    memory_bytes=8e9,
    peak_flops=20e12,
    memory_bytes_per_s=200e9,
    link_bytes_per_s=16e9,
    host_bytes_per_s=12e9,
    source="no real board: a small one for tests",
    idle_w=10.0,
    compute_w=45.0,
    memory_w=25.0,
    transfer_w=3.0,
)

GPUS: Mapping[str, GpuModel] = MappingProxyType(
    {gpu.name.lower(): gpu for gpu in (H100, H200, B200, A100, L4, SMALL)}
)
"""The built-in boards by lower-case name."""


def gpu_named(name: str) -> GpuModel:
    """Return the built-in board of this name, whatever its case; raises ``InputError`` for another."""
    found = GPUS.get(name.strip().lower())
    if found is None:
        known = ", ".join(gpu.name for gpu in GPUS.values())
        raise InputError(f"no simulated GPU is named {name!r}", fix=f"name one of {known}")
    return found

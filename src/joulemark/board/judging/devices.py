"""Boards by the names that drivers give them: what none of them can do, each figure with its source.

Rated power and names are those of `joulemark.record.rated`; a board that is not here has no bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from joulemark.record.rated import rated_power

_IDLE_SHARE = 0.03
"""Of the rated power: what a board at work never falls below. Boards that answer requests draw 15 % of it
and more (published ML.ENERGY rows, see `joulemark.metrics.plausible_row`)."""
_CONTEXT_HBM_W, _CONTEXT_GDDR_W = 26.0, 66.0
"""What a CUDA context alone adds to a bare board: at least 26 W on H100 and A100, 66 W on L40S. Source:
Vadari, The Model Parking Tax (arXiv 2605.23918), abstract; the bare board's own watts come on top of it."""
_SLOT_W, _12V_2X6_W, _8_PIN_W = 75.0, 600.0, 150.0
"""What the PCIe slot and the plugs of a board may carry (PCI-SIG, PCI Express Card Electromechanical 5.1). A
maker's overclocked board has a higher limit than the rated one, and none above its plugs."""


@dataclass(frozen=True, slots=True)
class DeviceLimits:
    """What one kind of graphics board cannot exceed.

    ``rated_w`` and ``name`` are those of the rating, ``limit_w`` is the highest power limit that any board of
    that name can be set to, ``idle_w`` what it cannot fall below with a model loaded.
    ``memory_bytes_per_s`` is the peak of its memory, ``memory_gib`` the sizes that it comes with, and
    ``cache_bytes`` its last-level cache, whose contents are not read from memory.
    ``operations_per_s`` is the dense peak of the lowest precision on its sheet.
    """

    name: str
    rated_w: float
    limit_w: float
    idle_w: float
    memory_bytes_per_s: float
    memory_gib: tuple[float, ...]
    cache_bytes: float
    operations_per_s: float
    source: str


@dataclass(frozen=True, slots=True)
class _Sheet:
    """TB/s, GiB, MiB of the last-level cache, dense tera-operations a second; the limit where it differs."""

    tb_per_s: float
    gib: tuple[float, ...]
    cache_mib: float
    tops: float
    source: str
    limit_w: float | None = None
    idle_w: float | None = None


_HOPPER = "NVIDIA {} data sheet (FP8 dense); L2: NVIDIA Hopper architecture white paper"
_AMPERE = "NVIDIA {} data sheet (INT4 dense); L2: NVIDIA Ampere architecture white papers"
_ADA = "NVIDIA {} data sheet; L2: NVIDIA Ada architecture white paper"
_AMD = "AMD Instinct {} data sheet; Infinity Cache or L2: AMD CDNA white papers"

_SHEETS: Mapping[str, _Sheet] = MappingProxyType(
    {
        "GB200, one GPU": _Sheet(8.0, (186, 192), 126, 10_000, "NVIDIA GB200 NVL72 data sheet (FP4 dense)"),
        "B200 SXM": _Sheet(8.0, (180, 192), 126, 9_000, "NVIDIA DGX B200 data sheet (FP4 dense)"),
        "H200 NVL": _Sheet(4.8, (141,), 50, 1671, _HOPPER.format("H200")),
        "H200 SXM": _Sheet(4.8, (141,), 50, 1979, _HOPPER.format("H200")),
        "H100 NVL": _Sheet(3.94, (94,), 50, 1979, _HOPPER.format("H100"), idle_w=_CONTEXT_HBM_W),
        "H100 PCIe": _Sheet(2.04, (80,), 50, 1513, _HOPPER.format("H100"), idle_w=_CONTEXT_HBM_W),
        "H100 SXM": _Sheet(3.36, (80, 64, 96), 50, 1979, _HOPPER.format("H100"), idle_w=_CONTEXT_HBM_W),
        # HGX boards with another cooler are set to 500 W (footnote of the sheet)
        "A100 SXM": _Sheet(2.04, (40, 80), 40, 1248, _AMPERE.format("A100"), 500, _CONTEXT_HBM_W),
        "A100 80GB PCIe": _Sheet(1.94, (80,), 40, 1248, _AMPERE.format("A100"), idle_w=_CONTEXT_HBM_W),
        "A100 40GB PCIe": _Sheet(1.56, (40,), 40, 1248, _AMPERE.format("A100"), idle_w=_CONTEXT_HBM_W),
        "V100 SXM2": _Sheet(0.9, (16, 32), 6, 125, "NVIDIA V100 data sheet (FP16 with FP32 sums)"),
        "V100 PCIe": _Sheet(0.9, (16, 32), 6, 125, "NVIDIA V100 data sheet (FP16 with FP32 sums)"),
        "L40S": _Sheet(0.864, (48,), 96, 1466, _ADA.format("L40S"), idle_w=_CONTEXT_GDDR_W),
        "L40": _Sheet(0.864, (48,), 96, 724, _ADA.format("L40")),
        "L4": _Sheet(0.3, (24,), 48, 485, _ADA.format("L4")),
        "A40": _Sheet(0.696, (48,), 6, 599, _AMPERE.format("A40")),
        "A30": _Sheet(0.933, (24,), 24, 661, _AMPERE.format("A30")),
        "A10": _Sheet(0.6, (24,), 6, 500, _AMPERE.format("A10")),
        "T4": _Sheet(0.32, (16,), 4, 260, "NVIDIA T4 data sheet (INT4)"),
        "RTX A6000": _Sheet(0.768, (48,), 6, 619, _AMPERE.format("RTX A6000")),
        "RTX 6000 Ada": _Sheet(0.96, (48,), 96, 1457, _ADA.format("RTX 6000 Ada")),
        "RTX 5090": _Sheet(
            1.792,
            (32,),
            96,
            3352,
            "NVIDIA Blackwell RTX white paper (FP4)",
            _12V_2X6_W + _SLOT_W,
        ),
        "RTX 4090": _Sheet(1.008, (24, 48), 72, 1321, _ADA.format("RTX 4090"), _12V_2X6_W + _SLOT_W),
        "RTX 3090": _Sheet(0.936, (24,), 6, 568, _AMPERE.format("RTX 3090"), 3 * _8_PIN_W + _SLOT_W),
        "Instinct MI355X": _Sheet(8.0, (288,), 256, 10_100, _AMD.format("MI355X")),
        "Instinct MI325X": _Sheet(6.0, (256,), 256, 2615, _AMD.format("MI325X")),
        "Instinct MI300X": _Sheet(5.33, (192,), 256, 2615, _AMD.format("MI300X")),
        "Instinct MI210": _Sheet(1.64, (64,), 16, 181, _AMD.format("MI210")),
    }
)


def board_named(device: str | None) -> DeviceLimits | None:
    """Return the board of a name, null for one that is not on file or leaves its variant open."""
    rated = rated_power(device)
    sheet = None if rated is None else _SHEETS.get(rated.board)
    if rated is None or sheet is None:
        return None
    return DeviceLimits(
        name=rated.board,
        rated_w=rated.watts,
        limit_w=sheet.limit_w or rated.watts,
        idle_w=sheet.idle_w or _IDLE_SHARE * rated.watts,
        memory_bytes_per_s=sheet.tb_per_s * 1e12,
        memory_gib=sheet.gib,
        cache_bytes=sheet.cache_mib * 2**20,
        operations_per_s=sheet.tops * 1e12,
        source=sheet.source,
    )

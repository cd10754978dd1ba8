"""The rated power of boards by the names that drivers and publications give them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NVIDIA = "NVIDIA data sheet"
_AMD = "AMD data sheet"


@dataclass(frozen=True, slots=True)
class RatedPower:
    """The rated (thermal design) power of one board in watts, as its maker gives it in ``source``."""

    board: str
    watts: float
    source: str


# The first that is found in a device's name counts, so a variant stands before the board it is one of. A name
# that leaves the variant open matches none where the variants differ in power, but for the boards that
# only the names of one variant leave out (``H100 80GB HBM3`` is the SXM board).
_RATED: tuple[tuple[str, RatedPower], ...] = (
    (r"gb200", RatedPower("GB200, one GPU", 1200, _NVIDIA)),
    (r"b200", RatedPower("B200 SXM", 1000, _NVIDIA)),
    (r"h200.*nvl", RatedPower("H200 NVL", 600, _NVIDIA)),
    (r"h200", RatedPower("H200 SXM", 700, _NVIDIA)),
    (r"h100.*nvl", RatedPower("H100 NVL", 400, _NVIDIA)),
    (r"h100.*pcie", RatedPower("H100 PCIe", 350, _NVIDIA)),
    (r"h100", RatedPower("H100 SXM", 700, _NVIDIA)),
    (r"a100.*sxm\d*", RatedPower("A100 SXM", 400, _NVIDIA)),
    (r"a100.*80gb.*pcie|a100.*pcie.*80gb", RatedPower("A100 80GB PCIe", 300, _NVIDIA)),
    (r"a100.*40gb.*pcie|a100.*pcie.*40gb", RatedPower("A100 40GB PCIe", 250, _NVIDIA)),
    (r"v100.*sxm\d*", RatedPower("V100 SXM2", 300, _NVIDIA)),
    (r"v100.*pcie", RatedPower("V100 PCIe", 250, _NVIDIA)),
    (r"l40s", RatedPower("L40S", 350, _NVIDIA)),
    (r"l40", RatedPower("L40", 300, _NVIDIA)),
    (r"l4", RatedPower("L4", 72, _NVIDIA)),
    (r"a40", RatedPower("A40", 300, _NVIDIA)),
    (r"a30", RatedPower("A30", 165, _NVIDIA)),
    (r"a10", RatedPower("A10", 150, _NVIDIA)),
    (r"t4", RatedPower("T4", 70, _NVIDIA)),
    (r"rtx a6000", RatedPower("RTX A6000", 300, _NVIDIA)),
    (r"rtx 6000 ada", RatedPower("RTX 6000 Ada", 300, _NVIDIA)),
    (r"rtx 5090", RatedPower("RTX 5090", 575, _NVIDIA)),
    (r"rtx 4090", RatedPower("RTX 4090", 450, _NVIDIA)),
    (r"rtx 3090", RatedPower("RTX 3090", 350, _NVIDIA)),
    (r"mi355x", RatedPower("Instinct MI355X", 1400, _AMD)),
    (r"mi325x", RatedPower("Instinct MI325X", 1000, _AMD)),
    (r"mi300x", RatedPower("Instinct MI300X", 750, _AMD)),
    (r"mi210", RatedPower("Instinct MI210", 300, _AMD)),
)
# Variants of another power than the board they are named after, whose own is not on file.
_OTHERS = r"laptop|mobile|max q|3090 ti|4090 d|5090 d|cnx|sxm3"


def rated_power(device: str | None) -> RatedPower | None:
    """Return the rated power of a board by its name, null for one that is not in the table."""
    if device is None:
        return None
    plain = re.sub(r"[^a-z0-9]+", " ", device.casefold())
    if re.search(rf"(?<![a-z0-9])(?:{_OTHERS})(?![a-z0-9])", plain):
        return None
    for pattern, rated in _RATED:
        if re.search(rf"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])", plain):
            return rated
    return None


def rated_between(device: str | None) -> tuple[float, float] | None:
    """Return the least and the most watts that a board may be rated at; null where none is on file.

    The two differ where a name leaves the variant open (``A100``).
    """
    one = rated_power(device)
    if one is not None:
        return one.watts, one.watts
    words = re.sub(r"[^a-z0-9]+", " ", (device or "").casefold()).split()
    numbered = {word for word in words if any(map(str.isdigit, word))}
    watts = [rated.watts for _, rated in _RATED if rated.board.casefold().split()[0] in numbered]
    return (min(watts), max(watts)) if watts else None

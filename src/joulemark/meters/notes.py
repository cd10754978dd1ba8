"""What is peculiar about a source, as codes with their sentences; an entry of ``SourceInfo.notes`` is both.

A sentence that is the same for every source stands here. Where it depends on the device (what a driver lacks,
what a module holds) the driver gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from joulemark.record.meter import SourceInfo

# of several drivers
REPLAYED = "replayed"  # also a flag of every reading: these joules were measured at another time
LACKS = "lacks"  # ``lacks: fan_pct (not_supported)``
TWINS = "twins"
VIRTUAL_MACHINE = "virtual_machine"
MODULE_SCOPE = "module_scope"
WHOLE_PACKAGE = "whole_package"
AVERAGE_UNSTATED = "average_unstated"
MIG_SHARED = "mig_shared_board"
THERMAL_COMBINED = "thermal_combined"
# of NVML
VGPU_SHARED = "vgpu_shared_board"
SILENT_ZERO = "silent_zero"
WSL = "wsl2"
# of hwmon
PACKAGE_ONLY = "package_only"
REGISTER_32_BIT = "register_32_bit"
SCOPE_UNKNOWN = "scope_unknown"
# of the processor's counters
ONE_CORE = "one_core"
PERF = "perf"
# of Zeus
DUAL_DIE = "dual_die"
PARTS = "parts"
MODEL_BASED = "model_based"
M5 = "m5"
SOFTWARE_COUNTER = "software_counter"

_SENTENCES = {
    VIRTUAL_MACHINE: "a hypervisor gives these values; they need not be the hardware's",
    WHOLE_PACKAGE: "the graphics part cannot be told from the processor cores",
    AVERAGE_UNSTATED: "the driver averages over a time that it does not state",
    MIG_SHARED: "the board is split by MIG: its energy is all instances' and belongs to none of them",
    VGPU_SHARED: "virtual machines share the board: its energy is all of theirs and belongs to none of them",
    SILENT_ZERO: "the field of instantaneous power reads 0 W while the averaged one does not: it is not read",
    WSL: "read through the driver of Windows, which hides processes from WSL 2",
    PACKAGE_ONLY: (
        "on most cards this is the energy of the GPU's package: memory and losses of the board are not in it"
    ),
    REGISTER_32_BIT: (
        "the driver counts on only when it is read: of a pause in which the card uses more than about 262 kJ "
        "a multiple of that is lost; reading keeps the card awake"
    ),
    SCOPE_UNKNOWN: "the driver does not tell a card from a processor's graphics",
    ONE_CORE: "AMD counts each core apart: this is the first core's energy alone",
    DUAL_DIE: "both dies of the board are in it; the second cannot be read alone",
    MODEL_BASED: "Apple's counters are estimates of a model in the chip, not of a meter",
    M5: "on M5 Max the GPU's counter was seen to alternate between nothing and twice the power",
    SOFTWARE_COUNTER: "Zeus integrates a power sensor ten times a second in its own process",
}
_LACKING = re.compile(rf"{LACKS}: (\w+) \((\w+)\)\Z")


def note(code: str, sentence: str | None = None) -> str:
    """Return the entry for ``SourceInfo.notes``; without ``sentence`` it has the one that stands here."""
    return f"{code}: {_SENTENCES[code] if sentence is None else sentence}"


def twins_note(names: Iterable[str], what: str) -> str:
    """Return the entry for what shows the same ``what`` (counter, chip) a second time."""
    return note(TWINS, f"{', '.join(names)} show the same {what} again and are left out")


def lacks_note(quantity: str, reason: str) -> str:
    """Return the entry for a quantity that the driver does not give; `lacking` reads it again."""
    return note(LACKS, f"{quantity} ({reason})")


def lacking(info: SourceInfo) -> list[tuple[str, str]]:
    """Return each quantity that the notes of ``info`` name as lacking, with the reason."""
    return [(match[1], match[2]) for entry in info.notes if (match := _LACKING.match(entry))]


def has_note(info: SourceInfo, code: str) -> bool:
    """Tell whether ``info`` carries a note of this code."""
    return any(entry.split(":", 1)[0] == code for entry in info.notes)

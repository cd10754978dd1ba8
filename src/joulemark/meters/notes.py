"""Codes of what is peculiar about a source; an entry of ``SourceInfo.notes`` is ``code: sentence``."""

from __future__ import annotations

from joulemark.record.meter import SourceInfo

REPLAYED = "replayed"  # also a flag of every reading: these joules were measured at another time
MIG_SHARED = "mig_shared_board"
VGPU_SHARED = "vgpu_shared_board"
MODULE_SCOPE = "module_scope"
THERMAL_COMBINED = "thermal_combined"
VIRTUAL_MACHINE = "virtual_machine"
WSL = "wsl2"
LACKS = "lacks"  # ``lacks: fan_pct (not_supported)``


def note(code: str, sentence: str) -> str:
    """Return the entry for ``SourceInfo.notes``."""
    return f"{code}: {sentence}"


def has_note(info: SourceInfo, code: str) -> bool:
    """Tell whether ``info`` carries a note of this code."""
    return any(entry.split(":", 1)[0] == code for entry in info.notes)

"""The flags of a reading as bits, for the rows of a timeline."""

from __future__ import annotations

from joulemark.record.telemetry import Reading

LOST = "lost"
GAP = "gap"
SLEPT = "slept"
_LAST_BIT = 62  # of a signed 64-bit integer; flags beyond it share it


def row_flags(reading: Reading, names: dict[str, int]) -> int:
    """Return the flags of a row as bits, bit ``names[flag]`` for each; new names are entered into ``names``.

    A flag ``lost:<reason>`` counts as ``lost``. ``quantity:reason`` only says why a value is missing and is
    no flag of the row.
    """
    bits = 0
    for flag in reading.flags:
        name, _, rest = flag.partition(":")
        if not rest or name == LOST:
            bits |= 1 << min(names.setdefault(name, len(names)), _LAST_BIT)
    return bits


def is_lost(reading: Reading) -> bool:
    """Tell whether a row says that its source was lost, instead of what it showed."""
    return any(flag.startswith(f"{LOST}:") for flag in reading.flags)

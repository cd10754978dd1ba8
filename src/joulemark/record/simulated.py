"""How a simulated engine and its boards are told from real ones: they say so themselves.

What was simulated is never measured: it has no tier, and nothing compares or ranks it with a measurement.
"""

from __future__ import annotations

from joulemark.record.meter import SourceInfo

SIMULATED = "simulated:"
"""Begins the engine kind of an engine that says of itself that it is a simulation."""

_BOARD = "Simulated "


def is_simulated_kind(engine_kind: str) -> bool:
    """Tell whether an engine kind is that of a simulation."""
    return engine_kind.startswith(SIMULATED)


def is_simulated_board(info: SourceInfo) -> bool:
    """Tell whether a source reads a board that a simulation publishes."""
    return (info.device_name or "").startswith(_BOARD)

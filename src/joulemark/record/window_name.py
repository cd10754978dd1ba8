"""The names of a run's windows."""

from __future__ import annotations

from enum import StrEnum


class WindowName(StrEnum):
    """What a stretch of a segment was for. Only `MEASURE` windows are metered for the figures.

    `PAUSE`: nothing was asked, for the device was too hot.
    """

    WARMUP = "warmup"
    MEASURE = "measure"
    PAUSE = "pause"

"""What a sweep will do, decided before it starts."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.sweeps.point import SweepPoint
from joulemark.sweeps.setting import Setting


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """What to sweep.

    ``points`` are named and in the order of measuring, those that are skipped among them. ``commands`` are
    the lines of ``joulemark load`` by point. ``boards`` are those declared to run the engine.
    """

    axes: dict[str, list[Setting]]
    base: dict[str, Setting | list[Setting]]
    skip: dict[str, str]
    points: tuple[SweepPoint, ...]
    commands: tuple[str, ...]
    title: str = ""
    boards: tuple[int, ...] = ()
    early_stop: bool = True

"""How the points of one sweep are asked, each as its engine wants it."""

from __future__ import annotations

from pathlib import Path

from joulemark.cli.sweep_bench import LoadBench
from joulemark.cli.sweep_media import MediaBench
from joulemark.engines.engine import Engine
from joulemark.engines.launch.launched import LaunchOptions
from joulemark.engines.launch.registry import DIFFUSERS
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.sweeps.point import SweepPoint


class Benches:
    """A `joulemark.sweeps.sweep.Bench` for loads and for pipelines, told apart by a point's engine.

    ``start_deadline_s``: how long a pipeline may take to be loaded, null: as usual.
    """

    def __init__(self, launching: LaunchOptions, start_deadline_s: float | None = None) -> None:
        self.launching = launching
        self._load, self._media = LoadBench(launching), MediaBench(start_deadline_s)

    def at(self, root: Path, observer: Observer) -> None:
        """Say where the sweep lies, and who is told of its engines."""
        for bench in (self._load, self._media):
            bench.root, bench.observer = root, observer

    def line(self, point: SweepPoint) -> str:
        """Return the command that would measure a point alone."""
        return self._of(point).line(point)

    def identity(self, point: SweepPoint) -> dict[str, object]:
        """Return all that makes a point what it is; raises `InputError` for one that cannot be."""
        return self._of(point).identity(point)

    def engine(self, point: SweepPoint) -> Engine:
        """Return the engine of a point, not started; raises `InputError`."""
        return self._of(point).engine(point)

    def plan(self, point: SweepPoint, engine: Engine, out: Path) -> RunPlan:
        """Return the run of a point in a directory; raises `InputError`."""
        return self._of(point).plan(point, engine, out)

    def _of(self, point: SweepPoint) -> LoadBench | MediaBench:
        return self._media if point.engine == DIFFUSERS else self._load

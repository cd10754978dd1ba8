"""What a sweep's loop needs around it: an executor that writes records without measuring, and a bench."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from doubles.loaded import plan_of, task_of
from doubles.run_views import manifest
from joulemark.engines.engine import Engine
from joulemark.engines.launch.launched import LOG_FOLLOWS, LaunchOptions
from joulemark.load.shape import LoadShape
from joulemark.record.errors import InputError
from joulemark.runs.execute import RunOutcome
from joulemark.runs.layout import RunLayout
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.sweeps.grid import Grid
from joulemark.sweeps.journal import PointRecord
from joulemark.sweeps.plan import SweepPlan
from joulemark.sweeps.point import SweepPoint, in_order, make_point, point_name
from joulemark.sweeps.setting import Setting
from joulemark.sweeps.sweep import SweepObserver


@dataclass
class CountedEngine:
    """An engine that starts and ends, or does not start; it answers nothing."""

    key: str
    log: list[str]
    refuses: bool = False
    dead: bool = False
    log_path: Path | None = None

    async def start(self) -> None:
        self.log.append(f"start {self.key}")
        if self.refuses:
            raise InputError("vllm did not start", why=f"it ended{LOG_FOLLOWS} (x):\nCUDA out of memory")

    async def stop(self) -> None:
        self.log.append(f"stop {self.key}")

    def died(self) -> bool:
        return self.dead

    def pid(self) -> None:
        return None

    def describe(self) -> Any:
        raise AssertionError("no sweep asks this of an engine that is not started")

    @property
    def endpoint(self) -> Any:
        raise AssertionError("no sweep asks this of an engine that is not started")

    @property
    def request_body(self) -> Any:
        raise AssertionError("no sweep asks this of an engine that is not started")


@dataclass
class RecordingBench:
    """Makes engines that are counted, and plans that nobody carries out."""

    log: list[str] = field(default_factory=list)
    refuses: Callable[[SweepPoint], bool] = lambda point: False
    engines: list[CountedEngine] = field(default_factory=list)

    def engine(self, point: SweepPoint) -> Engine:
        made = CountedEngine(f"batch {point.launch.max_batch}", self.log, self.refuses(point))
        self.engines.append(made)
        return made

    def plan(self, point: SweepPoint, engine: Engine, out: Path) -> RunPlan:
        shape = LoadShape.closed(int(str(point.values.get("concurrency", 1))))
        return plan_of("http://127.0.0.1:1", task_of(1), shape, out, engine=engine)


@dataclass
class WritingExecutor:
    """Starts the engine and writes a complete record; ``does`` may raise, or give another outcome.

    ``ran`` are the names of the points that were executed.
    """

    does: Callable[[str], RunOutcome | None] = lambda name: None
    ran: list[str] = field(default_factory=list)

    def run(self, plan: RunPlan, observer: Observer) -> RunOutcome:
        assert plan.out is not None
        asyncio.run(plan.engine.start())
        self.ran.append(plan.out.name)
        layout = RunLayout(plan.out)
        layout.create()
        of_its_own = {
            "run_id": f"run of {plan.out.name}",
            "config_hash": str(plan.load.facts),
            "load": plan.load.facts,
        }
        layout.write_manifest(manifest(state="running", **of_its_own))
        outcome = self.does(plan.out.name)
        if outcome is not None:
            return outcome
        layout.write_manifest(manifest(state="complete", **of_its_own))
        return RunOutcome(plan.out, "done", 1, 1, None)


@dataclass
class Heard(SweepObserver):
    """Keeps what a sweep tells."""

    begun: list[str] = field(default_factory=list)
    over: list[tuple[str, str]] = field(default_factory=list)

    def point(self, number: int, total: int, record: PointRecord) -> None:
        self.begun.append(f"{number}/{total} {record.name}")

    def ended(self, record: PointRecord, outcome: RunOutcome | None) -> None:
        self.over.append((str(record.name), record.state))


def plan_for(
    axes: Mapping[str, Sequence[Setting]], base: Mapping[str, Setting] | None = None, **changes: Any
) -> SweepPlan:
    """Return the plan of a grid; points are named by their values alone."""
    grid = Grid({name: tuple(values) for name, values in axes.items()}, {"engine": "vllm", "model": "m"})
    grid = grid.with_base(base or {})
    points = []
    for cell in grid.cells():
        made = make_point(cell, LaunchOptions())
        identity = {"values": {name: repr(value) for name, value in made.values.items()}}
        points.append(_named(made, point_name(made.values, identity)))
    ordered = in_order(points)
    plan = {
        "axes": {name: list(values) for name, values in grid.axes.items()},
        "base": dict(grid.base),
        "skip": {},
        "points": tuple(ordered),
        "commands": tuple("joulemark load …" for _ in ordered),
    }
    return SweepPlan(**{**plan, **changes})


def _named(point: SweepPoint, name: str) -> SweepPoint:
    from dataclasses import replace

    return replace(point, name=name)

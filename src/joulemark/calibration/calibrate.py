"""One calibration from beginning to end: idle without and with a model, loads, the wall, power limits."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import joulemark
from joulemark.calibration.cap_sweep import limits_of, planned_w, sweep
from joulemark.calibration.device import choose_device
from joulemark.calibration.document import Calibration, EngineKey, LoadPoint, Window
from joulemark.calibration.idle import measure_idle
from joulemark.calibration.idle_window import idle_window, spoken
from joulemark.calibration.load import EngineLoad
from joulemark.calibration.node import host_hash
from joulemark.calibration.power_limits import drivers, limits_in_force_w
from joulemark.calibration.steps import DEFAULT_LEVELS, steps
from joulemark.calibration.under_load import measure_load
from joulemark.calibration.wall_points import fit_from, windows_for
from joulemark.calibration.watch import watch
from joulemark.engines.engine import Engine
from joulemark.live.engine_place import require_boards
from joulemark.live.meter_set import MeterSet
from joulemark.meters.privacy import hashed, load_salt
from joulemark.metrics.tier import is_trace
from joulemark.record import manifest
from joulemark.record.errors import InputError
from joulemark.record.scope import WALL_KINDS
from joulemark.record.simulated import is_simulated_board

NO_ENGINE = "no engine was asked for (--no-engine)"
ENGINE_UP = (
    "the engine was up already: stop it and calibrate with --no-engine to measure the machine without it"
)
REPLAYED = "REPLAYED from a recorded trace: these are not this machine's watts, never compare or quote them"
INTERRUPTED = "the calibration was interrupted: what follows was not measured"


@dataclass(frozen=True, slots=True)
class CalibrationPlan:
    """What to calibrate.

    ``engine``: null to measure the machine alone; ``starts_engine``: it is ours to start, so the machine can
    be measured without it first. ``duration_s`` a stretch (idle by a slow meter takes longer), ``settle_s``
    the longest wait for steady power. ``levels``: concurrencies beside one; ``caps``: shares of the factory's
    power limit. ``boards``: indices of boards that are declared to run the engine.
    """

    engine: Engine | None
    starts_engine: bool = False
    meters: tuple[str, ...] = ("auto",)
    boards: tuple[int, ...] = ()
    duration_s: float = 10.0
    settle_s: float = 60.0
    curve: bool = True
    levels: tuple[int, ...] = DEFAULT_LEVELS
    wall: bool = False
    caps: tuple[float, ...] = ()
    force: bool = False


async def calibrate(plan: CalibrationPlan, tell: Callable[[str], None]) -> Calibration:
    """Carry out ``plan``; ``tell`` is told what is being done.

    Cancelled half-way it returns what was measured, and says so. Raises `InputError` for meters and engines
    that cannot be used, `NotIdle` where the machine is busy, and cancellation where nothing was measured yet.
    """
    meters = await asyncio.to_thread(_open, plan, tell)
    if plan.wall and all(source.info.scope.kind in WALL_KINDS for source in meters.sources):
        await asyncio.to_thread(meters.close)
        raise InputError(
            "--wall fits the wall's power over that of the devices, and no device is metered",
            why="only meters outside were found",
            fix="`joulemark doctor` says how to read nvml or rapl; without one, leave --wall out",
        )
    calibrating = _Calibrating(plan, meters, tell)
    try:
        await calibrating.run()
    except asyncio.CancelledError:
        found = calibrating.found
        if found.empty is None and found.loaded is None:
            raise
        found.flags.append(INTERRUPTED)
        _accept_cancellation()
    finally:
        await asyncio.to_thread(meters.close)
    return calibrating.found


class _Calibrating:
    """The steps of one calibration, with what they have found so far."""

    def __init__(self, plan: CalibrationPlan, meters: MeterSet, tell: Callable[[str], None]) -> None:
        self._plan, self._meters, self._tell = plan, meters, tell
        self._engine_pid: int | None = None
        self._window_s = plan.duration_s
        self.found = Calibration(
            id=secrets.token_hex(4),
            created_utc=datetime.now(UTC).isoformat(timespec="seconds"),
            joulemark_version=joulemark.__version__,
            host_hash=host_hash(),
            limits_w=limits_in_force_w(),
            drivers=drivers(),
        )
        if replayed := [source.info.name for source in meters.sources if is_trace(source)]:
            self.found.replayed = True
            self.found.flags.append(f"{', '.join(replayed)} {REPLAYED}")

    async def run(self) -> None:
        plan, found = self._plan, self.found
        if plan.engine is None or plan.starts_engine:
            self._tell("the machine with nothing loaded")
            found.empty = await self._idle("without a model", engine_runs=False)
        else:
            found.reasons["empty"] = ENGINE_UP
        if plan.engine is None:
            for name in ("loaded", "curve", "caps", "wall_fit"):
                found.reasons[name] = NO_ENGINE
            return
        self._tell("starting the engine" if plan.starts_engine else "looking at the engine")
        await plan.engine.start()
        load: EngineLoad | None = None
        try:
            self._know_engine(plan.engine)
            load = EngineLoad(plan.engine)
            await load.make_resident()
            self._choose_device(plan.engine)
            self._tell("the machine with the model resident")
            found.loaded = await self._idle("with the model resident", engine_runs=True)
            await self._loads(load)
            await self._caps(load)
        finally:
            if load is not None:
                await load.close()
            await plan.engine.stop()

    def _know_engine(self, engine: Engine) -> None:
        facts = engine.describe()
        if facts.local is False:
            raise InputError(
                "the engine runs on another machine",
                why="the meters of this one do not see it",
                fix="calibrate on the machine that runs it",
            )
        self._engine_pid = engine.pid()
        self.found.engine = engine_key(facts, engine.endpoint.origin)

    def _choose_device(self, engine: Engine) -> None:
        facts = engine.describe()
        device, why = choose_device(
            self._meters.sources,
            engine_pid=self._engine_pid,
            engine_local=facts.local,
            on_processor=facts.flags.get("devices") == "CPU",
            declared=self._plan.boards,
        )
        self.found.device_sources = list(device.sources)
        self.found.flags += device.notes
        if why:
            self.found.reasons["device_sources"] = why

    async def _idle(self, when: str, *, engine_runs: bool) -> Window:
        plan = self._plan
        window = idle_window(self._meters.sources, plan.duration_s)
        if window.why:
            self._tell(f"that takes {spoken(window.duration_s)}: {window.why}")
        return await measure_idle(
            self._meters,
            when,
            engine_runs=engine_runs,
            engine_pid=self._engine_pid,
            settle_s=plan.settle_s,
            duration_s=window.duration_s,
            force=plan.force,
        )

    async def _loads(self, load: EngineLoad) -> None:
        """Measure the curve and, where a wall meter is there, fit its plane."""
        plan, found = self._plan, self.found
        if not plan.curve and not plan.wall:
            found.reasons["curve"] = "it was not asked for (--no-curve)"
            return
        window_s = plan.duration_s
        wall, why = None, ""
        if plan.wall:
            wall, window_s, why = windows_for(self._meters.sources, plan.duration_s, found)
        if wall is not None and window_s > plan.duration_s:
            self._tell(f"no load, for the {window_s:.0f} s that {wall.info.name} needs")
            found.curve.append(_as_point((await watch(self._meters, window_s)).window()))
        else:
            found.curve.append(_as_point(found.loaded))
        for step in steps(plan.levels, wall=wall is not None):
            self._tell(f"{step.concurrency} at once, busy {step.duty:.0%} of the time")
            found.curve.append(
                await measure_load(
                    self._meters, load, concurrency=step.concurrency, duty=step.duty, duration_s=window_s
                )
            )
        if wall is not None:
            why = fit_from(found, wall, self._meters.sources, window_s)
        if why:
            found.reasons["wall_fit"] = why

    async def _caps(self, load: EngineLoad) -> None:
        plan, found = self._plan, self.found
        if not plan.caps:
            return
        device = [s for s in self._meters.sources if s.info.name in found.device_sources]
        limits, why = limits_of(device)
        if why:
            found.reasons["caps"] = why
            return
        shares, refused = planned_w(limits, plan.caps)
        points, why = await sweep(
            self._meters,
            load,
            limits,
            shares,
            concurrency=1,
            duration_s=plan.duration_s,
            device=found.device_sources,
            tell=self._tell,
        )
        found.caps = points
        if said := "; ".join(filter(None, (why, *refused))):
            found.reasons["caps"] = said


def engine_key(facts: manifest.Engine, origin: str) -> EngineKey:
    """Return what tells an engine and its model apart, without its address."""
    return EngineKey(
        kind=facts.kind,
        version=facts.version,
        model=facts.model,
        model_digest=facts.model_digest,
        endpoint_hash=hashed(origin, load_salt()),
    )


def _open(plan: CalibrationPlan, tell: Callable[[str], None]) -> MeterSet:
    """Open the meters; raises `InputError` for none, for a simulated one, and for a missing board."""
    require_boards(plan.boards)
    meters = MeterSet.open(plan.meters, progress=tell)
    if not meters.sources:
        meters.close()
        raise InputError(
            "there is no meter to calibrate with",
            why="; ".join(f"{name}: {why}" for name, why in meters.absent),
            fix="`joulemark doctor` says what is missing, and how to get it",
        )
    if simulated := [source.info.name for source in meters.sources if is_simulated_board(source.info)]:
        meters.close()
        raise InputError(
            "a simulated board cannot be calibrated",
            why=f"{', '.join(simulated)}: its watts are computed, they are not this machine's",
            fix="leave it out of --meter, or `joulemark doctor --forget KIND:ADDRESS` if it is on file",
        )
    return meters


def _as_point(idle: Window | None) -> LoadPoint:
    """Return the loaded idle as the curve's point of no load."""
    assert idle is not None
    return LoadPoint(**idle.model_dump(), concurrency=0, duty=0.0, utilisation=0.0, tokens_per_s=0.0)


def _accept_cancellation() -> None:
    """Go on after a cancellation that was understood, so that what was measured can be kept."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()

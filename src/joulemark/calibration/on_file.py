"""What is on file for a run: the newest calibration of the same machine, device, limit, engine and model.

Nothing is applied that was measured under other conditions, or whose bound is wider than the power: where
none fits, the baseline is null and the reason says what is other than at the newest one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from joulemark.calibration.document import Calibration, EngineKey, SourcePower
from joulemark.calibration.idle_window import says_nothing
from joulemark.calibration.node import EARLIER, earlier_host_hash
from joulemark.calibration.power_limits import limits_in_force_w
from joulemark.calibration.store import held
from joulemark.calibration.watch import power_of
from joulemark.metrics.attribution import scope_label
from joulemark.record.manifest import Baselines, Device, Engine, Manifest
from joulemark.record.meter import QualifiedSource
from joulemark.record.reason import Reason

MAX_AGE_DAYS = 90
_SAME_W = 1.0
_SAME_SHARE = 0.005
_MEASURE_AGAIN = f"the one on file counts no more, for {EARLIER}; `joulemark calibrate` measures it again"
_SAYS_NOTHING = "the one on file says nothing: its bound is wider than its power"


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What of a run decides which calibration is its own.

    ``headline`` are the headline's sources and ``sources`` all of the segment, as the manifest has them
    (device identities hashed). ``limits_w`` and ``drivers`` are by scope path. ``earlier_host_hash`` is what
    earlier versions called this machine: their calibrations are told apart from those of another machine.
    """

    host_hash: str
    engine: Engine
    headline: Sequence[QualifiedSource]
    sources: Sequence[QualifiedSource]
    limits_w: Mapping[str, float] = field(default_factory=dict)
    drivers: Mapping[str, str] = field(default_factory=dict)
    earlier_host_hash: str | None = None

    @classmethod
    def of(cls, manifest: Manifest, segment: int, headline: Sequence[QualifiedSource]) -> RunFacts:
        """Take them from a manifest whose ``segment`` has its meters and devices, and from the machine."""
        devices: list[Device] = [device for device in manifest.devices if device.segment == segment]
        limits_w = {d.scope: d.power_limit_w for d in devices if d.power_limit_w is not None}
        limits_w |= limits_in_force_w()
        return cls(
            host_hash=next(one.host_hash for one in manifest.segments if one.index == segment),
            engine=manifest.engine,
            headline=headline,
            sources=[meter.qualified for meter in manifest.meters if meter.segment == segment],
            limits_w=limits_w,
            drivers={d.scope: d.driver for d in devices if d.driver is not None},
            earlier_host_hash=earlier_host_hash(),
        )


@dataclass(frozen=True, slots=True)
class OnFile:
    """The baselines of a run, and what a reader should know of them: one sentence each."""

    baselines: Baselines
    notes: tuple[str, ...] = ()


def baselines_for(
    facts: RunFacts, calibrations: Sequence[Calibration] | None = None, *, now: datetime | None = None
) -> OnFile:
    """Return what is on file for a run; ``calibrations`` are latest first (null: read them).

    Each null has its reason as ``no_baseline: why`` or ``no_wall_calibration: why``. Never raises for what
    lies on the disk: a file that cannot be read is told in the notes.
    """
    notes: list[str] = []
    if calibrations is None:
        on_file = held()
        calibrations = [one.calibration for one in on_file.stored]
        notes = [f"the calibration {one.path.name} is left aside: {one.why}" for one in on_file.unreadable]
    here = [one for one in calibrations if one.host_hash == facts.host_hash]
    is_earlier = any(one.host_hash == facts.earlier_host_hash for one in calibrations)
    nothing = _MEASURE_AGAIN if is_earlier and not here else ""
    now = now or datetime.now(UTC)
    found = Baselines(scope=scope_label(s.info.scope for s in facts.headline) if facts.headline else None)
    empty = _newest(here, facts, now, "empty")
    loaded = _newest([one for one in here if _is_of(one.engine, facts.engine)], facts, now, "loaded")
    if isinstance(empty, str):
        found.reasons["empty_idle_w"] = _told(Reason.NO_BASELINE, empty or nothing)
    else:
        found.empty_idle_w, found.empty_idle_bound_w, found.empty_measured_utc = empty.figures
        notes += [f"the empty idle on file: {flag}" for flag in empty.flags]
    if isinstance(loaded, str):
        found.reasons["loaded_idle_w"] = _told(Reason.NO_BASELINE, loaded or nothing)
    else:
        found.loaded_idle_w, found.loaded_idle_bound_w, found.loaded_measured_utc = loaded.figures
        notes += [f"the loaded idle on file: {flag}" for flag in loaded.flags]
    wall = _newest_wall(here, facts, now)
    if isinstance(wall, str):
        found.reasons["wall_fit"] = _told(Reason.NO_WALL_CALIBRATION, wall or nothing)
    else:
        found.wall_fit = wall.wall_fit
    return OnFile(found, tuple(notes))


@dataclass(frozen=True, slots=True)
class _Idle:
    figures: tuple[float, tuple[float, float], str]
    flags: tuple[str, ...]


def _newest(calibrations: Sequence[Calibration], facts: RunFacts, now: datetime, kind: str) -> _Idle | str:
    """Return the newest idle power that fits the run, or why none does: of the newest, what differs."""
    if not facts.headline:
        return "the run has no headline meter"
    first_why = ""
    for calibration in calibrations:
        stretch = calibration.empty if kind == "empty" else calibration.loaded
        if stretch is None:
            continue
        names = _matched(stretch.powers, facts.headline)
        power = None if names is None else power_of(stretch.powers, names)
        why = "" if power is not None else "the one on file was measured by other meters, or another device"
        scopes = [str(source.info.scope) for source in facts.headline]
        why = why or _stale(stretch.measured_utc, now) or _differs(calibration, facts, scopes)
        why = why or (_SAYS_NOTHING if power is not None and says_nothing(power) else "")
        if power is not None and not why:
            mean, low, high = power
            return _Idle((mean, (low, high), stretch.measured_utc), tuple(stretch.flags))
        first_why = first_why or why
    return first_why


def _newest_wall(calibrations: Sequence[Calibration], facts: RunFacts, now: datetime) -> Calibration | str:
    first_why = ""
    for calibration in calibrations:
        if calibration.wall_fit is None:
            continue
        names = _matched(calibration.wall_sources, facts.sources, whole=False)
        known = {power.source for power in calibration.wall_sources}
        why = "" if names is not None and set(names) == known else "the one on file rests on other devices"
        # A plane holds at any limit: it is a law of the machine's supply, not of its boards.
        why = why or _stale(calibration.wall_fit.measured_utc, now)
        if not why:
            return calibration
        first_why = first_why or why
    return first_why


def _matched(
    powers: Sequence[SourcePower], sources: Sequence[QualifiedSource], *, whole: bool = True
) -> list[str] | None:
    """Return the names, in ``powers``, of those that are of the same meter kind, scope and device.

    With ``whole`` every source must have one; else those that have.
    """
    names: list[str] = []
    for source in sources:
        info = source.info
        for power in powers:
            if (power.kind, power.scope, power.device_hash) == (info.kind, str(info.scope), info.device_id):
                names.append(power.source)
                break
        else:
            if whole:
                return None
    return names


def _is_of(key: EngineKey | None, engine: Engine) -> bool:
    """Tell whether a calibration held this engine and model; without a digest the address decides."""
    if key is None or key.kind != engine.kind:
        return False
    if key.model_digest is not None or engine.model_digest is not None:
        return key.model_digest == engine.model_digest
    return key.endpoint_hash == engine.endpoint_hash and key.model == engine.model


def _stale(measured_utc: str, now: datetime) -> str:
    try:
        measured = datetime.fromisoformat(measured_utc)
        age_days = (now - measured).total_seconds() / 86_400
    except (ValueError, TypeError):
        return f"the one on file has no date ({measured_utc[:40]!r})"
    if age_days < -1:
        return f"the one on file is dated {measured:%Y-%m-%d}, after today"
    if age_days <= MAX_AGE_DAYS:
        return ""
    return f"the one on file is of {measured:%Y-%m-%d}, more than {MAX_AGE_DAYS} days ago"


def _differs(calibration: Calibration, facts: RunFacts, scopes: Sequence[str]) -> str:
    """Say what of the headline's devices is not as it was; a fact that one side lacks is no difference."""
    for scope in scopes:
        before_w, now_w = calibration.limits_w.get(scope), facts.limits_w.get(scope)
        if (
            before_w is not None
            and now_w is not None
            and abs(before_w - now_w) > max(_SAME_W, _SAME_SHARE * before_w)
        ):
            return f"it was measured at a power limit of {before_w:g} W, and {now_w:g} W is in force"
        before, after = calibration.drivers.get(scope), facts.drivers.get(scope)
        if before is not None and after is not None and before != after:
            return f"it was measured with driver {before}, and {after} is loaded"
    return ""


def _told(reason: Reason, why: str) -> str:
    return f"{reason.value}: {why[:1].upper()}{why[1:]}." if why else reason.value

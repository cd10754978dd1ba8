"""From the windows of a calibration to the plane of the wall meter among its sources."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.calibration.document import Calibration, SourcePower, Window
from joulemark.calibration.wall_fit import NoFit, WallPoint, fit_wall
from joulemark.calibration.wall_window import LONGEST_S, wall_sources, window_s
from joulemark.live.device import by_belief, is_module_sensor
from joulemark.metrics.tier import is_trace
from joulemark.metrics.wall_model import CLASSES
from joulemark.record.meter import QualifiedSource
from joulemark.record.scope import Scope, disjoint

_WHOLE = 0.95  # of the window that the wall meter needs; a timer may end a little early


def windows_for(
    sources: Sequence[QualifiedSource], duration_s: float, found: Calibration
) -> tuple[QualifiedSource | None, float, str]:
    """Return the wall meter to fit against and how long its windows are, or null and why there is none.

    Of several the one that is believed most is taken, as for a headline.
    """
    walls = sorted(wall_sources(sources), key=by_belief)
    if not walls:
        return None, duration_s, "no wall meter answers: give one, for example --meter shelly:ADDRESS"
    wall = walls[0]
    idle = found.loaded.powers if found.loaded is not None else []
    longest_s = window_s(wall, duration_s, next((p for p in idle if p.source == wall.info.name), None))
    if longest_s is None:
        step = f"{wall.info.counter_quantum_j:,.4g} J"
        return (
            None,
            duration_s,
            (f"{wall.info.name} would need windows of more than {LONGEST_S:g} s: its step is {step}"),
        )
    return wall, longest_s, ""


def fit_from(
    found: Calibration, wall: QualifiedSource, sources: Sequence[QualifiedSource], longest_s: float
) -> str:
    """Fit the plane into ``found``; returns why there is none, or nothing.

    Stretches shorter than ``longest_s``, the window that the wall meter needs, are left out: that of the
    empty idle may be. At a steady load what is old at one edge is as old at the other, so the bound of a
    point, which holds for any load, is no measure of its error; how the points scatter is.
    """
    windows: list[Window] = [*found.curve, *([found.empty] if found.empty is not None else [])]
    devices = _devices(sources)
    points: list[WallPoint] = []
    used: list[SourcePower] = []
    for window in windows:
        powers = {power.source: power for power in window.powers}
        at_wall = powers.get(wall.info.name)
        if at_wall is None or window.duration_s < _WHOLE * longest_s:
            continue
        used = [powers[name] for name in devices if name in powers]
        by_class: dict[str, float] = {}
        for power in used:
            kind = Scope(power.scope).kind
            by_class[kind] = by_class.get(kind, 0.0) + power.mean_w
        points.append(WallPoint(at_wall.mean_w, by_class))
    if not points:
        return f"{wall.info.name} gave no power under load; `joulemark doctor` tests it"
    fitted = fit_wall(points, wall_source=wall.info.kind, measured_utc=found.created_utc)
    if isinstance(fitted, NoFit):
        return f"{fitted.detail}; {fitted.fix}"
    found.wall_fit, found.wall_sources = fitted.fit, used
    if fitted.steady:
        steady = " and ".join(fitted.steady)
        found.flags.append(f"{steady} hardly varied, and counts as part of the wall plane's base")
    return ""


def _devices(sources: Sequence[QualifiedSource]) -> list[str]:
    """Return the names of disjoint device sources that a plane may have terms for."""
    live = [s for s in sources if not is_trace(s) and not is_module_sensor(s.info)]
    devices = sorted((s for s in live if s.info.scope.kind in CLASSES), key=lambda s: s.info.name)
    return [source.info.name for source in disjoint(devices, lambda s: s.info.scope)]

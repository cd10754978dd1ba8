"""What a calibration says, in words and rows: the same in the terminal and on its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from joulemark.calibration.document import Calibration, Window
from joulemark.calibration.watch import power_of
from joulemark.metrics.catalogue import definition
from joulemark.metrics.standby import above, standby_of
from joulemark.metrics.value import Value, withheld
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.report.at_most import at_most
from joulemark.report.cells import Cell, cell
from joulemark.report.wording import DASH, figure_texts, number, printable, why

_W = "W"
_TITLES = {
    "empty": "Idle with nothing loaded",
    "loaded": "Idle with the model resident",
    "device_sources": "The device that runs the model",
    "curve": "Power under load",
    "caps": "Power limits",
    "wall_fit": "Wall calibration",
}


@dataclass(frozen=True, slots=True)
class IdleRow:
    """One source at idle; ``leads``: it is the device's that runs the model."""

    source: str
    scope: str
    empty: Cell
    loaded: Cell
    difference: Cell
    leads: bool


@dataclass(frozen=True, slots=True)
class LoadRow:
    """One load, or one power limit, with the device's power."""

    name: str
    busy: str
    power: Cell
    tokens: Cell
    joules: Cell


def title(calibration: Calibration) -> str:
    """Return what was calibrated, in one line."""
    engine = calibration.engine
    what = "this machine" if engine is None else f"{engine.model} on {engine.kind}"
    return printable(f"Calibration of {what}")


def made(calibration: Calibration) -> str:
    """Return when and by which version, and the id."""
    when = calibration.created_utc.replace("T", " ").replace("+00:00", " UTC")
    return printable(f"{calibration.id}, {when}, Joulemark {calibration.joulemark_version}")


def idle_rows(calibration: Calibration) -> list[IdleRow]:
    """Return every source that gave a power at idle, the device's first."""
    known: dict[str, str] = {}
    for stretch in (calibration.empty, calibration.loaded):
        known |= {power.source: power.scope for power in stretch.powers} if stretch is not None else {}
    rows = []
    for source, scope in known.items():
        empty = _power(calibration.empty, (source,), calibration.reasons.get("empty", ""))
        loaded = _power(calibration.loaded, (source,), calibration.reasons.get("loaded", ""))
        rows.append(
            IdleRow(
                printable(source),
                Scope(scope).label,
                _cell(empty),
                _cell(loaded),
                _cell(above(loaded, empty)),
                source in calibration.device_sources,
            )
        )
    return sorted(rows, key=lambda row: not row.leads)


def standby_figures(calibration: Calibration, rates: Rates) -> dict[str, Value]:
    """Return a day at standby, of the device that runs the model."""
    reasons, names = calibration.reasons, calibration.device_sources
    why_none = reasons.get("device_sources", "")
    loaded = _power(calibration.loaded, names, reasons.get("loaded", why_none))
    empty = _power(calibration.empty, names, reasons.get("empty", why_none))
    return standby_of(loaded, empty, rates)


def standby_lines(figures: dict[str, Value]) -> list[str]:
    """Return the figures of a day at standby that are known, one line each."""
    lines = []
    for name, value in figures.items():
        if value.value is not None:
            text, interval = figure_texts(name, value)
            lines.append(f"{definition(name).title}: {text}" + (f" ({interval})" if interval else ""))
    return lines


def load_rows(calibration: Calibration) -> list[LoadRow]:
    """Return the curve."""
    rows = []
    for point in calibration.curve:
        power = _power(point, calibration.device_sources, calibration.reasons.get("device_sources", ""))
        name = "no load" if not point.concurrency else f"{point.concurrency} at once, {point.duty:.0%}"
        rows.append(LoadRow(name, f"{point.utilisation:.0%}", _cell(power), _tokens(point), Cell(DASH)))
    return rows


def cap_rows(calibration: Calibration) -> list[LoadRow]:
    """Return the sweep of power limits."""
    rows = []
    for point in calibration.caps:
        power = _power(point, calibration.device_sources, "")
        joules = Cell(DASH, point.reasons.get("tokens_per_s", Reason.NOT_MEASURED.text))
        if point.joules_per_token is not None and point.joules_per_token_bound is not None:
            low, high = point.joules_per_token_bound
            value = Value(point.joules_per_token, "J", low, high, "bound")
            joules = cell("joules_per_token", value)
        name = f"{point.share:.0%}: {point.limit_w:g} W"
        rows.append(LoadRow(name, f"{point.utilisation:.0%}", _cell(power), _tokens(point), joules))
    return rows


def wall_line(calibration: Calibration) -> str:
    """Return the plane of the wall meter, or nothing."""
    fit = calibration.wall_fit
    if fit is None:
        return ""
    parts = [number(fit.coefficients[0], 1)]
    parts += [
        f"{number(slope, 3)} × {name}"
        for name, slope in zip(fit.terms[1:], fit.coefficients[1:], strict=True)
    ]
    ranges = ", ".join(
        f"{name} {fit.lowest_w[name]:.1f} to {fit.highest_w[name]:.1f} W" for name in fit.lowest_w
    )
    return (
        f"wall = {' + '.join(parts)} (watts), against {printable(fit.wall_source)}; single loads scatter by "
        f"{fit.residual_sd_w:.2g} W about it (σ, {fit.n_points} loads); seen: {ranges}"
    )


def missing_lines(calibration: Calibration) -> Iterator[str]:
    """Yield why parts of the calibration are not there, one sentence each."""
    for name, reason in calibration.reasons.items():
        yield f"{_TITLES.get(name, name)}: {printable(reason)}"


def flag_lines(calibration: Calibration) -> list[str]:
    """Return what was not as it should be."""
    said = list(calibration.flags)
    for name in ("empty", "loaded"):
        stretch: Window | None = getattr(calibration, name)
        said += [f"{_TITLES[name]}: {flag}" for flag in stretch.flags] if stretch is not None else []
    return [printable(flag) for flag in said]


def device_power(stretch: Window, calibration: Calibration) -> tuple[float, float, float] | None:
    """Return the power of the device that runs the model with its bound (W), null where it is not known."""
    return power_of(stretch.powers, calibration.device_sources)


def _power(stretch: Window | None, names: tuple[str, ...] | list[str], reason: str) -> Value:
    if stretch is None:
        return withheld(_W, Reason.NOT_MEASURED, detail=reason)
    power = power_of(stretch.powers, names)
    if power is None:
        told = "; ".join(filter(None, (reason, *(stretch.reasons.get(name, "") for name in names))))
        return withheld(_W, Reason.NOT_MEASURED, detail=told)
    mean, low, high = power
    return Value(mean, _W, low, high, "bound")


def _cell(value: Value) -> Cell:
    """Return a power with its bound, short: what is between is the meter's."""
    if value.value is None or value.lo is None or value.hi is None:
        return Cell(figure_texts("", value)[0], why(value))
    if most := at_most("", value):
        return Cell(most)
    half = (value.hi - value.lo) / 2
    places = 1 if half >= 0.1 else 2
    return Cell(f"{number(value.value, places)} ± {number(half, places)} W")


def _tokens(point: Window) -> Cell:
    rate: float | None = getattr(point, "tokens_per_s", None)
    if rate is None:
        return Cell(DASH, point.reasons.get("tokens_per_s", ""))
    return Cell(number(rate, 1 if rate < 100 else 0))

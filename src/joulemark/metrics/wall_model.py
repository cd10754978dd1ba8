"""What the wall socket would have given, by a plane fitted once against a wall meter: modelled.

``wall = a + b × GPU + c × CPU`` in watts (`joulemark.record.manifest.WallFit`). The figure is a prediction:
it stands alone, and enters no sum, no comparison and no ranking.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

import joulemark
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.student import MIN_DEGREES, t_95
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, ModelledEnergy, Withheld
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import WallFit

BASE = "base"
CLASSES = ("gpu", "module", "soc", "package")  # scope classes that a plane may have a term for
MARGIN_SHARE, MARGIN_W = 0.1, 2.0  # how far beyond the fitted range a run may lie
_ESTIMATOR = "wall calibration"

MODELLED_WALL = MetricDefinition(
    "modelled_wall_joules",
    "Wall energy, modelled",
    "J (modelled)",
    r"(a + \sum_k b_k \bar P_k)\, t",
    ("baselines.wall_fit", "total_joules", "telemetry.energy_j", "windows"),
    (
        "no wall calibration of this machine and its meters is on file (`joulemark calibrate --wall`)",
        "a device of the plane has no joules in this run",
        "a device's mean power lies outside the calibrated range by more than a tenth of it (at least 2 W)",
    ),
    "predicted from the devices' metered energy by a plane that was fitted against a wall meter once; "
    "interval: 95 % prediction interval of one steady load (coefficients' covariance and residual spread, "
    "Student's t), widened by the devices' own bounds; never summed, compared or ranked with measured joules",
)
DEFINITIONS = (MODELLED_WALL,)


def modelled_wall_energy(
    fit: WallFit | None,
    energies: Iterable[MeasuredOrWithheld],
    duration_s: float | None,
    why_none: str = "",
) -> ModelledEnergy | Withheld:
    """Predict the wall energy of windows of ``duration_s`` seconds from the devices' ``energies`` in them.

    Energies of scopes without a term or a fitted range are left aside; of two that overlap the first counts,
    so the headline comes first. The spread of single points is not divided by the run's length: at one load
    the plane is off by the same amount all the time.
    """
    if fit is None:
        return Withheld(Reason.NO_WALL_CALIBRATION, why_none)
    if not duration_s:
        return Withheld(Reason.OUTSIDE_TIMELINE, "The measured windows have no length.")
    degrees = fit.n_points - len(fit.terms)
    if degrees < MIN_DEGREES or fit.terms[:1] != [BASE]:
        return Withheld(Reason.NO_WALL_CALIBRATION, "The one on file has too few points.")
    powers = class_powers_w(energies, duration_s, fit.lowest_w.keys())
    for name in fit.lowest_w:
        outside = _outside(name, powers, fit)
        if outside is not None:
            return outside
    row = np.array([1.0, *(powers[name][0] for name in fit.terms[1:])])
    slopes = np.array(fit.coefficients)
    wall_w = float(row @ slopes)
    variance = float(row @ np.array(fit.covariance) @ row) + fit.residual_sd_w**2
    spread_w = t_95(degrees) * math.sqrt(max(0.0, variance))
    less_w = more_w = 0.0
    for name, slope in zip(fit.terms[1:], fit.coefficients[1:], strict=True):
        point, lo, hi = powers[name]
        down, up = sorted((slope * (lo - point), slope * (hi - point)))
        less_w, more_w = less_w - down, more_w + up
    if wall_w <= 0:
        return Withheld(Reason.OUTSIDE_CALIBRATION, "The plane gives no power here.")
    lo_w, hi_w = max(0.0, wall_w - spread_w - less_w), wall_w + spread_w + more_w
    return ModelledEnergy(
        wall_w * duration_s,
        lo_w * duration_s,
        hi_w * duration_s,
        estimator=f"{_ESTIMATOR} of {fit.measured_utc} against {fit.wall_source}",
        version=joulemark.__version__,
    )


def modelled_wall_joules(energy: ModelledEnergy | Withheld) -> Value:
    """Return the prediction as a figure, with its 95 % interval."""
    if isinstance(energy, Withheld):
        return withheld(MODELLED_WALL.unit, energy.reason, detail=energy.detail)
    return Value(energy.joules, MODELLED_WALL.unit, energy.lo, energy.hi, "ci95")


def class_powers_w(
    energies: Iterable[MeasuredOrWithheld], duration_s: float, classes: Collection[str]
) -> Mapping[str, tuple[float, float, float]]:
    """Return mean power with its bound (W: point, lo, hi) of each of ``classes``, over disjoint scopes."""
    taken: list[MeasuredEnergy] = []
    powers: dict[str, tuple[float, float, float]] = {}
    for energy in energies:
        if isinstance(energy, Withheld):
            continue
        kinds = {scope.kind for scope in energy.scopes}
        if len(kinds) != 1 or not kinds.issubset(classes):
            continue
        if any(a.overlaps(b) for other in taken for a in other.scopes for b in energy.scopes):
            continue
        taken.append(energy)
        before = powers.get(kind := kinds.pop(), (0.0, 0.0, 0.0))
        parts = (energy.joules, energy.lo, energy.hi)
        point, lo, hi = (w + j / duration_s for w, j in zip(before, parts, strict=True))
        powers[kind] = (point, lo, hi)
    return powers


def _outside(name: str, powers: Mapping[str, tuple[float, float, float]], fit: WallFit) -> Withheld | None:
    """Say why a class of scopes keeps the plane from being used, or nothing."""
    if name not in powers:
        return Withheld(Reason.OUTSIDE_CALIBRATION, f"This run has no joules of its {name}.")
    lowest, highest, power = fit.lowest_w[name], fit.highest_w[name], powers[name][0]
    margin_w = max(MARGIN_SHARE * (highest - lowest), MARGIN_W)
    if lowest - margin_w <= power <= highest + margin_w:
        return None
    seen = f"{name}: {power:.4g} W, and {lowest:.4g} to {highest:.4g} W were seen."
    return Withheld(Reason.OUTSIDE_CALIBRATION, seen)

"""Fit wall power as a plane over what the device meters saw at several steady loads, or say why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.least_squares import Array, condition, least_squares
from joulemark.metrics.student import MIN_DEGREES, t_95
from joulemark.metrics.wall_model import BASE, CLASSES
from joulemark.record.manifest import WallFit
from joulemark.record.reason import Reason

MIN_RANGE_W, MIN_RANGE_SHARE = 3.0, 0.05  # a device that varied by less is no term of the plane
MAX_CONDITION = 30.0  # Belsley, Kuh and Welsch: above it coefficients cannot be told apart
MIN_SLOPE = 0.5  # a watt of a device is at least about a watt at the wall that feeds it


@dataclass(frozen=True, slots=True)
class WallPoint:
    """Mean power over one window at a steady load: of the wall, and of each scope class (watts)."""

    wall_w: float
    devices_w: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class NoFit:
    """Why there is no plane; ``detail`` says it with the numbers, ``fix`` what to do about it."""

    reason: Reason
    detail: str
    fix: str


@dataclass(frozen=True, slots=True)
class Fitted:
    """A plane; ``steady`` are the scope classes that hardly varied and so are part of its base."""

    fit: WallFit
    condition: float
    steady: tuple[str, ...]


def fit_wall(points: Sequence[WallPoint], *, wall_source: str, measured_utc: str) -> Fitted | NoFit:
    """Fit ``wall = a + Σ b_k P_k`` by least squares with errors that hold for unequal noise (HC3).

    Classes that a point lacks are left out, and so are those that hardly varied: their power is in ``a``, and
    their range is kept, so that a run in which they draw otherwise is told apart.
    """
    known = [name for name in CLASSES if points and all(name in point.devices_w for point in points)]
    if not known:
        return _refused("no device but the wall meter was measured at every load", "`joulemark doctor`")
    ranges = {name: _range(points, name) for name in known}
    terms = [name for name in known if _varied(*ranges[name])]
    if not terms:
        seen = ", ".join(f"{name} {low:.1f} to {high:.1f} W" for name, (low, high) in ranges.items())
        return _refused(
            f"the devices hardly varied ({seen})", "give the engine more to do: --levels 4,8, a larger model"
        )
    degrees = len(points) - 1 - len(terms)
    if degrees < MIN_DEGREES:
        needed = 1 + len(terms) + MIN_DEGREES
        return _refused(
            f"{len(points)} loads could be measured, {needed} are needed",
            "leave --no-curve out, or add --levels",
        )
    design = np.array([[1.0, *(point.devices_w[name] for name in terms)] for point in points])
    wall = np.array([point.wall_w for point in points])
    spread = condition(design)
    if spread > MAX_CONDITION:
        names = " and ".join(["the base", *terms])
        return _refused(
            f"{names} rose and fell together (condition {spread:.0f}, above {MAX_CONDITION:.0f})",
            "let them vary apart: other --levels, or an engine that works on the other device",
        )
    found = least_squares(design, wall, range(len(points)))
    if found.covariance is None:
        return _refused("a single load decides a coefficient alone", "add loads with --levels")
    errors = t_95(degrees) * np.sqrt(np.diag(found.covariance))
    against = _speaks_against(terms, found.coefficients, errors)
    if against is not None:
        return against
    residual_sd_w = float(np.sqrt(found.residuals @ found.residuals / degrees))
    fit = WallFit(
        terms=[BASE, *terms],
        coefficients=found.coefficients.tolist(),
        covariance=found.covariance.tolist(),
        residual_sd_w=residual_sd_w,
        n_points=len(points),
        lowest_w={name: low for name, (low, _) in ranges.items()},
        highest_w={name: high for name, (_, high) in ranges.items()},
        wall_source=wall_source,
        measured_utc=measured_utc,
    )
    return Fitted(fit, spread, tuple(name for name in known if name not in terms))


def _range(points: Sequence[WallPoint], name: str) -> tuple[float, float]:
    powers = [point.devices_w[name] for point in points]
    return min(powers), max(powers)


def _varied(low_w: float, high_w: float) -> bool:
    return high_w - low_w >= max(MIN_RANGE_W, MIN_RANGE_SHARE * high_w)


def _speaks_against(terms: Sequence[str], coefficients: Array, errors: Array) -> NoFit | None:
    """Say why no wall can have these coefficients (with their 95 % errors), or nothing."""
    for name, value, error in zip([BASE, *terms], coefficients, errors, strict=True):
        told = f"{name}: {value:.3g} ± {error:.2g}"
        if value + error < 0:
            return NoFit(
                Reason.NEGATIVE_COST,
                f"a coefficient is negative beyond its error ({told})",
                "see that the plug feeds this machine and nothing else that switches on and off",
            )
        if name != BASE and value + error < MIN_SLOPE:
            return NoFit(
                Reason.NOT_IDENTIFIED,
                f"the wall meter rises by less than the device draws ({told} W per W)",
                "see that the plug feeds this machine, and that its meter is awake",
            )
    return None


def _refused(detail: str, fix: str) -> NoFit:
    return NoFit(Reason.NOT_IDENTIFIED, detail, fix)

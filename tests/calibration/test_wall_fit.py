"""The plane over a simulated machine whose wall power is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from joulemark.calibration.wall_fit import Fitted, NoFit, WallPoint, fit_wall
from joulemark.metrics.wall_model import modelled_wall_energy
from joulemark.record.energy import MeasuredEnergy, Method, ModelledEnergy, Withheld
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

LOADS = (0.0, 0.0, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.0, 1.0)
TRUE = (48.0, 1.09, 1.21)  # base, GPU, CPU
SCOPES = {"gpu": Scope.gpu(0), "package": Scope.package(0)}


def plane(gpu_w, cpu_w):
    return TRUE[0] + TRUE[1] * gpu_w + TRUE[2] * cpu_w


def loads(rng, noise):
    """Points at the loads of a calibration; ``noise(wall)`` is the standard deviation of the wall's watts."""
    points = []
    for load in LOADS:
        gpu_w = 40 + 260 * load + rng.normal(0, 4)
        cpu_w = 22 + 18 * load + rng.uniform(0, 25)
        wall_w = plane(gpu_w, cpu_w)
        points.append(WallPoint(wall_w + rng.normal(0, noise(wall_w)), {"gpu": gpu_w, "package": cpu_w}))
    return points


def fitted(points):
    return fit_wall(points, wall_source="shelly", measured_utc="2026-11-30T10:00:00+00:00")


def energies(duration_s, slack=0.0, **powers_w):
    return [
        MeasuredEnergy(
            w * duration_s,
            w * duration_s * (1 - slack),
            w * duration_s * (1 + slack),
            f"{name}:0",
            (SCOPES[name],),
            Method.COUNTER,
        )
        for name, w in powers_w.items()
    ]


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_without_noise_the_plane_is_found(seed):
    found = fitted(loads(np.random.default_rng(seed), lambda wall_w: 0.0))
    # random loads now and then rise and fall together, and are refused
    assume(not (isinstance(found, NoFit) and found.reason is Reason.NOT_IDENTIFIED))
    assert isinstance(found, Fitted)
    assert found.fit.terms == ["base", "gpu", "package"]
    assert found.fit.coefficients == pytest.approx(TRUE, rel=1e-6)
    assert found.fit.residual_sd_w == pytest.approx(0, abs=1e-6)
    low, high = found.fit.lowest_w, found.fit.highest_w
    gpu_w, cpu_w = ((low[name] + high[name]) / 2 for name in ("gpu", "package"))
    predicted = modelled_wall_energy(found.fit, energies(60.0, gpu=gpu_w, package=cpu_w), 60.0)
    assert isinstance(predicted, ModelledEnergy)
    assert predicted.joules == pytest.approx(60 * plane(gpu_w, cpu_w))


@pytest.mark.parametrize("noise", [lambda wall_w: 3.0, lambda wall_w: 0.015 * wall_w], ids=["equal", "share"])
def test_the_prediction_interval_holds_the_truth_as_often_as_it_says(noise):
    """A run that was never seen: its wall power has the plane's value and the scatter of one load."""
    held = widths = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        found = fitted(loads(rng, noise))
        assert isinstance(found, Fitted), found
        low, high = found.fit.lowest_w, found.fit.highest_w
        gpu_w, cpu_w = (rng.uniform(low[name], high[name]) for name in ("gpu", "package"))
        wall_w = plane(gpu_w, cpu_w)
        true_j = 600 * (wall_w + rng.normal(0, noise(wall_w)))
        predicted = modelled_wall_energy(found.fit, energies(600.0, gpu=gpu_w, package=cpu_w), 600.0)
        assert isinstance(predicted, ModelledEnergy), predicted
        held += predicted.lo <= true_j <= predicted.hi
        widths += (predicted.hi - predicted.lo) / true_j
    assert 90 <= held <= 99
    assert widths / 100 < 0.12  # an interval that holds everything says nothing


def test_the_devices_own_bounds_widen_the_interval():
    found = fitted(loads(np.random.default_rng(1), lambda wall_w: 1.0))
    exact = modelled_wall_energy(found.fit, energies(10.0, gpu=100.0, package=40.0), 10.0)
    loose = modelled_wall_energy(found.fit, energies(10.0, 0.1, gpu=100.0, package=40.0), 10.0)
    assert loose.joules == pytest.approx(exact.joules)
    more_j = found.fit.coefficients[1] * 100.0 + found.fit.coefficients[2] * 40.0
    assert loose.hi - exact.hi == pytest.approx(more_j)
    assert exact.lo - loose.lo == pytest.approx(more_j)


def test_an_absent_device_has_no_term():
    points = [WallPoint(p.wall_w, {"package": p.devices_w["package"]}) for p in loads(_rng(), lambda w: 0.1)]
    processors = [WallPoint(60 + 1.2 * p.devices_w["package"], p.devices_w) for p in points]
    found = fitted(processors)
    assert isinstance(found, Fitted)
    assert found.fit.terms == ["base", "package"]
    assert found.fit.coefficients == pytest.approx([60, 1.2])


def test_a_device_that_hardly_varied_is_part_of_the_base_and_its_range_is_kept():
    rng = _rng()
    points = [
        WallPoint(plane(30.0, cpu_w) + rng.normal(0, 0.1), {"gpu": 30 + rng.uniform(0, 1), "package": cpu_w})
        for cpu_w in np.linspace(20, 90, 11)
    ]
    found = fitted(points)
    assert isinstance(found, Fitted)
    assert found.fit.terms == ["base", "package"]
    assert found.steady == ("gpu",)
    assert found.fit.lowest_w["gpu"] >= 30
    works = modelled_wall_energy(found.fit, energies(10.0, gpu=200.0, package=50.0), 10.0)
    assert isinstance(works, Withheld)
    assert works.reason is Reason.OUTSIDE_CALIBRATION
    idles = modelled_wall_energy(found.fit, energies(10.0, gpu=30.5, package=50.0), 10.0)
    assert idles.joules == pytest.approx(10 * plane(30.0, 50.0), rel=0.01)


def _rng():
    return np.random.default_rng(7)


def _refusals():
    rng = _rng()
    together = [
        WallPoint(plane(x, x / 5) + rng.normal(0, 0.2), {"gpu": x, "package": x / 5 + 0.001 * x})
        for x in np.linspace(100, 300, 11)
    ]
    still = [WallPoint(200.0 + k, {"gpu": 60.0 + 0.1 * k}) for k in range(11)]
    asleep = [WallPoint(120.0 + rng.normal(0, 0.3), {"gpu": 60.0 + 20 * k}) for k in range(11)]
    falling = [WallPoint(500 - 1.5 * k * 20 + rng.normal(0, 1), {"gpu": 60.0 + 20 * k}) for k in range(11)]
    lonely = [WallPoint(100.0, {"gpu": 60.0})] * 10 + [WallPoint(300.0, {"gpu": 260.0})]
    return {
        "rose and fell together": (together, Reason.NOT_IDENTIFIED),
        "hardly varied": (still, Reason.NOT_IDENTIFIED),
        "rises by less than the device": (asleep, Reason.NOT_IDENTIFIED),
        "negative beyond its error": (falling, Reason.NEGATIVE_COST),
        "decides a coefficient alone": (lonely, Reason.NOT_IDENTIFIED),
        "5 loads could be measured": (together[:5], Reason.NOT_IDENTIFIED),
        "no device but the wall meter": ([WallPoint(100.0, {})] * 11, Reason.NOT_IDENTIFIED),
    }


@pytest.mark.parametrize("words", list(_refusals()))
def test_a_design_that_cannot_tell_is_refused_and_says_what_to_do(words):
    points, reason = _refusals()[words]
    found = fitted(points)
    assert isinstance(found, NoFit)
    assert found.reason is reason
    assert words in found.detail
    assert found.fix

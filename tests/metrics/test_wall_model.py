"""The modelled wall: what it is made of, when it is withheld, and where it must not go.

How often its interval holds is tested where the plane is fitted (tests/calibration/test_wall_fit.py).
"""

import dataclasses

import pytest

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.metrics.catalogue import comparison_definitions, definition, definitions
from joulemark.metrics.repeats import POOLED_FIGURES
from joulemark.metrics.student import t_95
from joulemark.metrics.wall_model import class_powers_w, modelled_wall_energy, modelled_wall_joules
from joulemark.record.energy import (
    MeasuredEnergy,
    Method,
    ModelledEnergy,
    Withheld,
    sum_over_scopes,
    sum_over_windows,
)
from joulemark.record.manifest import Baselines, WallFit
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

FIT = WallFit(
    terms=["base", "gpu"],
    coefficients=[40.0, 1.1],
    covariance=[[4.0, -0.01], [-0.01, 0.0001]],
    residual_sd_w=3.0,
    n_points=12,
    lowest_w={"gpu": 60.0, "package": 10.0},
    highest_w={"gpu": 260.0, "package": 30.0},
    wall_source="shelly",
    measured_utc="2026-11-30T10:00:00+00:00",
)


def energy(power_w, scope=None, *, slack=0.0, method=Method.COUNTER, duration_s=100.0):
    joules = power_w * duration_s
    scopes = (scope or Scope.gpu(0),)
    return MeasuredEnergy(joules, joules * (1 - slack), joules * (1 + slack), "m", scopes, method)


def modelled(*energies, fit=FIT, duration_s=100.0):
    return modelled_wall_energy(fit, energies, duration_s)


PACKAGE = energy(20.0, Scope.package(0))


def test_the_plane_and_its_interval_by_hand():
    found = modelled(energy(100.0), PACKAGE)
    assert isinstance(found, ModelledEnergy)
    assert found.joules == pytest.approx(100 * (40 + 110))
    spread_w = t_95(10) * (4.0 + 2 * 100 * -0.01 + 100**2 * 0.0001 + 9.0) ** 0.5
    assert found.hi - found.joules == pytest.approx(100 * spread_w)
    assert found.joules - found.lo == pytest.approx(100 * spread_w)
    assert "shelly" in found.estimator
    assert found.version


def test_a_longer_run_is_no_surer():
    short, long = (
        modelled(energy(100.0), PACKAGE),
        modelled(
            energy(100.0, duration_s=9000.0),
            energy(20.0, Scope.package(0), duration_s=9000.0),
            duration_s=9000.0,
        ),
    )
    assert long.lo / long.joules == pytest.approx(short.lo / short.joules)


@pytest.mark.parametrize(
    ("energies", "reason", "words"),
    [
        ([energy(300.0), PACKAGE], Reason.OUTSIDE_CALIBRATION, "gpu: 300 W, and 60 to 260 W were seen"),
        ([energy(30.0), PACKAGE], Reason.OUTSIDE_CALIBRATION, "gpu"),
        ([energy(100.0), energy(60.0, Scope.package(0))], Reason.OUTSIDE_CALIBRATION, "package"),
        ([energy(100.0)], Reason.OUTSIDE_CALIBRATION, "no joules of its package"),
        ([PACKAGE], Reason.OUTSIDE_CALIBRATION, "no joules of its gpu"),
        ([Withheld(Reason.METER_LOST), PACKAGE], Reason.OUTSIDE_CALIBRATION, "gpu"),
    ],
)
def test_outside_what_was_seen_it_is_withheld(energies, reason, words):
    found = modelled(*energies)
    assert isinstance(found, Withheld)
    assert found.reason is reason
    assert words in found.detail


def test_a_little_outside_is_allowed():
    # a tenth of the range of 200 W
    assert isinstance(modelled(energy(279.0), PACKAGE), ModelledEnergy)
    assert isinstance(modelled(energy(281.0), PACKAGE), Withheld)
    # at least 2 W
    assert isinstance(modelled(energy(100.0), energy(31.9, Scope.package(0))), ModelledEnergy)


def test_without_a_fit_or_a_length_there_is_none():
    assert modelled_wall_energy(None, [], 100.0, "why").detail == "why"
    assert modelled_wall_energy(None, [], 100.0).reason is Reason.NO_WALL_CALIBRATION
    assert modelled(energy(100.0), PACKAGE, duration_s=None).reason is Reason.OUTSIDE_TIMELINE
    few = FIT.model_copy(update={"n_points": 6})
    assert modelled(energy(100.0), PACKAGE, fit=few).reason is Reason.NO_WALL_CALIBRATION


def test_boards_are_summed_and_what_shows_one_twice_counts_once():
    found = class_powers_w(
        [
            energy(100.0),
            energy(50.0, Scope.gpu(1), method=Method.INTEGRATED),
            energy(98.0, method=Method.INTEGRATED),
            energy(7.0, Scope("wall/psu/psys/package:0/core")),
            energy(9.0, Scope.dram(0)),
            energy(400.0, Scope("wall"), method=Method.METER),
            PACKAGE,
        ],
        100.0,
        ("gpu", "package"),
    )
    assert {name: power[0] for name, power in found.items()} == {"gpu": 150.0, "package": 20.0}


def test_a_scope_that_the_plane_does_not_know_hides_none_that_it_does():
    sensor = energy(300.0, Scope.module(0))
    inside = energy(20.0, Scope.module(0).child("package:0"))
    assert modelled(energy(100.0), sensor, inside) == modelled(energy(100.0), PACKAGE)


def test_the_figure_says_that_it_is_modelled_and_enters_no_comparison():
    figure = modelled_wall_joules(modelled(energy(100.0), PACKAGE))
    assert figure.unit == "J (modelled)"
    assert figure.interval == "ci95"
    defined = definition("modelled_wall_joules")
    assert "modelled" in defined.title
    assert "modelled" in defined.unit
    assert "modelled_wall_joules" not in POOLED_FIGURES
    compared = {name for one in comparison_definitions() for name in (one.name, *one.inputs)}
    assert not any("modelled" in name for name in compared)
    made_of_it = [one.name for one in definitions() if "modelled_wall_joules" in one.inputs]
    assert made_of_it == []


def test_a_modelled_energy_cannot_be_added():
    found = modelled(energy(100.0), PACKAGE)
    for add in (sum_over_scopes, sum_over_windows):
        with pytest.raises(TypeError):
            add([energy(100.0), found])


def test_a_run_with_a_fit_has_the_figure_and_the_same_total():
    view = run_views.with_counter()
    mean_w = summarize(view).figures["mean_power_w"].value
    fit = FIT.model_copy(update={"lowest_w": {"gpu": mean_w - 1}, "highest_w": {"gpu": mean_w + 1}})
    manifest = view.manifest.model_copy(update={"baselines": Baselines(wall_fit=fit)})
    with_fit = summarize(dataclasses.replace(view, manifest=manifest))
    figure = with_fit.figures["modelled_wall_joules"]
    assert figure.value == pytest.approx(view.duration_s * (40 + 1.1 * mean_w))
    assert with_fit.figures["total_joules"] == summarize(view).figures["total_joules"]
    assert with_fit.measurement_tier == summarize(view).measurement_tier

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.record.energy import (
    MeasuredEnergy,
    Method,
    ModelledEnergy,
    Withheld,
    sum_over_scopes,
    sum_over_windows,
)
from joulemark.record.reason import Reason
from joulemark.record.scope import OverlappingScopes, Scope, require_antichain

BOARD = Scope.gpu(0)
PACKAGE = Scope.package(0)


def energy(joules: float = 10.0, scope: Scope = BOARD, **changes: Any) -> MeasuredEnergy:
    fields: dict[str, Any] = {
        "lo": joules - 1,
        "hi": joules + 2,
        "source": "nvml:0",
        "scopes": (scope,),
        "method": Method.COUNTER,
    }
    return MeasuredEnergy(joules, **(fields | changes))


def test_disjoint_scopes_add() -> None:
    total = sum_over_scopes([energy(10, BOARD), energy(5, PACKAGE, source="rapl:package-0")])
    assert (total.joules, total.lo, total.hi) == (15, 13, 19)
    assert total.scopes == (BOARD, PACKAGE)
    assert total.source == "nvml:0+rapl:package-0"


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (Scope("wall"), BOARD),
        (PACKAGE, PACKAGE.child("core")),
        (Scope("wall/psu/psys"), PACKAGE),
        (Scope.module(0), Scope.module(0).child("gpu:0")),
        (BOARD, BOARD),
    ],
)
def test_parent_and_child_never_add(outer: Scope, inner: Scope) -> None:
    with pytest.raises(OverlappingScopes):
        sum_over_scopes([energy(scope=outer), energy(scope=inner)])


def test_package_memory_is_beside_the_package_not_in_it() -> None:
    require_antichain([PACKAGE, Scope.dram(0)])
    assert not PACKAGE.overlaps(Scope.package(10))
    assert not Scope.package(1).contains(Scope.package(10))


def test_measured_and_modelled_never_add() -> None:
    modelled = ModelledEnergy(10, 8, 12, "ecologits", "0.11.3", "FRA")
    with pytest.raises(TypeError):
        sum_over_scopes([energy(), modelled])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        sum_over_windows([energy(), Withheld(Reason.NO_METER)])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        energy() + modelled  # type: ignore[operator]


def test_counter_and_integral_never_add() -> None:
    with pytest.raises(TypeError):
        sum_over_windows([energy(), energy(method=Method.INTEGRATED)])


def test_windows_of_other_scopes_never_add() -> None:
    with pytest.raises(ValueError, match="different scopes"):
        sum_over_windows([energy(), energy(scope=PACKAGE)])


@pytest.mark.parametrize(
    "bad",
    [
        {"joules": math.nan},
        {"joules": math.inf, "hi": math.inf},
        {"joules": -1.0, "lo": -2.0},
        {"lo": 11.0},
        {"hi": 9.0},
        {"scopes": ()},
        {"scopes": (PACKAGE, PACKAGE.child("core"))},
    ],
)
def test_an_impossible_energy_cannot_be_made(bad: dict[str, Any]) -> None:
    fields: dict[str, Any] = {
        "joules": 10.0,
        "lo": 9.0,
        "hi": 12.0,
        "source": "x",
        "scopes": (BOARD,),
        "method": Method.COUNTER,
    }
    with pytest.raises(ValueError):
        MeasuredEnergy(**(fields | bad))


@given(st.lists(st.floats(1, 1e9), min_size=1, max_size=20))
def test_a_sum_of_windows_is_bounded_by_its_sums(joules: list[float]) -> None:
    total = sum_over_windows([energy(j) for j in joules])
    assert total.lo <= total.joules <= total.hi
    assert total.joules == pytest.approx(sum(joules))


def test_every_reason_has_its_sentence() -> None:
    assert all(reason.text.endswith(".") for reason in Reason)


@pytest.mark.parametrize("path", ["", "/wall", "wall/", "wall//psu"])
def test_no_scope_without_a_path(path: str) -> None:
    with pytest.raises(ValueError):
        Scope(path)

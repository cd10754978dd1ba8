"""Rated powers by the names that drivers and publications use, and the estimate made of them."""

from __future__ import annotations

import pytest

from joulemark.metrics.tdp import tdp_energy, tdp_ratio
from joulemark.metrics.value import Value, withheld
from joulemark.record.rated import rated_power
from joulemark.record.reason import Reason


@pytest.mark.parametrize(
    ("name", "watts"),
    [
        ("NVIDIA A100-SXM4-40GB", 400),
        ("NVIDIA A100-SXM4-80GB", 400),
        ("NVIDIA A100-PCIE-40GB", 250),
        ("NVIDIA A100 80GB PCIe", 300),
        ("NVIDIA H100 80GB HBM3", 700),
        ("H100", 700),
        ("NVIDIA H100 PCIe", 350),
        ("NVIDIA H100 NVL", 400),
        ("NVIDIA H200", 700),
        ("NVIDIA H200 NVL", 600),
        ("NVIDIA B200", 1000),
        ("NVIDIA GB200", 1200),
        ("Tesla V100-SXM2-16GB", 300),
        ("Tesla V100-PCIE-32GB", 250),
        ("Tesla T4", 70),
        ("NVIDIA L4", 72),
        ("NVIDIA L40S", 350),
        ("NVIDIA L40", 300),
        ("NVIDIA A40", 300),
        ("NVIDIA A10", 150),
        ("NVIDIA GeForce RTX 4090", 450),
        ("AMD Instinct MI300X", 750),
    ],
)
def test_the_board_that_is_meant(name: str, watts: float) -> None:
    found = rated_power(name)
    assert found is not None
    assert found.watts == watts
    assert found.source


@pytest.mark.parametrize(
    "name", [None, "", "A100", "V100", "NVIDIA A10G", "NVIDIA A1000", "Testboard 90", "LT4X"]
)
def test_what_is_not_known_is_not_guessed(name: str | None) -> None:
    assert rated_power(name) is None


def test_the_estimate_is_rated_power_times_the_time_of_all_devices() -> None:
    found = tdp_energy("NVIDIA H100 80GB HBM3", 4, 0.5)
    assert found.value == 4 * 700 * 0.5
    assert "modelled" in found.detail
    assert tdp_ratio(found, Value(350, "J")).value == 4


@pytest.mark.parametrize(
    ("device", "n", "seconds"),
    [(None, 1, 1.0), ("Testboard", 1, 1.0), ("H100", None, 1.0), ("H100", 1, None)],
)
def test_the_estimate_is_withheld_where_something_is_missing(
    device: str | None, n: int | None, seconds: float | None
) -> None:
    found = tdp_energy(device, n, seconds)
    assert found.reason is not None
    assert tdp_ratio(found, Value(1, "J")).reason is found.reason


def test_no_ratio_to_nothing() -> None:
    assert tdp_ratio(Value(1, "J"), Value(0, "J")).reason is Reason.NOT_APPLICABLE
    assert tdp_ratio(Value(1, "J"), withheld("J", Reason.NO_METER)).reason is Reason.NO_METER

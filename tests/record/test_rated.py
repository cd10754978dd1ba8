"""Rated powers by the names that drivers give."""

from __future__ import annotations

import pytest

from joulemark.record.rated import rated_between, rated_power


@pytest.mark.parametrize(
    ("name", "watts"),
    [
        ("NVIDIA H100 80GB HBM3", 700),
        ("NVIDIA H100 PCIe", 350),
        ("NVIDIA H100 NVL", 400),
        ("NVIDIA GeForce RTX 4090", 450),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", None),
        ("NVIDIA GeForce RTX 4090 D", None),
        ("NVIDIA GeForce RTX 5090 Laptop GPU", None),
        ("NVIDIA GeForce RTX 3090 Ti", None),
        ("NVIDIA H100 CNX", None),
        ("Tesla V100-SXM3-32GB", None),
        ("Tesla V100-SXM2-32GB", 300),
        ("a board of tomorrow", None),
        (None, None),
    ],
)
def test_a_variant_never_has_the_power_of_another_board(name: str | None, watts: float | None) -> None:
    rated = rated_power(name)
    assert (None if rated is None else rated.watts) == watts


def test_an_open_name_lies_between_its_variants() -> None:
    assert rated_between("NVIDIA A100") == (250, 400)
    assert rated_between("NVIDIA GeForce RTX 4090 Laptop GPU") is None

"""What the digits of a number say of the step in which a register counts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from joulemark.meters.written import step, without_noise


@pytest.mark.parametrize(("written", "unit"), [("3.700", "0.001"), ("12", "1"), ("1E+3", "1")])
def test_the_last_digit_is_the_step(written: str, unit: str) -> None:
    assert step(Decimal(written)) == Decimal(unit)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("12.300000000000001", "12.3"),
        ("12.339999999999998", "12.34"),
        ("0.30000000000000004", "0.3"),
        ("12.3400", "12.3400"),
        ("120.0000000000001", "1.2E+2"),
        ("1.2345678901234E+200", "1.23456789012E+200"),
    ],
)
def test_a_binary_floats_noise_is_no_digit(written: str, meant: str) -> None:
    assert str(without_noise(Decimal(written))) == meant

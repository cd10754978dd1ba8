"""Numbers as somebody wrote them: what their digits say of the step in which a register counts."""

from __future__ import annotations

from decimal import Context, Decimal

_EXACT = Context(prec=12)  # beyond these digits a binary float's noise begins, which is no step of a register


def without_noise(value: Decimal) -> Decimal:
    """Return the value without the noise of a binary float: 12.3 for 12.300000000000001."""
    if len(value.as_tuple().digits) <= _EXACT.prec:
        return value
    return _EXACT.create_decimal(value).normalize()


def step(value: Decimal) -> Decimal:
    """Return the last digit's unit: 0.001 for 3.700, 1 for 12."""
    exponent = value.as_tuple().exponent
    return Decimal(1).scaleb(min(0, exponent)) if isinstance(exponent, int) else Decimal(1)

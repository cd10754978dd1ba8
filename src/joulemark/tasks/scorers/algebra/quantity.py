"""Complex numbers, exact as long as they can be and of fixed high precision then; sizes are bounded.

An exact quantity is a pair of rationals. A rounded one is a pair of multiples of 2^-BITS.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

BITS = 256
MAX_BITS = 6000
_UNIT = 1 << BITS
# Far above the rounding of a few hundred operations, far below any difference that is meant.
_TOLERANCE = Fraction(1, 1 << 160)
_SMALLEST = Fraction(1, 1 << 100)


class Undefined(Exception):
    """There is no value here: a division by zero, a size beyond reason, an argument out of range."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """``re + im i``."""

    re: Fraction
    im: Fraction = Fraction(0)
    is_exact: bool = True

    @property
    def is_zero(self) -> bool:
        """Tell whether it is zero, as far as can be told."""
        return self.size <= (0 if self.is_exact else _TOLERANCE)

    @property
    def size(self) -> Fraction:
        """The larger of the two parts' sizes."""
        re, im = abs(self.re), abs(self.im)
        return re if re >= im else im

    @property
    def integer(self) -> int | None:
        """The integer that it is, or null."""
        is_one = self.is_exact and not self.im and self.re.denominator == 1
        return self.re.numerator if is_one else None

    def __neg__(self) -> Quantity:
        return Quantity(-self.re, -self.im, self.is_exact)

    def __add__(self, other: Quantity) -> Quantity:
        return made(self.re + other.re, self.im + other.im, is_exact=self.is_exact and other.is_exact)

    def __mul__(self, other: Quantity) -> Quantity:
        if not self.im and not other.im:
            return made(self.re * other.re, Fraction(0), is_exact=self.is_exact and other.is_exact)
        re = self.re * other.re - self.im * other.im
        im = self.re * other.im + self.im * other.re
        return made(re, im, is_exact=self.is_exact and other.is_exact)

    def inverse(self) -> Quantity:
        """Return 1/self; raises `Undefined` for zero."""
        if self.is_zero:
            raise Undefined
        norm = self.re * self.re + self.im * self.im
        return made(self.re / norm, -self.im / norm, is_exact=self.is_exact)

    def to_the(self, exponent: int) -> Quantity:
        """Return the integer power, by repeated squaring; raises `Undefined` where it is too large."""
        if exponent < 0:
            return self.inverse().to_the(-exponent)
        if exponent.bit_length() > 32:
            raise Undefined
        result, square = Quantity(Fraction(1)), self
        while exponent:
            if exponent & 1:
                result = result * square
            exponent >>= 1
            if exponent:
                square = square * square
        return result


def made(re: Fraction, im: Fraction, *, is_exact: bool) -> Quantity:
    """Return a quantity, rounded unless it is exact; raises `Undefined` where it is too large."""
    if not is_exact:
        re, im = rounded(re), rounded(im)
    for part in (re, im):
        if part.numerator.bit_length() > MAX_BITS or part.denominator.bit_length() > MAX_BITS:
            raise Undefined
    return Quantity(re, im, is_exact)


def rounded(value: Fraction) -> Fraction:
    """Return the nearest multiple of 2^-BITS."""
    return Fraction((value.numerator * _UNIT * 2 // value.denominator + 1) // 2, _UNIT)


def are_equal(left: Quantity, right: Quantity) -> bool:
    """Tell whether two quantities are one; raises `Undefined` where rounding hides the answer."""
    if left.is_exact and right.is_exact:
        return left.re == right.re and left.im == right.im
    size = left.size if left.size >= right.size else right.size
    is_close = (left + -right).size <= _TOLERANCE * (size if size > 1 else 1)
    if is_close and _TOLERANCE < size < _SMALLEST:
        raise Undefined
    return is_close

"""Roots, exponentials, logarithms and trigonometry of quantities, to their precision."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction
from functools import lru_cache

from joulemark.tasks.scorers.algebra.quantity import BITS, Quantity, Undefined, made

_CONTEXT = decimal.Context(prec=90, Emax=4000, Emin=-4000)
_GUARDED = BITS + 64
_ONE = Quantity(Fraction(1))
MAX_ROOT = 64
MAX_FACTORIAL = 200
_LARGEST_ANGLE = 10**6


def _arctan_of_inverse(n: int) -> int:
    """Return atan(1/n) × 2^_GUARDED by its power series."""
    power = total = (1 << _GUARDED) // n
    for k in range(1, _GUARDED):
        power = -power // (n * n)
        total += power // (2 * k + 1)
    return total


@lru_cache(maxsize=1)
def pi() -> Quantity:
    """Return π, by Machin's formula: π/4 = 4 atan(1/5) - atan(1/239)."""
    value = 4 * (4 * _arctan_of_inverse(5) - _arctan_of_inverse(239))
    return made(Fraction(value, 1 << _GUARDED), Fraction(0), is_exact=False)


def _by_decimal(value: Fraction, function: str) -> Fraction:
    try:
        written = _CONTEXT.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
        result = _CONTEXT.ln(written) if function == "ln" else _CONTEXT.exp(written)
    except decimal.DecimalException as error:
        raise Undefined from error
    if not result.is_finite():
        raise Undefined
    return Fraction(result)


def _real(quantity: Quantity) -> Fraction:
    if quantity.im:
        raise Undefined
    return quantity.re


def ln(quantity: Quantity) -> Quantity:
    """Return the natural logarithm of a positive real."""
    value = _real(quantity)
    if value <= 0:
        raise Undefined
    if value == 1 and quantity.is_exact:
        return Quantity(Fraction(0))
    return made(_by_decimal(value, "ln"), Fraction(0), is_exact=False)


def exp(quantity: Quantity) -> Quantity:
    """Return e to the quantity."""
    size = _by_decimal(quantity.re, "exp")
    if not quantity.im:
        return _ONE if not quantity.re and quantity.is_exact else made(size, Fraction(0), is_exact=False)
    sine, cosine = _sine_cosine(quantity.im)
    return made(size * cosine, size * sine, is_exact=False)


def _sine_cosine(angle: Fraction) -> tuple[Fraction, Fraction]:
    if abs(angle) > _LARGEST_ANGLE:
        raise Undefined
    turn = 2 * pi().re
    angle -= turn * round(angle / turn)
    x = int(angle * (1 << _GUARDED))
    parts = [0, 0]
    term, k = 1 << _GUARDED, 0
    while term:  # the terms x^k/k! of e^(ix); their sum's parts are cosine and sine
        parts[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term = int(Fraction(term * x, k << _GUARDED))
    return Fraction(parts[1], 1 << _GUARDED), Fraction(parts[0], 1 << _GUARDED)


def _rounded_real(value: Fraction) -> Quantity:
    return made(value, Fraction(0), is_exact=False)


def trigonometric(name: str, quantity: Quantity) -> Quantity:
    """Return sin, cos, tan, cot, sec or csc of a real."""
    if quantity.is_exact and not quantity.re and not quantity.im and name in ("sin", "tan"):
        return quantity
    sine, cosine = map(_rounded_real, _sine_cosine(_real(quantity)))
    match name:
        case "sin":
            return sine
        case "cos":
            return cosine
        case "tan":
            return sine * cosine.inverse()
        case "cot":
            return cosine * sine.inverse()
        case "sec":
            return cosine.inverse()
        case _:
            return sine.inverse()


def _whole_root(value: int, index: int) -> int | None:
    """Return the integer whose ``index``-th power is ``value`` (not negative), or null."""
    if value < 2:
        return value
    guess = 1 << -(-value.bit_length() // index)
    while True:  # Newton's steps fall until the root is reached
        lower = ((index - 1) * guess + value // guess ** (index - 1)) // index
        if lower >= guess:
            return guess if guess**index == value else None
        guess = lower


def root(quantity: Quantity, index: int) -> Quantity:
    """Return a root: of a real the real one where there is one, else the principal square root."""
    if not 1 <= index <= MAX_ROOT:
        raise Undefined
    if quantity.im:
        return _complex_square_root(quantity) if index == 2 else _raise()
    value = quantity.re
    if value < 0:
        if index % 2:
            return -root(-quantity, index)
        positive = root(-quantity, index)
        return positive * Quantity(Fraction(0), Fraction(1)) if index == 2 else _raise()
    if quantity.is_exact:
        top, bottom = _whole_root(value.numerator, index), _whole_root(value.denominator, index)
        if top is not None and bottom is not None:
            return Quantity(Fraction(top, bottom))
    if index == 2:
        scaled = math.isqrt((value.numerator << 2 * _GUARDED) // value.denominator)
        return _rounded_real(Fraction(scaled, 1 << _GUARDED))
    if quantity.is_zero:
        return Quantity(Fraction(0), is_exact=False)
    return _rounded_real(_by_decimal(_by_decimal(value, "ln") / index, "exp"))


def _raise() -> Quantity:
    raise Undefined


def _complex_square_root(quantity: Quantity) -> Quantity:
    size = root(made(quantity.re**2 + quantity.im**2, Fraction(0), is_exact=quantity.is_exact), 2)
    half = Quantity(Fraction(1, 2))
    re = root(_not_negative((size + Quantity(quantity.re, is_exact=quantity.is_exact)) * half), 2)
    im = root(_not_negative((size + Quantity(-quantity.re, is_exact=quantity.is_exact)) * half), 2)
    sign = 1 if quantity.im > 0 else -1
    return made(re.re, sign * im.re, is_exact=re.is_exact and im.is_exact)


def _not_negative(quantity: Quantity) -> Quantity:
    return quantity if quantity.re >= 0 else Quantity(Fraction(0), is_exact=False)


def power(base: Quantity, exponent: Quantity) -> Quantity:
    """Return ``base`` to the ``exponent``: integer powers, roots of reals, powers of positive reals."""
    whole = exponent.integer
    if whole is not None:
        if base.is_zero and whole <= 0:
            raise Undefined
        return base.to_the(whole)
    is_rational = exponent.is_exact and not exponent.im
    if is_rational and exponent.re.denominator <= MAX_ROOT and (not base.im or exponent.re.denominator == 2):
        return root(base, exponent.re.denominator).to_the(exponent.re.numerator)
    return exp(exponent * ln(base))


def binomial(n: Quantity, k: Quantity) -> Quantity:
    """Return ``n`` over ``k`` for integers."""
    top, bottom = n.integer, k.integer
    if top is None or bottom is None or not 0 <= bottom <= top <= 1000:
        raise Undefined
    return made(Fraction(math.comb(top, bottom)), Fraction(0), is_exact=True)


def factorial(n: Quantity) -> Quantity:
    """Return n! of a small integer."""
    whole = n.integer
    if whole is None or not 0 <= whole <= MAX_FACTORIAL:
        raise Undefined
    return Quantity(Fraction(math.factorial(whole)))


def absolute(quantity: Quantity) -> Quantity:
    """Return the distance from zero."""
    if not quantity.im:
        return Quantity(abs(quantity.re), is_exact=quantity.is_exact)
    return root(made(quantity.re**2 + quantity.im**2, Fraction(0), is_exact=quantity.is_exact), 2)

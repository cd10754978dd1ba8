"""The value of a tree where its names have values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from joulemark.tasks.scorers.algebra import functions
from joulemark.tasks.scorers.algebra.quantity import Quantity, Undefined
from joulemark.tasks.scorers.algebra.tree import Call, Name, Node, Number, Power, Product, Sum

CONSTANTS = frozenset({"π", "i", "e"})


def evaluate(node: Node, values: Mapping[str, Quantity]) -> Quantity:
    """Return the value of ``node``; raises `Undefined` where it has none, or where it is no expression."""
    match node:
        case Number(number):
            return Quantity(number)
        case Name(name):
            return values[name] if name in values else _constant(name)
        case Sum(terms):
            total = Quantity(Fraction(0))
            for sign, term in terms:
                value = evaluate(term, values)
                total = total + (value if sign > 0 else -value)
            return total
        case Product(factors):
            result = Quantity(Fraction(1))
            for divides, factor in factors:
                value = evaluate(factor, values)
                result = result * (value.inverse() if divides else value)
            return result
        case Power(base, exponent):
            if base == Name("e"):
                return functions.exp(evaluate(exponent, values))
            return functions.power(evaluate(base, values), evaluate(exponent, values))
        case Call(function, arguments):
            return _called(function, [evaluate(argument, values) for argument in arguments])
        case _:
            raise Undefined


def _constant(name: str) -> Quantity:
    match name:
        case "π":
            return functions.pi()
        case "i":
            return Quantity(Fraction(0), Fraction(1))
        case "e":
            return functions.exp(Quantity(Fraction(1)))
        case _:
            raise Undefined


def _called(function: str, arguments: list[Quantity]) -> Quantity:
    last = arguments[-1]
    match function:
        case "sqrt":
            return functions.root(last, 2)
        case "root":
            index = arguments[0].integer
            return functions.root(last, index if index is not None else 0)
        case "abs":
            return functions.absolute(last)
        case "factorial":
            return functions.factorial(last)
        case "binom":
            return functions.binomial(*arguments)
        case "exp":
            return functions.exp(last)
        case "ln" | "log":
            if function == "ln":
                return functions.ln(last)
            base = arguments[0] if len(arguments) > 1 else Quantity(Fraction(10))
            return functions.ln(last) * functions.ln(base).inverse()
        case _:
            return functions.trigonometric(function, last)

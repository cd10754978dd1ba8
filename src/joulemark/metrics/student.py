"""The quantile of Student's t that a 95 % interval of a fitted mean needs."""

from __future__ import annotations

import math

from joulemark.metrics.accuracy import Z_95

MIN_DEGREES = 5
# for 1, 2, 3 and 4 degrees, where the expansion of `t_95` is not close (Abramowitz and Stegun, table 26.10)
_OF_FEW = (12.7062, 4.3027, 3.1824, 2.7764)


def t_95(degrees: int) -> float:
    """Return the 0.975 quantile of Student's t for five or more degrees of freedom, within 0.1 % of it.

    Source: M. Abramowitz and I. Stegun, Handbook of Mathematical Functions (1964), 26.7.5: the expansion in
    1/degrees about the normal quantile. Raises ``ValueError`` below five, where it is no longer that close.
    """
    if degrees < MIN_DEGREES:
        raise ValueError(f"{degrees} degrees of freedom are too few; {MIN_DEGREES} are needed")
    z, z3, z5, z7, z9 = (math.pow(Z_95, power) for power in (1, 3, 5, 7, 9))
    terms = (
        (z3 + z) / 4,
        (5 * z5 + 16 * z3 + 3 * z) / 96,
        (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384,
        (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / math.pow(degrees, power) for power, term in enumerate(terms, 1))


def t_95_from_one(degrees: int) -> float:
    """Return the 0.975 quantile of Student's t for one or more degrees of freedom: of few from the table.

    For means that are told of few values too; where five degrees are a rule of the figure, `t_95` holds to
    it. Raises ``ValueError`` below one.
    """
    if degrees < 1:
        raise ValueError(f"{degrees} degrees of freedom are too few; 1 is needed")
    return _OF_FEW[degrees - 1] if degrees < MIN_DEGREES else t_95(degrees)

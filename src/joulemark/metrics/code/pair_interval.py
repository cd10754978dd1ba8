"""The interval of paired ratios that are looked at while they are made, and how wide it may be to stop.

Pairs end at the first look whose interval is narrow enough. Those that scatter little by chance end first, so
an interval that holds the truth in 95 % of cases for a fixed number of pairs holds it in 91 % then. So this
one is wider: 98 % below six pairs, 97 % from there on. What is published of 4,000 traces, looked at after
every second pair from four to 25 on until it is within 6 %, holds the truth in (beside: by 95 %)

    noise of a pair     here     95 %     pairs    median half width
    quiet machine       0.983    0.959      5.5    3.4 %
    two speeds          0.976    0.955      8.5    4.0 %
    busy                0.965    0.946     21.8    6.8 %
    normal, sd 3 %      0.974    0.946      5.1    4.1 %
    normal, sd 5 %      0.965    0.933      7.2    5.0 %
    normal, sd 8 %      0.951    0.913     13.6    5.5 %
    normal, sd 12 %     0.946    0.909     21.3    6.2 %
    normal, sd 20 %     0.964    0.934     24.7   10.8 %
    Student's t 3, 8 %  0.964    0.935      8.8    5.1 %

With looks on to 100 pairs the least is 0.937, at 12 %. That is over all ratios. Of those that a noisy machine
lets end at the first look, by luck, fewer hold it: seven in ten at a scatter of 8 %, where one in 22 ends so.
"""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.metrics.code.median_interval import MIN_FOR_INTERVAL, about_median, median_interval
from joulemark.metrics.value import Value

LOOK_PAIRS = 2
"""Pairs between two looks: an even number, so that of each side as many come first."""
_LEVEL = 0.97
# 0.99 quantiles of Student's t at four and five pairs, the 0.985 quantile at six
_T_OF_PAIRS = {4: 4.5407, 5: 3.7469, 6: 3.0029}


def pair_interval(logs: Sequence[float]) -> tuple[float, float] | None:
    """Return the interval of the median of logarithms of paired ratios, null for fewer than three.

    It holds in 95 % of cases whatever look ended the pairs. Three pairs are never looked at: they have the
    interval of `median_interval`. From four to six it is about the median, of Student's t; then between order
    statistics.
    """
    n = len(logs)
    if n == MIN_FOR_INTERVAL:
        return median_interval(logs)
    if n in _T_OF_PAIRS:
        return about_median(logs, _T_OF_PAIRS[n])
    return median_interval(logs, _LEVEL)


def is_look(n_pairs: int) -> bool:
    """Tell whether a ratio is looked at after so many pairs."""
    return n_pairs > 0 and n_pairs % LOOK_PAIRS == 0


def is_narrow(ratio: Value, half_width: float) -> bool:
    """Tell whether a ratio's interval, as it is published, is within ``half_width`` of it, as a share."""
    if ratio.value is None or ratio.lo is None or ratio.hi is None:
        return False
    return (ratio.hi - ratio.lo) / 2 <= half_width * ratio.value

"""How many items a decision that may fall at any moment takes, before any is asked.

The rule of ``bench --stop`` ends as soon as bets against the bound have won 2/α
(`joulemark.metrics.betting`).
Of one fixed bet the log of the wealth is a sum of independent terms, so after n items it is normal with mean
n·μ and deviation s·√n, and all bets see the same answers: the wealth of the mixture at the answers that four
runs of five surpass tells by when these have ended. Without replacement n items of a population without end
are worth as much as n/(1 + n/N). Simulated runs of the rule agree (tests).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.stopping.mean_sequence import ALPHA
from joulemark.metrics.betting import BETS

Floats = NDArray[np.float64]
Z_POWER = 0.8416212335729143
"""The 0.8 quantile of the standard normal distribution: four runs of five."""
_MOST = 2.0**50


def needed_to_decide_share(share: float, bound: float, of: int) -> int:
    """Return by how many of ``of`` items four runs of five know on which side of ``bound`` a share lies.

    ``of`` where both are the same. Raises ``ValueError`` for what is no share.
    """
    if not 0 <= share <= 1 or not 0 < bound < 1:
        raise ValueError(f"{share} and {bound} are no share and no bound of one")
    # towards the better side: x is 1 or −1, and the claim is that its mean is at most m
    p, m = (share, 2 * bound - 1) if share > bound else (1 - share, 1 - 2 * bound)
    right, wrong = np.log1p(BETS * (1 - m)), np.log1p(-BETS * (1 + m))
    return _least(p * right + (1 - p) * wrong, (right - wrong) * math.sqrt(p * (1 - p)), of)


def needed_to_decide_mean(gap: float, sd: float, of: int) -> int:
    """Return the same of a mean that is ``gap`` from the bound, its values' deviation being ``sd``.

    For values that are not right or wrong, by the second order: bets may be as large as is best.
    """
    square = sd * sd + gap * gap
    if gap == 0 or square == 0:
        return of
    bets: Floats = np.exp2(np.arange(-4.0, 5.0)) * (abs(gap) / square)
    return _least(bets * abs(gap) - bets * bets * square / 2, bets * sd, of)


def _least(drift: Floats, deviation: Floats, of: int) -> int:
    """Return the least n at which the mixture has won 2/α, with answers that four runs of five surpass."""
    if not (drift > 0).any():
        return of
    enough = math.log(2 / ALPHA)
    hi = 1.0
    while _log_wealth(hi, drift, deviation) < enough:
        hi *= 2
        if hi > _MOST:
            return of
    lo = hi / 2
    while hi - lo > 1e-3 * hi:
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if _log_wealth(middle, drift, deviation) < enough else (lo, middle)
    return min(of, max(1, math.ceil(hi / (1 + hi / of))))


def _log_wealth(n: float, drift: Floats, deviation: Floats) -> float:
    paths = n * drift - Z_POWER * math.sqrt(n) * deviation
    most = float(paths.max())
    return most + math.log(float(np.exp(paths - most).mean()))

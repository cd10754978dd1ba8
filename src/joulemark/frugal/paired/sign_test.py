r"""An e-process on the signs of the discordant items: which of two models is right more often.

Only items that exactly one of the two has right tell them apart. Let B have ``k`` of ``n`` of these. Against
"either is as likely" stands the Beta(1/2, 1/2) mixture of all other chances (Krichevsky and Trofimov 1981):

    E = 2^n * B(k + 1/2, n - k + 1/2) / B(1/2, 1/2)

E is a bet on the side that leads: the next factor is 2 (k + 1/2) / (n + 1) where B wins the next discordant
item. By Ville's inequality it ever reaches 1/alpha with a chance of at most alpha, so it may be looked at
after every item, and what the looks found may end the asking.

It holds for a finite benchmark in random order too. With D discordant items of which either model has half
(or (D - 1)/2), the side that leads has fewer of its own left, so a bet on it loses money: E is a
supermartingale. Where one model is better, hand some of its discordant items to the other until they are
even: that lifts the other's count at every moment, so it is named the winner no more often than from even.
The wrong model is therefore named with a chance of at most alpha, and of at most alpha / 2 where there is a
difference.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def log_e_values(wins_a: Counts, wins_b: Counts) -> Floats:
    """Return ln E of discordant items of which A has ``wins_a`` and B ``wins_b``; of any shape, the same."""
    n = wins_a + wins_b
    half, whole = _tables(1 << int(n.max(initial=0) + 1).bit_length())
    return np.asarray(half[wins_a] + half[wins_b] - whole[n] + n * math.log(2.0), np.float64)


@lru_cache(maxsize=4)
def _tables(size: int) -> tuple[Floats, Floats]:
    """Return ln Gamma(k + 1/2) / Gamma(1/2) and ln k! for k below ``size``."""
    steps = np.arange(size - 1, dtype=np.float64)
    half, whole = (np.concatenate(([0.0], np.cumsum(np.log(steps + shift)))) for shift in (0.5, 1.0))
    for table in (half, whole):
        table.flags.writeable = False
    return half, whole

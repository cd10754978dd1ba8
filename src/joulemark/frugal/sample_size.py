"""What n of N items drawn at random tell, and how many a target needs.

Plain random sampling without replacement: the finite-population correction is in every formula, so N of N
items leave no error. Sources: W. Cochran, Sampling Techniques (1977), chapters 2 (means), 4 (sizes), 6
(ratios); E. Wilson (1927) for proportions. All intervals are 95 %. ``sd`` is the standard deviation with the
divisor n − 1. ``of`` is N, the items that there are; null: a population without end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from joulemark.frugal.outcomes.outcomes import Floats
from joulemark.metrics.finite_share import Z_95, wilson_half_width
from joulemark.metrics.student import MIN_DEGREES

MIN_ITEMS = MIN_DEGREES + 1
Interval = tuple[float, float]
NORMAL = 3.0
"""The kurtosis of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and standard deviation of n values; nan where there are too few.

    ``kurtosis`` tells how heavy the tails are, 3 as of a normal distribution where nothing is known of them;
    ``far`` is how far the mean lies from the farther end of what the values may be, 0 where they have none.
    """

    mean: float
    sd: float
    n: int
    kurtosis: float = NORMAL
    far: float = 0.0

    @property
    def relative_sd(self) -> float:
        """The coefficient of variation; nan of a mean of 0."""
        return self.sd / abs(self.mean) if self.mean else math.nan


def moments(values: Floats) -> Moments:
    """Return the moments of values (n,)."""
    n = len(values)
    sd = float(values.std(ddof=1)) if n > 1 else math.nan
    mean = float(values.mean()) if n else math.nan
    return Moments(mean, sd, n, _kurtosis(values - mean))


def ratio_moments(costs: Floats, values: Floats) -> Moments:
    """Return a ratio of means, as cost per correct answer, and the deviation that its error follows.

    ``costs`` and ``values`` are (n,). By first order r̂ errs as the mean of (c − r·y) / mean(y) does (Cochran
    6.4), so ``relative_sd`` is that of (c − r·y) over mean(c). nan where no value is above 0.
    """
    share = float(values.mean()) if len(values) else 0.0
    if share == 0 or len(values) < 2:
        return Moments(math.nan, math.nan, len(values))
    ratio = float(costs.mean()) / share
    errors = costs - ratio * values
    return Moments(ratio, float(errors.std(ddof=1)) / abs(share), len(values), _kurtosis(errors))


def kurtosis_of_share(share: float) -> float:
    """Return the kurtosis of values of which that share are 1 and the others 0: 1/(p q) - 3."""
    spread = share * (1 - share)
    return 1 / spread - 3 if spread > 0 else NORMAL


def standard_error(sd: float, n: int, of: int | None = None) -> float:
    """Return the standard deviation of the mean of n items out of ``of``."""
    _require(n, of)
    return sd * math.sqrt(1 / n - (1 / of if of else 0.0))


def expected_absolute_error(sd: float, n: int, of: int | None = None) -> float:
    """Return the mean of |mean of n − mean of all|: sqrt(2/π) standard errors, as normal errors have."""
    return math.sqrt(2 / math.pi) * standard_error(sd, n, of)


def half_width(sd: float, n: int, of: int | None = None) -> float:
    """Return half the length of the normal interval of a mean."""
    return Z_95 * standard_error(sd, n, of)


def needed(half: float, sd: float, of: int | None = None) -> int:
    """Return the least n whose mean has the half-width ``half``: n₀/(1 + n₀/N), n₀ = (z·sd/half)².

    At least 1, at most N. Raises ``ValueError`` for a target that is not above 0 and for an unknown sd.
    """
    if not half > 0 or not math.isfinite(half):
        raise ValueError(f"a half-width is above 0, not {half}")
    if not sd >= 0 or not math.isfinite(sd):
        raise ValueError(f"a standard deviation is 0 or more, not {sd}")
    root = Z_95 * sd / half
    least = root * root
    if of is not None:
        # of a size beyond any float the population is all there is
        least = of if math.isinf(least) else least / (1 + least / of)
    # a whole number that rounding put a hair above itself stays it
    size = max(1, math.ceil(least * (1 - 1e-12)))
    return size if of is None else min(size, of)


def needed_for_proportion(half: float, share: float, of: int | None = None, gain: float = 1.0) -> int:
    """Return the least n that gives a share the half-width ``half``, by the normal formula and by Wilson's.

    The two differ near 0 and 1, where the first asks for next to nothing; the larger one counts. ``gain`` is
    how many times smaller prior knowledge of the items makes the variance.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"{share} is no proportion")
    lo = needed(half, math.sqrt(share * (1 - share) / gain), of)
    if half_width_of_share(share, lo, of, gain) <= half:
        return lo
    hi = lo
    while half_width_of_share(share, hi, of, gain) > half:
        if hi == of:
            return hi
        hi = 2 * hi if of is None else min(2 * hi, of)
    while hi - lo > 1:
        middle = (lo + hi) // 2
        lo, hi = (middle, hi) if half_width_of_share(share, middle, of, gain) > half else (lo, middle)
    return hi


def half_width_of_share(share: float, n: int, of: int | None = None, gain: float = 1.0) -> float:
    """Return half the length of Wilson's interval where that share of n items is right."""
    _require(n, of)
    return float(wilson_half_width(share * n, n, math.inf if of is None else of, gain=gain))


def _kurtosis(errors: Floats) -> float:
    square = float((errors**2).mean()) if len(errors) else 0.0
    return float((errors**4).mean()) / square**2 if square > 0 else NORMAL


def _require(n: int, of: int | None) -> None:
    if n < 1 or (of is not None and n > of):
        raise ValueError(f"{n} items of {'no end' if of is None else of} cannot be drawn")

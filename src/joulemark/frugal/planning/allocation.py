"""How many items of each part, of strata or of tasks: whole numbers within the sizes, that cost the least.

Source: J. Neyman (1934); W. Cochran, Sampling Techniques (1977), 5.5 (costs), 5.8 (parts asked in full).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.outcomes.outcomes import Floats
from joulemark.metrics.accuracy import Z_95

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Part:
    """A part: the ``weight`` of its mean in the whole, its deviation, its size, and what an item costs."""

    weight: float
    sd: float
    size: int
    cost: float = 1.0

    def __post_init__(self) -> None:
        if self.size < 1 or not self.sd >= 0 or not self.cost > 0 or not self.weight > 0:
            raise ValueError(f"{self} is no part: size 1 or more, a deviation, a cost and a weight above 0")


def least_for(half: float, parts: Sequence[Part]) -> list[int]:
    """Return the cheapest sizes that give Σ weight·mean the 95 % half-width ``half``.

    n_h ∝ weight·sd/√cost (Neyman, with costs), scaled so that Σ weight²·sd²·(1/n − 1/N) = (half/z)². A part
    that would need more than all of its items is asked in full, and the others share what is left. Rounded
    up, so that no part tells less than it should; at least one item each.
    """
    if not half > 0:
        raise ValueError(f"a half-width is above 0, not {half}")
    variance = (half / Z_95) ** 2
    sizes = [part.size for part in parts]
    free = [k for k, part in enumerate(parts) if part.sd > 0]
    found = [1.0] * len(parts)
    while free:
        total = math.fsum(parts[k].weight * parts[k].sd * math.sqrt(parts[k].cost) for k in free)
        known = math.fsum((parts[k].weight * parts[k].sd) ** 2 / parts[k].size for k in free)
        for k in free:
            part = parts[k]
            found[k] = part.weight * part.sd / math.sqrt(part.cost) * total / (variance + known)
        full = [k for k in free if found[k] >= sizes[k]]
        if not full:
            break
        for k in full:
            found[k] = float(sizes[k])
        free = [k for k in free if k not in full]
    return [min(size, max(1, math.ceil(n * (1 - 1e-12)))) for n, size in zip(found, sizes, strict=True)]


def reached(sizes: Sequence[int], parts: Sequence[Part]) -> float:
    """Return the half-width of Σ weight·mean with these many items of each part."""
    variance = math.fsum(
        (part.weight * part.sd) ** 2 * (1 / n - 1 / part.size) for n, part in zip(sizes, parts, strict=True)
    )
    return Z_95 * math.sqrt(max(variance, 0.0))


def shared(n: int, wishes: Floats, sizes: Whole, *, least: int = 1) -> Whole:
    """Share ``n`` items out in proportion to ``wishes``, between ``least`` and its size for each part.

    By largest remainders; a part smaller than ``least`` is asked in full. All parts get the same where no
    wish is above 0. Raises ``ValueError`` where n is less than that takes or more than there are.
    """
    floors = np.minimum(sizes, least)
    if not floors.sum() <= n <= sizes.sum():
        raise ValueError(f"{n} items cannot be shared: {floors.sum()} … {sizes.sum()} can")
    largest = float(wishes.max())
    # what nobody wishes for takes what no other part has room for
    wanted = np.maximum(wishes / largest, 1e-9) if largest > 0 else np.ones(len(sizes))
    low, high = 0.0, float(sizes.max() / wanted.min() + 1)
    for _ in range(100):  # the scale at which the clipped wishes add up to n
        middle = (low + high) / 2
        if np.clip(middle * wanted, floors, sizes).sum() < n:
            low = middle
        else:
            high = middle
    exact = np.clip(high * wanted, floors, sizes)
    given: Whole = np.floor(exact).astype(np.int64)
    left = n - int(given.sum())
    for place in np.argsort(given - exact, kind="stable")[: max(left, 0)]:
        given[place] += 1
    return given

"""The method applied to its own result, again and again, until the cut-offs no longer look normal.

Each step keeps a random part of the items that were left. As the cut-off is a constant, the sizes fall by
that constant; normality is lost when so few items are left that the cut-offs lie on a coarse grid, which is
nearly all that the test can see (`normality`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.published.cutoff import Cutoff, Progress, find_cutoff
from joulemark.frugal.published.loss import Loss, loss_at
from joulemark.frugal.published.method import Method
from joulemark.frugal.published.shuffles import StratifiedShuffles, ValueShuffles, shuffles_of
from joulemark.record.errors import InputError

REJECTED_BELOW = 0.05
_MAX_STEPS = 20
_FEWEST_ITEMS = 10


class Ended(StrEnum):
    """Why no further step was taken."""

    NOT_NORMAL = "normality rejected"
    NO_KNEE = "too few items for a knee"
    TOO_FEW = "fewer than 10 items left"


@dataclass(frozen=True, slots=True)
class Step:
    """One application: to ``n_items``, giving ``n_left``; the loss is against all the items there were."""

    n_items: int
    n_left: int
    fraction: float
    sd: float
    ks_p: float | None
    loss: Loss

    @property
    def rejected(self) -> bool:
        """Whether the cut-offs of this step no longer look normal."""
        return self.ks_p is not None and self.ks_p < REJECTED_BELOW


@dataclass(frozen=True, slots=True)
class SelfApplication:
    """The steps in order; the last one may be rejected, and the one before it is then the smallest size."""

    steps: tuple[Step, ...]
    ended: Ended


def apply_to_itself(
    outcomes: Outcomes,
    method: Method,
    *,
    stratify: bool = False,
    first: Cutoff | None = None,
    progress: Callable[[int, int], Progress | None] | None = None,
) -> SelfApplication:
    """Apply the method until normality is rejected. Exact throughout: the test needs it.

    ``first`` is an exact result on all items, where there is one. ``progress`` is told the step's number and
    its items and returns what is told of its shuffles.
    """
    method = replace(method, exact=True)
    domains = outcomes.domains if stratify else None
    whole = shuffles_of(outcomes.values, domains)
    values, names = outcomes.values, domains
    rng = np.random.default_rng([method.seed, 3])
    steps: list[Step] = []
    while len(steps) < _MAX_STEPS:
        if len(values) < _FEWEST_ITEMS:
            return SelfApplication(tuple(steps), Ended.TOO_FEW)
        try:
            told = progress(len(steps) + 1, len(values)) if progress is not None else None
            found = first if first is not None and not steps else None
            cutoff = found or find_cutoff(shuffles_of(values, names), method, told)
        except InputError:
            if not steps:
                raise
            return SelfApplication(tuple(steps), Ended.NO_KNEE)
        left = cutoff.n_items
        loss = loss_at(left, whole, outcomes, method.shuffles, method.seed)
        step = Step(len(values), left, cutoff.mean, cutoff.sd, cutoff.ks_p(), loss)
        steps.append(step)
        if step.rejected:
            return SelfApplication(tuple(steps), Ended.NOT_NORMAL)
        kept = _first_of_an_order(len(values), names, left, rng)
        values = values[kept]
        names = tuple(names[k] for k in kept) if names is not None else None
    return SelfApplication(tuple(steps), Ended.TOO_FEW)


def _first_of_an_order(
    n: int, domains: tuple[str, ...] | None, size: int, rng: np.random.Generator
) -> list[int]:
    places = np.arange(n, dtype=np.float64)
    source = ValueShuffles(places) if domains is None else StratifiedShuffles(places, domains)
    order = source.orders(1, rng)[0, :size]
    return [int(k) for k in order]

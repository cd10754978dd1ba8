"""What several models gave on the same items: prior knowledge about the items."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from joulemark.frugal.outcomes.outcomes import Floats


@dataclass(frozen=True, slots=True)
class OutcomeMatrix:
    """Models × items on one task.

    ``values`` (m, n), nan where a model has no outcome of an item; ``costs`` further matrices (m, n) by name
    with their units. ``item_ids`` and ``domains`` are (n,). ``column`` is what the archive calls the values.
    """

    name: str
    models: tuple[str, ...]
    values: Floats
    item_ids: tuple[str, ...]
    domains: tuple[str, ...] | None = None
    costs: dict[str, Floats] = field(default_factory=dict)
    column: str = "correct"

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Which models (m,) have an outcome of every item."""
        return np.asarray(np.isfinite(self.values).all(axis=1), dtype=np.bool_)

    def of_models(self, kept: NDArray[np.bool_] | NDArray[np.intp]) -> OutcomeMatrix:
        """Return the matrix of some models: a mask (m,) or their places."""
        places = np.arange(len(self.models))[kept].tolist()
        return replace(
            self,
            models=tuple(self.models[place] for place in places),
            values=self.values[places],
            costs={name: of[places] for name, of in self.costs.items()},
        )

    def without(self, place: int) -> OutcomeMatrix:
        """Return the matrix of the other models."""
        kept = np.ones(len(self.models), dtype=np.bool_)
        kept[place] = False
        return self.of_models(kept)

    def item_means(self) -> Floats:
        """Return the mean (n,) over models of what each item was given; nan where none has an outcome."""
        known = np.isfinite(self.values)
        counts = known.sum(axis=0)
        sums = np.where(known, self.values, 0.0).sum(axis=0)
        means: Floats = np.full(len(sums), np.nan)
        np.divide(sums, counts, out=means, where=counts > 0)
        return means

    @property
    def n_levels(self) -> int:
        """How many different means the items have: of m models that are right or wrong at most m + 1."""
        means = self.item_means()
        return len(np.unique(np.round(means[np.isfinite(means)], 9)))

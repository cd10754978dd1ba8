"""What every item of a task gave: the column that all of this room computes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Graded = Literal["right or wrong", "score"]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One model on one task, an entry an item, in the order of the file.

    ``values`` (n,) lie within ``low`` and ``high``, 0 and 1 where they say whether an answer was correct
    (`is_binary`); of an unbounded metric the bounds are the smallest and the largest value seen. ``domains``
    (n,) names the part of the task that an item belongs to, null where there are none. ``costs`` are further
    columns (n,) by name with their units (``e2el_s``, ``usd``, ``gco2e``, ``energy_j``, ``output_chars``),
    nan where an item has none; ``modelled`` are the names of those that are modelled and not measured.
    ``notes`` say what a reader should know: what was left out, and why a cost is not there. ``name`` is the
    model's where the file tells it, ``task`` the task's; ``n_items`` is how many there are where more are
    known of than were asked and these are a random part of them, as of a run that was stopped or had a limit.
    ``is_listed``: a list named the items, so they are no random ones of the task. ``n_whole`` is how many
    items the task has, null where nobody said.

    ``graded``: whether values say right or wrong (or are means of that), or how good an answer is; null where
    nothing tells, as of zeros and ones under the name ``score``, and of costs. ``unanswered`` are the items
    that were asked and have no outcome, by id, or by their row where there are no ids. ``of_run``: a run of
    ours, which knows what it asked; of another file an item that it lacks may have been dropped for its
    outcome. ``decided``: a decision ended the asking. ``warnings`` are to be read before any figure that is
    made of these: how a run was ended, where its answers had a part in that.
    """

    name: str
    metric: str
    values: Floats
    low: float = 0.0
    high: float = 1.0
    item_ids: tuple[str, ...] = ()
    domains: tuple[str, ...] | None = None
    costs: Mapping[str, Floats] = field(default_factory=dict)
    modelled: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    task: str | None = None
    n_items: int | None = None
    is_listed: bool = False
    n_whole: int | None = None
    graded: Graded | None = None
    unanswered: tuple[str, ...] = ()
    of_run: bool = False
    decided: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def is_binary(self) -> bool:
        """Whether each value is 0 or 1."""
        return bool(np.isin(self.values, (0.0, 1.0)).all())

    def __len__(self) -> int:
        return len(self.values)

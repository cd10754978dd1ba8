"""When to stop asking: the StopRule protocol. Other rooms register rules; this one only asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from joulemark.metrics.run_view import RunView
from joulemark.record.item import Item
from joulemark.record.manifest import StopRule as Facts

Question = tuple[Item, ...]
"""The repeats of one question, in order."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The longest run of questions from the first on of which every repeat is stored, in asking order.

    Never the order of completion: slow answers are long and hard ones, and would come last. ``of`` is how
    many questions the task has. ``metered`` gives the run so far with the energies of at least the first
    questions that it is given, null where the meters have yet to tell them.
    """

    questions: Sequence[Question]
    of: int
    metered: Callable[[int], RunView | None]


@dataclass(frozen=True, slots=True)
class StopDecision:
    """That asking ends after ``at`` questions, and the targets that were met last."""

    at: int
    binding: tuple[str, ...]


class StopRule(Protocol):
    """Is told of the questions in asking order and may end the run between two of them."""

    @property
    def facts(self) -> Facts:
        """The rule as the manifest names it."""
        ...

    @property
    def needs_energy(self) -> bool:
        """Whether it can never be met without a meter."""
        ...

    @property
    def next_look(self) -> int:
        """After how many finished questions it looks next."""
        ...

    def decide(self, finished: Finished) -> StopDecision | None:
        """Return a decision to stop, or null to go on; the same questions always lead to the same one."""
        ...

    def told(self) -> tuple[str, ...]:
        """Return in words what each target had come to at the last look, nothing before the first."""
        ...

"""When to stop asking: the StopRule protocol. Other rooms register rules; this one only asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from joulemark.record.manifest import StopFacts
from joulemark.runs.finished import Finished


@dataclass(frozen=True, slots=True)
class StopDecision:
    """That asking ends after ``at`` questions, and the targets that were met last."""

    at: int
    binding: tuple[str, ...]


class StopRule(Protocol):
    """Is told of the questions in asking order and may end the run between two of them."""

    @property
    def facts(self) -> StopFacts:
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

    def begin(self, n: int) -> None:
        """Look at nothing before ``n`` questions: so many had been asked when the rule was named."""
        ...

    def look_at_all(self, finished: Finished) -> None:
        """Look once more where everything was asked and nothing can be ended, for `told`."""
        ...

    @property
    def more(self) -> int | None:
        """About how many more questions it takes, null where that cannot be told."""
        ...

    @property
    def looked_at(self) -> int | None:
        """After how many questions it looked last, null before the first look."""
        ...

    def told(self) -> tuple[str, ...]:
        """Return in words what each target had come to at the last look, nothing before the first."""
        ...

"""When to stop asking: the StopRule protocol. Other rooms register rules; this one only asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from joulemark.record.item import Item


@dataclass(frozen=True, slots=True)
class StopDecision:
    """Why asking ends early: the rule's name and a sentence for the report."""

    rule: str
    why: str


class StopRule(Protocol):
    """Is told of the items in asking order and may end the run between two items."""

    def decide(self, items: Sequence[Item]) -> StopDecision | None:
        """Return a decision to stop, or null to go on."""
        ...

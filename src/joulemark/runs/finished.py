"""Which questions are finished in asking order, whatever the order in which their answers came."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from joulemark.metrics.run_view import RunView
from joulemark.record.item import Item

Repeats = tuple[Item, ...]
"""The answers to one question, one a repeat, in order."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The longest run of questions from the first on of which every repeat is stored, in asking order.

    Never the order of completion: slow answers are long and hard ones, and would come last. ``of`` is how
    many questions the task has. ``metered`` gives the run so far with the energies of at least the first
    questions that it is given, null where the meters have yet to tell them.
    """

    questions: Sequence[Repeats]
    of: int
    metered: Callable[[int], RunView | None]


class FinishedPrefix:
    """Takes in answers in any order; ``questions`` are the finished ones from the first on, without a gap."""

    def __init__(self, item_ids: Sequence[str], repeats: int) -> None:
        """``item_ids`` in asking order, each asked ``repeats`` times."""
        self._place = {item_id: place for place, item_id in enumerate(item_ids)}
        self._ids, self._repeats = item_ids, repeats
        self._waiting: dict[str, dict[int, Item]] = {}
        self.questions: list[Repeats] = []
        self.highest = 0  # one beyond the last place that any answer belongs to

    def add(self, items: Iterable[Item]) -> None:
        """Take in answers; one of a question or repeat that is not asked for is passed over."""
        for item in items:
            place = self._place.get(item.item_id)
            if place is not None and item.repeat < self._repeats:
                self._waiting.setdefault(item.item_id, {})[item.repeat] = item
                self.highest = max(self.highest, place + 1)
        while len(self.questions) < len(self._ids):
            answered = self._waiting.get(self._ids[len(self.questions)], {})
            if len(answered) < self._repeats:
                return
            self.questions.append(tuple(answered[repeat] for repeat in range(self._repeats)))
            del self._waiting[self._ids[len(self.questions) - 1]]

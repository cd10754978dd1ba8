"""Which answers a run still wants, in asking order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from joulemark.tasks.task import Question, TaskSet


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question to ask, with its place in the run."""

    question: Question
    index: int
    repeat: int


def wanted(task: TaskSet, repeats: int, done: Iterable[tuple[str, int]]) -> list[Wanted]:
    """Return what is left: repeat after repeat, so that slow drift of the machine spreads over items."""
    stored = set(done)
    return [
        Wanted(question, index, repeat)
        for repeat in range(repeats)
        for index, question in enumerate(task.questions)
        if (question.item_id, repeat) not in stored
    ]

"""Which answers a run still wants, in asking order, and which requests lead up to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, product

from joulemark.record.item import Phase
from joulemark.tasks.task import Question, TaskSet


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question to ask, with its place in the run.

    ``position`` numbers the conversations of a run (a question without turns is one by itself) from 0 in the
    order of asking; those of lead requests may be negative.
    """

    question: Question
    index: int
    repeat: int
    position: int = 0
    phase: Phase = Phase.MEASURE


Conversation = tuple[Wanted, ...]
"""What is asked turn by turn, each turn after the answer to the one before."""


def wanted(
    task: TaskSet,
    repeats: int,
    done: Iterable[tuple[str, int]],
    limit: int | None = None,
    together: int | None = None,
) -> list[Wanted]:
    """Return what is left of the first ``limit`` answers (null: of all).

    Repeat after repeat, so that slow drift of the machine spreads over items. ``together``: so many questions
    are asked in all their repeats before the next ones are begun, for a run that may end between them.
    """
    stored = set(done)
    sessions = _conversations_of(task)
    left: list[Wanted] = []
    n = 0
    for first in range(0, len(sessions), together or max(len(sessions), 1)):
        part = range(first, min(first + (together or len(sessions)), len(sessions)))
        for repeat, number in product(range(repeats), part):
            for index, question in sessions[number]:
                n += 1
                if limit is not None and n > limit:
                    return left
                if (question.item_id, repeat) not in stored:
                    left.append(Wanted(question, index, repeat, repeat * len(sessions) + number))
    return left


def lead_up(task: TaskSet, first: int, n: int) -> list[Wanted]:
    """Return at least ``n`` requests that come before position ``first`` and do not count.

    They are the conversations before it in the task's own order, begun anew from its end: what the engine
    would just have been asked, had it been asked for long.
    """
    sessions = _conversations_of(task)
    leads: list[Wanted] = []
    position = first
    while len(leads) < n:
        position -= 1
        # a question that leads up several times is told apart by its round, which counts from 1
        round_ = (first - 1 - position) // len(sessions) + 1
        leads[:0] = [
            Wanted(question, index, round_, position, Phase.WARMUP)
            for index, question in sessions[position % len(sessions)]
        ]
    return leads


def conversations(wanted: Sequence[Wanted]) -> list[Conversation]:
    """Return what is wanted as conversations, in order."""
    return [tuple(turns) for _, turns in groupby(wanted, key=lambda one: (one.phase, one.position))]


def _conversations_of(task: TaskSet) -> list[list[tuple[int, Question]]]:
    """Return the questions of a task with their indices, a list a conversation."""
    numbered = groupby(
        enumerate(task.questions), key=lambda pair: pair[0] if pair[1].session is None else pair[1].session
    )
    return [list(turns) for _, turns in numbered]

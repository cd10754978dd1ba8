"""From the answers of a run to the programs in them, each in the place that its evaluation gives it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from joulemark.code.evaluation.job import Answer
from joulemark.code.joined.extracted import program_in
from joulemark.code.problems.problem import Problem, program_id
from joulemark.record.errors import InputError
from joulemark.record.item import Item, ItemRow, Phase
from joulemark.tasks.references import ProblemReference, parse_problem_reference


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer of a run as its evaluation sees it: the ``sample``-th to its problem.

    ``source``: null where there is no program in it; ``rule``: where it was found. ``text`` is what was
    answered. An answer that waits for no grade (a failed request) is a sample without a
    program.
    """

    item: Item
    reference: ProblemReference
    sample: int
    source: str | None
    rule: str | None
    text: str

    @property
    def program(self) -> str | None:
        """SHA-256 of the source, in hex."""
        return None if self.source is None else program_id(self.source)


def submissions_of(rows: Iterable[ItemRow], problems: Mapping[str, Problem]) -> list[Submission]:
    """Return the answers that count, in an order that does not hang on when they were asked.

    ``rows`` as they were written, without later grades; ``problems`` by id. Raises `InputError` where the
    words of an answer are not there.
    """
    counted = [row for row in rows if row.item.phase == Phase.MEASURE]
    found: list[Submission] = []
    samples: dict[str, int] = {}
    for row in sorted(counted, key=lambda row: row.item.key):
        if row.texts is None or row.texts.gold is None:
            raise InputError(
                f"the answer to {row.item.item_id} cannot be graded",
                why="its words are not in this directory: they never leave the machine that asked",
                fix="grade where the run was made",
            )
        reference = parse_problem_reference(row.texts.gold)
        problem = problems.get(reference.problem)
        if problem is None:
            raise InputError(
                f"the answer to {row.item.item_id} cannot be graded",
                why=f"the run keeps no problem {reference.problem!r}",
                fix="restore problems.jsonl in the run's directory, or run again with --out DIR",
            )
        sample = samples.get(reference.problem, 0)
        samples[reference.problem] = sample + 1
        text = row.texts.answer
        source, rule = (None, None) if row.item.verdict is not None else program_in(text, problem)
        found.append(Submission(row.item, reference, sample, source, rule, text))
    return found


def answers_of(submissions: Iterable[Submission]) -> dict[str, list[Answer]]:
    """Return what an evaluation wants: each problem's samples with their sources."""
    found: dict[str, list[Answer]] = {}
    for one in submissions:
        found.setdefault(one.reference.problem, []).append(Answer(one.sample, one.source))
    return found


def problem_of(row: ItemRow) -> str | None:
    """Return the id of the problem that an answer that counts was asked for, null where it names none."""
    if row.item.phase != Phase.MEASURE or row.texts is None or row.texts.gold is None:
        return None
    try:
        return parse_problem_reference(row.texts.gold).problem
    except ValueError:
        return None

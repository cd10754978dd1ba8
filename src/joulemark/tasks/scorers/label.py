"""Words of a closed set as answers: Yes or No, valid or invalid."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.tasks.extract import Extraction, extract_label
from joulemark.tasks.scorers.grade import gold_of, grade
from joulemark.tasks.task import Question, Score


@dataclass(frozen=True, slots=True)
class LabelScorer:
    """Compares labels; the options are (label, text) pairs, and the reference is one of the labels."""

    def extract(self, question: Question, answer: str) -> Extraction:
        """Find the label that ``answer`` gives."""
        return extract_label(answer, question.options)

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a reference that is missing or none of the labels."""
        gold = gold_of(question).strip().casefold()
        if gold not in {label.casefold() for label in question.choices}:
            offered = ", ".join(question.choices) or "none"
            raise ValueError(
                f"{question.item_id}: the reference {question.gold!r} is no label (there are {offered})"
            )
        return grade(
            self.extract(question, answer),
            is_right=lambda value: value.casefold() == gold,
            finish_reason=finish_reason,
            refusal=refusal,
            answer=answer,
        )

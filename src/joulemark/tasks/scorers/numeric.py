"""Numbers as answers."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.tasks.extract import Extraction, extract_number
from joulemark.tasks.extract.number import parse_number
from joulemark.tasks.scorers.grade import gold_of, grade
from joulemark.tasks.task import Question, Score


@dataclass(frozen=True, slots=True)
class NumericScorer:
    """Compares numbers exactly, as rationals: 0.5, 1/2 and 50e-2 are one number; 33.33 is not 100/3."""

    def extract(self, question: Question, answer: str) -> Extraction:
        """Find the number that ``answer`` gives."""
        return extract_number(answer)

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without a numeric reference."""
        gold = parse_number(gold_of(question))
        if gold is None:
            raise ValueError(f"{question.item_id}: the reference answer {question.gold!r} is no number")
        return grade(
            self.extract(question, answer),
            is_right=lambda value: parse_number(value) == gold,
            finish_reason=finish_reason,
            refusal=refusal,
            answer=answer,
        )

"""Letters of offered options as answers."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.tasks.extract import Extraction, extract_choice
from joulemark.tasks.scorers.grade import gold_of, grade
from joulemark.tasks.task import Question, Score


@dataclass(frozen=True, slots=True)
class ChoiceScorer:
    """Compares letters; a reply in words is matched with the texts of the options."""

    lettered = True

    def extract(self, question: Question, answer: str) -> Extraction:
        """Find the letter that ``answer`` gives."""
        return extract_choice(answer, question.choices, dict(question.options))

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without a reference."""
        gold = gold_of(question)
        return grade(
            self.extract(question, answer),
            is_right=lambda value: value == gold,
            finish_reason=finish_reason,
            refusal=refusal,
            answer=answer,
        )

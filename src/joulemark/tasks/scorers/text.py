"""Short texts as answers."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.tasks.extract import Extraction, extract_short_text
from joulemark.tasks.extract.short import same_text
from joulemark.tasks.scorers.grade import gold_of, grade
from joulemark.tasks.task import Question, Score

ACCEPTED_SEPARATOR = "|"


@dataclass(frozen=True, slots=True)
class TextScorer:
    """Compares short texts without case, quotes and article; ``gold`` lists accepted forms split by ``|``."""

    def extract(self, question: Question, answer: str) -> Extraction:
        """Find the short text that ``answer`` gives."""
        return extract_short_text(answer)

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without a reference."""
        accepted = {same_text(form) for form in gold_of(question).split(ACCEPTED_SEPARATOR)}
        return grade(
            self.extract(question, answer),
            is_right=lambda value: same_text(value) in accepted,
            finish_reason=finish_reason,
            refusal=refusal,
            answer=answer,
        )

"""One scorer for tasks whose questions are of several kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.tasks.task import Question, Score, Scorer


@dataclass(frozen=True, slots=True)
class KindScorer:
    """Grades each question by the scorer of its kind, for tasks of several kinds."""

    by_kind: Mapping[str, Scorer]

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a kind without a scorer."""
        scorer = self.by_kind.get(question.kind)
        if scorer is None:
            raise ValueError(f"{question.item_id}: no scorer for questions of kind {question.kind!r}")
        return scorer.score(question, answer, finish_reason=finish_reason, refusal=refusal)

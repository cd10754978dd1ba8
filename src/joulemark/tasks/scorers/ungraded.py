"""Requests without a right answer: chat, and prompts made up to load an engine."""

from __future__ import annotations

from joulemark.tasks.task import Question, Score

UNGRADED = "ungraded"
"""The kind of questions whose answers are not graded."""


class UngradedScorer:
    """Gives no verdict and no score, whatever the answer."""

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Return a score without anything in it."""
        return Score(None, None, None, None, None, None)

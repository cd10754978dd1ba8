"""Questions whose answers are programs: they are judged by running them, after all were asked.

Never between requests: a program that runs beside the engine draws energy that the answers would be charged.
"""

from __future__ import annotations

from joulemark.record.item import Verdict
from joulemark.tasks.references import parse_problem_reference
from joulemark.tasks.scorers.grade import REFUSING, gold_of
from joulemark.tasks.task import Question, Score

CODE = "code"
"""The kind of questions whose answers are programs."""
LATER = "later"
"""The rule of a score that is still to come; no grade has it."""


class LaterScorer:
    """Puts the verdict off: `Score` without one, by the rule `LATER`.

    What only the engine knows is decided at once: its refusal, or a filter that stopped the answer.
    """

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Return a score that is to come; raises ``ValueError`` for a question that names no problem."""
        parse_problem_reference(gold_of(question))
        if refusal or (finish_reason or "").lower() in REFUSING:
            return Score(Verdict.REFUSED, False, 0.0, None, None, None)
        return Score(None, None, None, None, LATER, None)

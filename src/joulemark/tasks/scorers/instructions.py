"""Instructions that a program can verify, as in IFEval."""

from __future__ import annotations

from dataclasses import dataclass

from joulemark.record.item import Verdict
from joulemark.tasks.instructions import followed, parse_instructions
from joulemark.tasks.scorers.grade import gold_of
from joulemark.tasks.scorers.whole_reply import whole_reply
from joulemark.tasks.task import Question, Score

RULE = "instructions"


@dataclass(frozen=True, slots=True)
class InstructionsScorer:
    """Correct where every instruction of the prompt is followed (the publication's strict prompt accuracy).

    ``value`` says how many of how many were ("2/3"). A reply that was cut is ``truncated`` all the same.
    """

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without fit instructions."""
        instructions = parse_instructions(gold_of(question))
        reply = whole_reply(answer, finish_reason=finish_reason, refusal=refusal)
        if reply.verdict is not None:
            return Score(reply.verdict, False, 0.0, None, None, None)
        results = followed(instructions, reply.text)
        verdict = Verdict.CORRECT if all(results) else Verdict.WRONG
        return Score(
            verdict,
            all(results),
            float(all(results)),
            f"{sum(results)}/{len(results)}",
            RULE,
            reply.span,
        )

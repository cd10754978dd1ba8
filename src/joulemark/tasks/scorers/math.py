"""Mathematical answers in LaTeX or plain text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from joulemark.tasks.extract import Extraction, extract_formula
from joulemark.tasks.scorers.algebra import canonical_form, readings, same_answer, squashed
from joulemark.tasks.scorers.grade import gold_of, grade
from joulemark.tasks.task import Question, Score


@lru_cache(maxsize=4096)
def same_formula(gold: str, reply: str) -> bool:
    """Tell whether two answers are one: as texts, else by their values; never raises."""
    form = squashed(gold)
    if form and form == squashed(reply):
        return True
    golds = readings(gold)
    return any(same_answer(left, right) for right in readings(reply) for left in golds)


def _canonical(found: Extraction) -> Extraction:
    return found if found.value is None else replace(found, value=canonical_form(found.value))


@dataclass(frozen=True, slots=True)
class MathScorer:
    """Compares by value: numbers exactly, roots and π to 48 digits, formulas at several points.

    Tuples and intervals are compared item by item, sets and lists in any order, equations by their solutions
    (``x = 5`` is 5). Units may be left out. Rounded decimals are wrong: 0.33 is not 1/3.
    """

    def extract(self, question: Question, answer: str) -> Extraction:
        """Find the formula that ``answer`` gives; its value is the canonical form."""
        return _canonical(extract_formula(answer))

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without a reference."""
        gold = gold_of(question)
        found = extract_formula(answer)
        written = found.value or ""
        return grade(
            _canonical(found),
            is_right=lambda _: same_formula(gold, written),
            finish_reason=finish_reason,
            refusal=refusal,
            answer=answer,
        )

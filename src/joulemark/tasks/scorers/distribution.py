"""Survey questions: how near the chosen option is to what people answered."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from joulemark.record.item import Verdict
from joulemark.tasks.extract import extract_choice
from joulemark.tasks.scorers.grade import gold_of, grade
from joulemark.tasks.task import Question, Score


@dataclass(frozen=True, slots=True)
class HumanAnswers:
    """What people answered: shares (they sum to 1) and positions of the options on their scale, by letter."""

    shares: Mapping[str, float]
    positions: Mapping[str, float]

    def representativeness(self, letter: str) -> float:
        """Return 1 − W1/range of one answer, in [0, 1].

        W1 is the Wasserstein distance between all weight on ``letter`` and the human distribution, which is
        then the mean distance to it; range is the distance between the outermost options (Santurkar et al.
        2023, "Whose Opinions Do Language Models Reflect?", arXiv 2303.17548, for a single answer).
        """
        at = self.positions[letter]
        distance = math.fsum(share * abs(self.positions[key] - at) for key, share in self.shares.items())
        places = self.positions.values()
        return min(1.0, max(0.0, 1 - distance / (max(places) - min(places))))


@lru_cache(maxsize=2048)
def human_answers(gold: str) -> HumanAnswers:
    """Read the reference of a survey question; raises ``ValueError`` where it is unfit.

    It is JSON: the shares (or weights) of the options by letter, ``{"A": 0.31, "B": 0.40, …}``, refusals left
    out, the options one step apart in the order given; or ``{"shares": {…}, "positions": {…}}`` where the
    scale is another (a middle option that is listed last). All weight in one place of the scale, or options
    without an order, give no distance and are unfit.
    """
    stated = json.loads(gold)
    if not isinstance(stated, dict):
        raise ValueError("the human answers must be a JSON object of shares by letter")
    if stated.keys() == {"shares", "positions"}:
        weights, positions = _numbers(stated["shares"]), _numbers(stated["positions"])
    else:
        weights = _numbers(stated)
        positions = {letter: float(place) for place, letter in enumerate(weights)}
    total = math.fsum(weights.values())
    if weights.keys() != positions.keys() or min(weights.values()) < 0 or not 0 < total < math.inf:
        raise ValueError("human answers need a share of at least 0 and a position for each option")
    if len(set(positions.values())) < 2:
        raise ValueError("human answers need at least two positions on the scale")
    return HumanAnswers({letter: weight / total for letter, weight in weights.items()}, positions)


def _numbers(stated: object) -> dict[str, float]:
    numbers = stated.items() if isinstance(stated, dict) else ()
    found = {
        str(letter): float(number)
        for letter, number in numbers
        if isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
    }
    if not found or len(found) != len(numbers):
        raise ValueError("human answers must be numbers by letter")
    return found


@dataclass(frozen=True, slots=True)
class DistributionScorer:
    """Representativeness of the chosen option as a real-valued score; ``correct`` is null.

    The verdict is null where an option was chosen. Otherwise there is no opinion to compare, so the score is
    null and the verdict says why; an offered option without a human share ("Refused") is ``refused`` too.
    """

    score_range = (0.0, 1.0)
    lettered = True

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without fit human answers."""
        people = human_answers(gold_of(question))
        if not people.shares.keys() <= set(question.choices):
            raise ValueError(f"{question.item_id}: shares are stated for options that are not offered")
        graded = grade(
            extract_choice(answer, question.choices, dict(question.options)),
            is_right=lambda letter: letter in people.shares,
            finish_reason=finish_reason,
            refusal=refusal,
            answer=answer,
        )
        if graded.verdict is Verdict.CORRECT and graded.value is not None:
            return replace(graded, verdict=None, correct=None, score=people.representativeness(graded.value))
        verdict = Verdict.REFUSED if graded.verdict is Verdict.WRONG else graded.verdict
        return Score(verdict, None, None, None, None, None)

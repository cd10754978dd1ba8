"""From a reply to one of six verdicts.

``failed`` is the runner's (there is no reply). Otherwise, in this order:

1. ``refused``: the engine flagged a refusal or its filter stopped the answer.
2. ``truncated``: the token limit cut the reply before an answer was *marked* (by a strong rule: JSON, box,
   ``####``, "the answer is"), or right behind the marked answer, which may itself be cut ("12" of "125"); or
   thinking was never closed and no marked answer stands before it. A marked answer before the cut counts: the
   model had finished.
3. ``unparsed``: no answer was found. It is neither wrong nor right, and counts against accuracy all the same.
4. ``correct`` or ``wrong``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from joulemark.record.item import Verdict
from joulemark.tasks.extract import Extraction, extract_choice, extract_number, extract_short_text
from joulemark.tasks.extract.number import parse_number
from joulemark.tasks.extract.short import same_text
from joulemark.tasks.task import Question, Score, Scorer

TRUNCATING = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
REFUSING = frozenset({"content_filter", "refusal", "safety"})
ACCEPTED_SEPARATOR = "|"


def _gold(question: Question) -> str:
    if question.gold is None:
        raise ValueError(f"{question.item_id} has no reference answer, so it cannot be graded")
    return question.gold


def grade(
    found: Extraction, *, is_right: Callable[[str], bool], finish_reason: str | None, refusal: bool
) -> Score:
    """Turn an extraction into a score; ``is_right`` compares its value with the reference answer."""
    reason = (finish_reason or "").lower()
    is_certain = found.is_strong and not (reason in TRUNCATING and found.at_end)
    if refusal or reason in REFUSING:
        verdict = Verdict.REFUSED
    elif (reason in TRUNCATING or found.open_thinking) and not is_certain:
        verdict = Verdict.TRUNCATED
    elif found.value is None:
        verdict = Verdict.UNPARSED
    else:
        verdict = Verdict.CORRECT if is_right(found.value) else Verdict.WRONG
    is_graded = verdict in (Verdict.CORRECT, Verdict.WRONG)
    correct = verdict is Verdict.CORRECT
    return Score(
        verdict,
        correct,
        float(correct),
        found.value if is_graded else None,
        found.rule if is_graded else None,
        found.span if is_graded else None,
    )


@dataclass(frozen=True, slots=True)
class NumericScorer:
    """Compares numbers exactly, as rationals: 0.5, 1/2 and 50e-2 are one number; 33.33 is not 100/3."""

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without a numeric reference."""
        gold = parse_number(_gold(question))
        if gold is None:
            raise ValueError(f"{question.item_id}: the reference answer {question.gold!r} is no number")
        return grade(
            extract_number(answer),
            is_right=lambda value: parse_number(value) == gold,
            finish_reason=finish_reason,
            refusal=refusal,
        )


@dataclass(frozen=True, slots=True)
class ChoiceScorer:
    """Compares letters. ``options`` maps an item's id to its option texts by letter, for replies in words."""

    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without a reference."""
        gold = _gold(question)
        return grade(
            extract_choice(answer, question.choices, self.options.get(question.item_id)),
            is_right=lambda value: value == gold,
            finish_reason=finish_reason,
            refusal=refusal,
        )


@dataclass(frozen=True, slots=True)
class TextScorer:
    """Compares short texts without case, quotes and article; ``gold`` lists accepted forms split by ``|``."""

    def score(self, question: Question, answer: str, *, finish_reason: str | None, refusal: bool) -> Score:
        """Grade ``answer``; raises ``ValueError`` for a question without a reference."""
        accepted = {same_text(form) for form in _gold(question).split(ACCEPTED_SEPARATOR)}
        return grade(
            extract_short_text(answer),
            is_right=lambda value: same_text(value) in accepted,
            finish_reason=finish_reason,
            refusal=refusal,
        )


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

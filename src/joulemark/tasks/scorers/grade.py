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

from collections.abc import Callable

from joulemark.record.item import Verdict
from joulemark.tasks.extract import Extraction
from joulemark.tasks.task import Question, Score

TRUNCATING = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
REFUSING = frozenset({"content_filter", "refusal", "safety"})


def gold_of(question: Question) -> str:
    """Return the reference answer; raises ``ValueError`` where the question has none."""
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

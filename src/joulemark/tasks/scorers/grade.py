"""From a reply to one of six verdicts.

``failed`` is the runner's (there is no reply, so it has no score). Otherwise, in this order:

1. ``refused``: the engine flagged a refusal or its filter stopped the answer.
2. ``correct`` or ``wrong`` where the reply *marks* its answer (a strong rule: JSON, box, ``####``, "the
   answer is"), whatever else it says: a model that refuses and then answers has answered. A marked answer
   before the token limit's cut counts, unless the cut is right behind it and may have cut it too ("12" of
   "125").
3. ``truncated``: the token limit cut the reply, or thinking was never closed. What was cut off may have held
   the answer, so this goes before what the rest looks like.
4. ``refused``: the reply opens with a refusal in words (English only, see `extract.refusal`).
5. ``unparsed``: no answer was found. It is neither wrong nor right, and counts against accuracy all the same.
6. ``correct`` or ``wrong`` by a weak rule.
"""

from __future__ import annotations

from collections.abc import Callable

from joulemark.record.item import Verdict
from joulemark.tasks.extract import Extraction, refuses
from joulemark.tasks.task import Question, Score

TRUNCATING = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
REFUSING = frozenset({"content_filter", "refusal", "safety"})


def gold_of(question: Question) -> str:
    """Return the reference answer; raises ``ValueError`` where the question has none."""
    if question.gold is None:
        raise ValueError(f"{question.item_id} has no reference answer, so it cannot be graded")
    return question.gold


def grade(
    found: Extraction,
    *,
    is_right: Callable[[str], bool],
    finish_reason: str | None,
    refusal: bool,
    answer: str = "",
) -> Score:
    """Turn an extraction into a score; ``is_right`` compares its value with the reference answer.

    ``answer`` is the reply that ``found`` was found in, looked at for a refusal in words.
    """
    reason = (finish_reason or "").lower()
    is_certain = found.is_strong and not (reason in TRUNCATING and found.at_end)
    if refusal or reason in REFUSING:
        verdict = Verdict.REFUSED
    elif (reason in TRUNCATING or found.open_thinking) and not is_certain:
        verdict = Verdict.TRUNCATED
    elif not found.is_strong and refuses(answer):
        verdict = Verdict.REFUSED
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

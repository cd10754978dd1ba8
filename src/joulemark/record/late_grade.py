"""The grade of an answer that is judged after all were asked: a program, by running it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from joulemark.record.item import Item, Verdict
from joulemark.record.reason import Reason

_PLACES = ("verdict", "correct", "score", "rule")


@dataclass(frozen=True, slots=True)
class LateGrade:
    """What became of one answer; a line of ``grades.jsonl``.

    ``verdict`` is null where the problem itself could not judge; ``correct`` and ``score`` follow from it.
    ``rule``: how the program was found in the answer; ``outcome``: how its run ended, a word of `Outcome`.
    ``answer_commitment`` is that of the item: a grade counts for this answer and no other. ``problem`` and
    ``program``: SHA-256 (hex) of what judged and of the source that was run, null for none; ``evaluation``
    names the evaluation that says so. No words of the answer are in it.
    """

    item_id: str
    repeat: int
    verdict: Verdict | None
    rule: str | None
    answer_commitment: str
    problem: str
    program: str | None = None
    outcome: str | None = None
    evaluation: str | None = None

    def __post_init__(self) -> None:
        if self.verdict is Verdict.FAILED:
            raise ValueError("a failed request has no answer to grade")
        if self.verdict in (Verdict.CORRECT, Verdict.WRONG) and self.program is None:
            raise ValueError("no program was run, so it is neither correct nor wrong")

    @property
    def key(self) -> tuple[str, int]:
        """The key of the item that it grades."""
        return self.item_id, self.repeat

    @property
    def correct(self) -> bool | None:
        """Whether the answer was correct, null where nobody can say."""
        return None if self.verdict is None else self.verdict is Verdict.CORRECT

    @property
    def score(self) -> float | None:
        """1 for correct and 0 otherwise, as of every graded answer."""
        return None if self.correct is None else float(self.correct)

    def is_of(self, item: Item) -> bool:
        """Tell whether it grades this item's answer, and the item waits for a grade."""
        waits = item.verdict is None and item.reasons.get("verdict") == Reason.GRADED_LATER
        return waits and item.key == self.key and item.answer_commitment == self.answer_commitment

    def put_on(self, item: Item) -> Item:
        """Return the item with this grade; each null keeps a reason."""
        reasons = {name: why for name, why in item.reasons.items() if name not in (*_PLACES, "span")}
        reasons["span"] = Reason.NOT_APPLICABLE.value
        if self.verdict is None:
            reasons |= dict.fromkeys(_PLACES[:-1], Reason.NO_GOLD.value)
        if self.rule is None:
            reasons["rule"] = Reason.NO_ANSWER.value
        return replace(
            item,
            verdict=self.verdict,
            correct=self.correct,
            score=self.score,
            rule=self.rule,
            reasons=reasons,
        )

"""A rule that ends a run as soon as it is decided against a reference: better, worse, or a tie."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from joulemark.frugal.paired.decision import Decider, Decision, Question
from joulemark.frugal.paired.reference import Reference
from joulemark.frugal.paired.run_answers import value_of
from joulemark.record.manifest import StopRule as Facts
from joulemark.runs.stop import Finished, StopDecision
from joulemark.runs.stop import Question as Asked

LEAST, EVERY = 10, 5


@dataclass(slots=True)
class DecidedAgainst:
    """Ends the asking when the run (B) and the reference (A) are told apart or are a tie.

    Questions come in the run's own keyed order, so the reference may have been asked in any; those that it
    has no outcome of are left out. An item that was repeated counts once, with its mean.
    ``score_range`` is that of the run's task, null of right and wrong.
    """

    reference: Reference
    score_range: tuple[float, float] | None = None
    question: Question = field(default_factory=Question)
    left_out: int = 0
    _taken: int = 0
    _at: list[int] = field(default_factory=list)
    _decider: Decider | None = None

    @property
    def text(self) -> str:
        """The rule in the one way that it is kept in a record."""
        return f"decided against {self.reference.name} (tie {_width(self.question, self.reference)})"

    @property
    def facts(self) -> Facts:
        """The rule as the manifest names it."""
        return Facts(targets=[self.text], least=LEAST, every=EVERY)

    @property
    def needs_energy(self) -> bool:
        """It never rests on a meter."""
        return False

    @property
    def next_look(self) -> int:
        """After how many finished questions it looks next."""
        return LEAST if self._taken < LEAST else self._taken + EVERY

    def decide(self, finished: Finished) -> StopDecision | None:
        """Take the questions that are new, and return the decision to stop, null to go on."""
        decider = self._decider or self._first_look(finished)
        differences = []
        for place, asked in enumerate(finished.questions[self._taken :], start=self._taken + 1):
            ours, theirs = (
                _mean(asked, real=self.score_range is not None),
                self.reference.values.get(asked[0].item_id),
            )
            if ours is None or theirs is None:
                self.left_out += 1
                continue
            differences.append(ours - theirs)
            self._at.append(place)
        self._taken = len(finished.questions)
        found = decider.feed(np.array(differences, np.float64))
        if found is None:
            return None
        return StopDecision(self._at[found.n - 1], (self.text,))

    def told(self) -> tuple[str, ...]:
        """Return in words how far it is, nothing before its first look."""
        if self._decider is None:
            return ()
        now = self._decider.now()
        if now.difference is None:
            return (f"none of {self._taken} questions has an outcome in {self.reference.name}",)
        return (self._told(now),)

    def _first_look(self, finished: Finished) -> Decider:
        reference = self.reference
        repeated = any(len(asked) > 1 for asked in finished.questions)
        low, high = self.score_range or (0.0, 1.0)
        span = max(high, reference.high) - min(low, reference.low)
        real = reference.real or repeated or self.score_range is not None
        question = replace(self.question, span=span, real=real)
        self._decider = Decider(min(finished.of, reference.n_items), question)
        return self._decider

    def _told(self, found: Decision) -> str:
        unit = 1.0 if self.reference.real else 100.0
        by = f"{unit * abs(found.difference or 0.0):.3g}{'' if self.reference.real else ' pp'}"
        name = self.reference.name
        if found.kind == "tie":
            return f"a tie with {name} after {found.n} questions"
        side = "better" if (found.difference or 0.0) > 0 else "worse"
        e_value = f"e-value {np.exp(min(found.log_e, 700.0)):.3g}"
        if found.kind == "winner":
            return f"{side} than {name} by {by} of {found.n} questions ({e_value})"
        return f"not decided against {name}: {by} {side} after {found.n} questions ({e_value})"


def _width(question: Question, reference: Reference) -> str:
    return f"±{question.epsilon:g}" if reference.real else f"±{100 * question.epsilon:g}pp"


def _mean(asked: Asked, *, real: bool) -> float | None:
    values = [value for item in asked if (value := value_of(item, real=real)) is not None]
    return sum(values) / len(values) if values else None

"""A rule that ends a run as soon as it is decided against a reference: better, worse, or a tie."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from joulemark.frugal.paired.decision import Decider, PairedTest, PairVerdict
from joulemark.frugal.paired.reference import Reference, questions_of_both
from joulemark.frugal.paired.refusals import refusals_of_two
from joulemark.metrics.item_value import item_value
from joulemark.record.manifest import StopFacts
from joulemark.runs.finished import Finished
from joulemark.runs.stop import StopDecision

LEAST, EVERY = 10, 5


@dataclass(slots=True)
class DecidedAgainst:
    """Ends the asking when the run (B) and the reference (A) are told apart or are a tie.

    Questions come in the run's own keyed order, so the reference may have been asked in any; those that it
    has no outcome of are left out. An item that was repeated counts once, with its mean.
    ``score_range`` is that of the run's task, null of right and wrong. ``shared``: of how many questions of
    the task the reference has an outcome, null where nobody knows; after the last of them the asking ends.
    ``drawn_from``: how many questions those of the run are a random part of, null: of themselves.
    """

    reference: Reference
    score_range: tuple[float, float] | None = None
    question: PairedTest = field(default_factory=PairedTest)
    shared: int | None = None
    drawn_from: int | None = None
    left_out: int = 0
    _lacked: list[int] = field(default_factory=lambda: [0, 0])
    _lost: list[float] = field(default_factory=lambda: [0.0, 0.0])
    _taken: int = 0
    _shared: int = 0
    _at: list[int] = field(default_factory=list)
    _decider: Decider | None = None

    @property
    def text(self) -> str:
        """The rule in the one way that it is kept in a record."""
        return f"decided against {self.reference.name} (tie {self._width})"

    @property
    def _width(self) -> str:
        epsilon = self.question.epsilon
        return f"±{100 * epsilon:g}pp" if self.score_range is None else f"±{epsilon:g}"

    @property
    def facts(self) -> StopFacts:
        """The rule as the manifest names it."""
        return StopFacts(targets=[self.text], least=LEAST, every=EVERY)

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
            ours = item_value(asked, real=self.score_range is not None)
            theirs = self.reference.values.get(asked[0].item_id)
            self._shared += theirs is not None
            if ours is None or theirs is None:
                self.left_out += 1
                self._lose(asked[0].item_id, theirs, ours)
                continue
            differences.append(ours - theirs)
            self._at.append(place)
        self._taken = len(finished.questions)
        found = decider.feed(np.array(differences, np.float64))
        if found is not None and self._stands(found):
            # what took a refusal to be made up for is known no sooner than that is
            at = self._taken if self._lacked != [0, 0] else self._at[found.n - 1]
            return StopDecision(at, (self.text,))
        # what is left is asked of no use: the reference knows none of it
        exhausted = self.shared is not None and self._shared >= self.shared
        return StopDecision(self._taken, (self.text,)) if exhausted else None

    def begin(self, n: int) -> None:
        """It holds at any look, so it may look at what was asked before it was named as well."""

    def look_at_all(self, finished: Finished) -> None:
        """Take in what came since the last look, for `told`."""
        if len(finished.questions) > self._taken:
            self.decide(finished)

    @property
    def more(self) -> int | None:
        """It cannot tell."""
        return None

    @property
    def looked_at(self) -> int | None:
        """After how many questions it looked last, null before the first look."""
        return self._taken or None

    def told(self) -> tuple[str, ...]:
        """Return in words how far it is, nothing before its first look."""
        if self._decider is None:
            return ()
        now = self._decider.now()
        if now.difference is None:
            return (f"none of {self._taken} questions has an outcome in {self.reference.shown}",)
        # the run's own list is told by its report
        of = (
            ", on questions that a list named (`--items`): nothing of others"
            if self.reference.is_listed
            else ""
        )
        return (f"{self._told(now)}{of}",)

    def _lose(self, item_id: str, theirs: float | None, ours: float | None) -> None:
        """Note what the side that was asked a question and has no outcome of it would have lost at most."""
        low = min((self.score_range or (0.0, 1.0))[0], self.reference.low)
        if theirs is None and ours is not None and item_id in self.reference.unanswered:
            self._lacked[0] += 1
            self._lost[0] += ours - low
        elif ours is None and theirs is not None:
            self._lacked[1] += 1
            self._lost[1] += theirs - low

    def _stands(self, found: PairVerdict) -> bool:
        """Tell whether a decision holds if what a side has no outcome of counts as not right."""
        assert self._decider is not None
        x = self._decider.differences
        lacked, lost = (self._lacked[0], self._lacked[1]), (self._lost[0], self._lost[1])
        refusals = refusals_of_two(float(x.sum()), len(x), lacked, lost)
        return refusals is None or refusals.holds(found, self.question.epsilon)

    def _first_look(self, finished: Finished) -> Decider:
        reference = self.reference
        repeated = any(len(asked) > 1 for asked in finished.questions)
        means = any(value not in (0.0, 1.0) for value in reference.values.values())
        low, high = self.score_range or (0.0, 1.0)
        span = max(high, reference.high) - min(low, reference.low)
        real = reference.real or means or repeated or self.score_range is not None
        question = replace(self.question, span=span, real=real)
        of = questions_of_both(
            finished.of, reference.n_items, self.drawn_from or finished.of, reference.n_drawn_from
        )
        self._decider = Decider(of, question)
        return self._decider

    def _told(self, found: PairVerdict) -> str:
        scored = self.score_range is not None
        by = f"{(1.0 if scored else 100.0) * abs(found.difference or 0.0):.3g}{'' if scored else ' pp'}"
        name, asked = self.reference.shown, f"{found.n:,} of {found.n_items:,} questions"
        if not self._stands(found):
            lacked = sum(self._lacked)
            return f"not decided against {name}: it hangs on {lacked:,} questions that one has no outcome of"
        if found.kind == "tie":
            return f"a tie with {name} after {asked}"
        side = "better" if (found.difference or 0.0) > 0 else "worse"
        e_value = f"e-value {np.exp(min(found.log_e, 700.0)):.3g}"
        if found.kind == "winner":
            return f"{side} than {name} by {by} after {asked} ({e_value})"
        told = f"not decided against {name}: {by} {side} after {asked} ({e_value})"
        known, of = len(self.reference.values), max(self.reference.n_items, found.n_items)
        if self.shared is None or self._shared < self.shared or known >= of:
            return told
        return f"{told}; {name} has outcomes of {known:,} of {of:,} questions, and no more"

"""Two runs, finished or growing, read side by side in the order of asking until it is decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from joulemark.frugal.paired.decision import Decider, PairedTest
from joulemark.frugal.paired.reference import questions_of_both
from joulemark.frugal.paired.refusals import Refusals, refusals_of_two
from joulemark.frugal.paired.run_answers import Answer, RunAnswers
from joulemark.frugal.paired.streamed import Order, Streamed
from joulemark.frugal.paired.tie_width import require_narrow
from joulemark.record.errors import InputError
from joulemark.tasks.subset import DEFAULT_KEY, permuted


class Follower:
    """Reads two runs in the order in which they ask, never in that in which answers came.

    An item counts when both runs have answered it and every item before it. Of runs that ask in two orders a
    finished one is looked up by item, in the order of the other; of two finished ones the order is made anew.
    Items without an outcome in one of them are left out; as long as a run grows, the number of items is that
    which it is to ask, or with limits that of the task (`questions_of_both`). Raises `InputError` where the
    two cannot be paired.
    """

    def __init__(self, a: RunAnswers, b: RunAnswers, question: PairedTest) -> None:
        self._a, self._b = a, b
        for run in (a, b):
            run.poll()
        _require_alike(a, b)
        self._same_order = a.order is not None and a.order == b.order and _of_one_list(a, b)
        self._lead, self._other = (a, b) if b.over else (b, a)
        if not self._same_order and not (self._other.over and (self._lead.over or self._lead.order)):
            raise InputError(
                "these runs ask in two orders",
                why="and are still growing: what both have answered is no random part of the task",
                fix="wait until one is done, or ask both with the same --subset-key (and --nonce)",
            )
        ranges = [run.manifest.task.score_range or (0.0, 1.0) for run in (a, b)]
        span = max(high for _, high in ranges) - min(low for low, _ in ranges)
        self._question = replace(question, real=a.real or a.repeated or b.repeated, span=span)
        self._range = (min(low for low, _ in ranges), max(high for _, high in ranges))
        require_narrow(question.epsilon, span, scored=a.real)
        self._left_out = [0, 0]
        self._lacked, self._lost = [0, 0], [0.0, 0.0]
        self._gone = 0
        self._next = 0
        self._decider: Decider | None = None

    @property
    def n_read(self) -> int:
        """How many items were read of both."""
        return len(self._decider.differences) if self._decider else 0

    @property
    def growing(self) -> bool:
        """Whether a run is still being written."""
        return not (self._a.over and self._b.over)

    @property
    def ended(self) -> bool:
        """Whether it is decided, or nothing more will come."""
        if not self.growing or (self._decider and self._decider.decision and self._stands()):
            return True
        # a run that is over has no more answers to the places that come next
        runs = (self._a, self._b) if self._same_order else (self._lead,)
        return any(run.over and self._next >= len(run.prefix) for run in runs)

    def advance(self) -> None:
        """Read what was added, and decide if that is possible."""
        for run in (self._a, self._b):
            run.poll()
        if self._same_order and self._a.order != self._b.order:
            raise _unpaired("the questions of one do not come in the order of its key", "measure it again")
        found = np.array(list(self._differences()))
        if self._decider is None:
            n_items = questions_of_both(
                self._a.n_items, self._b.n_items, self._a.n_drawn_from, self._b.n_drawn_from
            )
            if not self.growing:
                # what has no outcome is known by now, and is no part of the items that are compared
                n_items = max(len(found), n_items - self._gone)
            self._decider = Decider(n_items, self._question)
        if self.n_read + len(found) > self._decider.n_items:
            raise _unpaired(f"more than the {self._decider.n_items:,} questions of a run were answered")
        self._decider.feed(found)

    def now(self) -> Streamed:
        """Return where the comparison stands; raises `InputError` where finished runs share no item."""
        if self._decider is None:
            self.advance()
        assert self._decider is not None
        if not self.growing and not self.n_read:
            raise _unpaired(
                "no item has an outcome in both", "`joulemark report RUN` says what became of them"
            )
        order: Order = "asked" if self._same_order or not self._lead.over else "keyed"
        return Streamed.of(
            self._decider,
            names=(str(self._a.root), str(self._b.root)),
            metric="score" if self._a.real else "accuracy",
            left_out=(self._left_out[0], self._left_out[1]),
            growing=self.growing,
            order=order,
            refusals=self._refusals(),
            models=(self._a.manifest.engine.model, self._b.manifest.engine.model),
            simulated=(self._a.is_simulated, self._b.is_simulated),
            listed=(self._a.is_listed, self._b.is_listed),
        )

    def _refusals(self) -> Refusals | None:
        assert self._decider is not None
        x = self._decider.differences
        lacked, lost = (self._lacked[0], self._lacked[1]), (self._lost[0], self._lost[1])
        return refusals_of_two(float(x.sum()), len(x), lacked, lost)

    def _stands(self) -> bool:
        """Tell whether the decision is owed to no answer that failed."""
        assert self._decider is not None
        found = self._refusals()
        return found is None or found.holds(self._decider.now(), self._question.epsilon)

    def _differences(self) -> Iterator[float]:
        """Yield the differences of the items that come next and are known; those left out are counted."""
        line = self._line()
        of_other = {one.item_id: one for one in self._other.prefix}
        while self._next < len(line):
            first = line[self._next]
            if self._same_order:
                if self._next >= len(self._other.prefix):
                    return
                second = self._other.prefix[self._next]
                if second.item_id != first.item_id:
                    ids = f"{first.item_id!r} in one and {second.item_id!r} in the other"
                    raise _unpaired(f"question {self._next + 1} is {ids}")
            else:
                second = of_other.get(first.item_id, Answer(first.item_id, None))
            self._next += 1
            of_a, of_b = (first, second) if self._lead is self._a else (second, first)
            if of_a.value is not None and of_b.value is not None:
                yield self._within(of_b.value) - self._within(of_a.value)
                continue
            self._left_out[0] += of_a.value is None
            self._left_out[1] += of_b.value is None
            if first.item_id in of_other:
                self._lose(of_a, of_b)
            # a question that the other run was ended before is no smaller task
            self._gone += first.item_id in of_other or len(of_other) >= self._other.n_items

    def _lose(self, of_a: Answer, of_b: Answer) -> None:
        """Note what the one that has no outcome of a question would have lost on it at most."""
        for place, (one, other) in enumerate(((of_a, of_b), (of_b, of_a))):
            if one.value is None and other.value is not None:
                self._lacked[place] += 1
                self._lost[place] += self._within(other.value) - self._range[0]

    def _within(self, value: float) -> float:
        low, high = self._range
        if not low <= value <= high:
            raise _unpaired(f"a score of {value:g} lies beyond the range of the task, {low:g} to {high:g}")
        return value

    def _line(self) -> Sequence[Answer]:
        """Return the answers of the run whose order is walked."""
        if self._same_order or not self._lead.over:
            return self._lead.prefix
        return permuted(self._lead.prefix, DEFAULT_KEY, lambda answer: answer.item_id)


def _require_alike(a: RunAnswers, b: RunAnswers) -> None:
    if a.manifest.task.name != b.manifest.task.name:
        raise _unpaired(f"one was asked {a.manifest.task.name}, the other {b.manifest.task.name}")
    if a.real is not b.real:
        raise _unpaired("one is right or wrong, the other has a real-valued score")


def _of_one_list(a: RunAnswers, b: RunAnswers) -> bool:
    """Tell whether no list took questions out of one of the runs, or the same list out of both."""
    of_a, of_b = a.manifest.task, b.manifest.task
    return not (of_a.is_listed or of_b.is_listed) or of_a.items_hash == of_b.items_hash


def _unpaired(why: str, fix: str = "name two runs of the same task") -> InputError:
    return InputError("these runs cannot be paired", why=why, fix=fix)

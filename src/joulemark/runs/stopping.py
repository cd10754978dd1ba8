"""Asks a rule, while a run is on, whether what was answered so far is enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from joulemark.metrics.run_view import RunView
from joulemark.record.item import Item
from joulemark.record.manifest import Manifest, StopFacts, Stopped
from joulemark.runs.finished import Finished, FinishedPrefix
from joulemark.runs.stop import StopDecision, StopRule
from joulemark.tasks.task import TaskSet

SoFar = Callable[[], RunView]


@dataclass(slots=True)
class Stopping:
    """Feeds ``rule`` with the finished questions in asking order; ``decision`` is what it came to.

    A run that goes on may have answers beyond a gap, of requests that were in flight when it was ended. Until
    the gap is filled nothing is decided: what was slow to answer must not be left out.
    """

    rule: StopRule
    finished: FinishedPrefix
    of: int
    decision: StopDecision | None = None
    _least: int = field(init=False)

    def __post_init__(self) -> None:
        self._least = self.finished.highest

    @classmethod
    def of_task(
        cls,
        rule: StopRule | None,
        task: TaskSet,
        repeats: int,
        stored: Sequence[Item],
        facts: StopFacts | None = None,
    ) -> Stopping | None:
        """Return what decides of a task, of which ``stored`` are answered already; null without a rule.

        Notes in ``facts``, where the rule is new, that so many questions had been asked when it was named: it
        does not look at less, as nobody had asked it to end the run there.
        """
        if rule is None:
            return None
        prefix = FinishedPrefix([question.item_id for question in task.questions], repeats)
        prefix.add(stored)
        if facts is not None and facts.named_at is None:
            facts.named_at = prefix.highest
        if facts is not None and facts.named_at:
            rule.begin(facts.named_at)
        return cls(rule, prefix, len(task.questions))

    @property
    def due(self) -> bool:
        """Whether the rule would look at what is finished now."""
        n = len(self.finished.questions)
        return self.decision is None and n >= self._least and self.rule.next_look <= n

    @property
    def enough(self) -> float | None:
        """After about which share of the questions asking may end, null where that cannot be told.

        Not before the next look: what is enough between two looks ends nothing yet.
        """
        at, more = self.rule.looked_at, self.rule.more
        if at is None or more is None:
            return None
        return min(max(at + more, self.rule.next_look) / self.of, 1.0)

    @property
    def told(self) -> str:
        """What the targets had come to at the last look, and when the next one is; empty before the first."""
        said = "; ".join(self.rule.told())
        if not said:
            return ""
        looked_at = f"after {self.rule.looked_at or len(self.finished.questions):,}: {said}"
        if self.decision is not None:
            return looked_at
        after = self.rule.next_look
        return f"{looked_at}; " + (
            f"next look after {after:,}" if after < self.of else "no look before the end"
        )

    def decide(self, so_far: SoFar) -> StopDecision | None:
        """Let the rule look; ``so_far`` makes the run as it is metered by now, once at most."""
        self.decision = self.rule.decide(self._finished(so_far))
        return self.decision

    def look_at_all(self, so_far: SoFar) -> None:
        """Let the rule look at all that was asked, where that ended nothing."""
        self.rule.look_at_all(self._finished(so_far))

    def _finished(self, so_far: SoFar) -> Finished:
        known: list[tuple[RunView, set[tuple[str, int]]]] = []
        questions = self.finished.questions

        def metered(n: int) -> RunView | None:
            if not known:
                view = so_far()
                known.append((view, {item.key for item in view.measured_items}))
            view, keys = known[0]
            return view if all(item.key in keys for one in questions[:n] for item in one) else None

        return Finished(questions, self.of, metered)


def holds_what_ended_it(manifest: Manifest, stored: Sequence[Item]) -> bool:
    """Tell whether a run that a rule ended still has the answers that it was ended with."""
    ended = None if manifest.stop is None else manifest.stop.stopped
    if ended is None or {item.index for item in stored} != set(range(ended.asked)):
        return False
    looked_at = {(item.index, item.repeat) for item in stored if item.index < ended.at}
    return len(looked_at) == ended.at * manifest.repeats


def note_told(manifest: Manifest, rule: StopRule) -> None:
    """Enter in the manifest what the targets of ``rule`` had come to at its last look."""
    assert manifest.stop is not None
    manifest.stop.told, manifest.stop.looked_at = list(rule.told()), rule.looked_at


STOPPED = "not ranked: stopped early, so a part of its questions stands for all"


def note_stop(manifest: Manifest, rule: StopRule, decision: StopDecision, asked: int) -> None:
    """Enter in the manifest that ``rule`` ended the asking when ``asked`` questions had been asked."""
    assert manifest.stop is not None  # entered with the plan
    note_told(manifest, rule)
    manifest.stop.stopped = Stopped(
        at=decision.at,
        asked=asked,
        of=manifest.task.n_items,
        segment=manifest.segments[-1].index,
        binding=list(decision.binding),
    )
    if manifest.may_rank:
        manifest.may_rank, manifest.standing = False, STOPPED

"""When a rule is asked, and in which order a run asks that may end between two questions."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from doubles import run_views
from doubles.run_views import item
from joulemark.record.manifest import Engine as EngineFacts
from joulemark.record.manifest import Sampling, StopFacts
from joulemark.runs.directory import reopen
from joulemark.runs.finished import Finished, FinishedPrefix
from joulemark.runs.plan import RunPlan
from joulemark.runs.stop import StopDecision
from joulemark.runs.stopping import STOPPED, Stopping, holds_what_ended_it, note_stop
from joulemark.runs.wanted import conversations, wanted
from joulemark.tasks.registry import load_task


class EnoughAfter:
    """Ends the asking after so many questions, and remembers what it was shown."""

    needs_energy = False

    def __init__(self, n: int) -> None:
        self.n, self.shown, self.not_before = n, 0, 0
        self.more: int | None = None

    @property
    def facts(self) -> StopFacts:
        return StopFacts(targets=["accuracy ±1pp"], least=self.n, every=10)

    @property
    def next_look(self) -> int:
        return max(self.n, self.not_before)

    @property
    def looked_at(self) -> int | None:
        return self.shown or None

    def begin(self, n: int) -> None:
        self.not_before = n

    def look_at_all(self, finished: Finished) -> None:
        self.shown = len(finished.questions)

    def decide(self, finished: Finished) -> StopDecision | None:
        self.shown = len(finished.questions)
        return StopDecision(self.n, ("accuracy ±1pp",)) if self.shown >= self.n else None

    def told(self) -> tuple[str, ...]:
        return ("accuracy 0.500 ±0.9pp, target ±1pp: met",)


def no_meter() -> Any:
    raise AssertionError("nothing asked for the meters")


def test_a_gap_that_a_killed_run_left_is_filled_before_anything_is_decided() -> None:
    """The answer that was still awaited was a slow one: leaving it out would choose the quick ones."""
    prefix = FinishedPrefix([f"q{n}" for n in range(50)], 1)
    prefix.add([item(n) for n in range(12) if n not in (3, 10)])
    stopping = Stopping(EnoughAfter(2), prefix, 50)
    assert not stopping.due
    prefix.add([item(3)])
    assert not stopping.due
    prefix.add([item(10)])
    assert stopping.due
    decision = stopping.decide(no_meter)
    assert decision is not None
    assert not stopping.due


def test_the_manifest_says_what_ended_the_run() -> None:
    rule = EnoughAfter(2)
    manifest = run_views.manifest(stop=rule.facts, may_rank=True, standing="ranked")
    note_stop(manifest, rule, StopDecision(2, ("accuracy ±1pp",)), 4)
    assert manifest.stop is not None
    assert manifest.stop.stopped is not None
    assert (manifest.stop.stopped.at, manifest.stop.stopped.asked, manifest.stop.stopped.of) == (2, 4, 60)
    assert manifest.stop.told == ["accuracy 0.500 ±0.9pp, target ±1pp: met"]
    assert (manifest.may_rank, manifest.standing) == (False, STOPPED)


def test_a_stopped_run_is_done_as_long_as_it_has_its_answers() -> None:
    rule = EnoughAfter(10)
    manifest = run_views.manifest(stop=rule.facts, repeats=2)
    stored = [item(n, repeat=k) for n in range(12) for k in range(2)]
    assert not holds_what_ended_it(manifest, stored)
    note_stop(manifest, rule, StopDecision(10, ("accuracy ±1pp",)), 12)
    assert holds_what_ended_it(manifest, stored)
    assert holds_what_ended_it(manifest, stored[:-1])  # of a question in flight only the first repeat came
    assert not holds_what_ended_it(manifest, [one for one in stored if one.key != stored[5].key])
    assert not holds_what_ended_it(manifest, stored[:-2])


def test_another_target_on_a_stopped_run_hides_nothing_of_what_ended_it() -> None:
    rule = EnoughAfter(10)
    manifest = run_views.manifest(stop=rule.facts, may_rank=True, standing="ranked")
    note_stop(manifest, rule, StopDecision(10, ("accuracy > 0.7",)), 12)
    plan: Any = SimpleNamespace(stop=rule, may_rank=True, standing="ranked")
    reopen(manifest, plan)
    assert manifest.stop is not None
    assert manifest.stop.stopped is None
    assert (manifest.may_rank, manifest.standing) == (True, "ranked")
    (earlier,) = manifest.earlier_stops
    assert earlier.stopped is not None
    assert (earlier.stopped.binding, earlier.stopped.asked) == (["accuracy > 0.7"], 12)
    reopen(manifest, plan)
    assert len(manifest.earlier_stops) == 1


def test_a_rule_that_is_named_late_looks_at_nothing_that_nobody_had_asked_it_of() -> None:
    """Thirty answers would have met it; the run was left at forty-five, and nobody says why there."""
    task, rule = load_task("quick"), EnoughAfter(30)
    stored = [item(n, item_id=one.item_id) for n, one in enumerate(task.questions[:45])]
    facts = rule.facts
    stopping = Stopping.of_task(rule, task, 1, stored, facts)
    assert (facts.named_at, rule.not_before) == (45, 45)
    assert stopping is not None
    assert stopping.due
    # the same rule once more was named then, however many answers there are now
    Stopping.of_task(rule, task, 1, stored[:40], facts)
    assert facts.named_at == 45
    first = EnoughAfter(30).facts
    Stopping.of_task(rule, task, 1, [], first)
    assert first.named_at == 0


def test_a_run_that_goes_on_to_the_same_targets_had_them_from_the_first_on() -> None:
    rule = EnoughAfter(10)
    manifest = run_views.manifest(stop=rule.facts.model_copy(update={"named_at": 0}))
    plan: Any = SimpleNamespace(stop=rule, may_rank=False, standing="")
    reopen(manifest, plan)
    assert manifest.stop is not None
    assert manifest.stop.named_at == 0
    manifest.stop.targets = ["accuracy ±2pp"]
    reopen(manifest, plan)
    assert manifest.stop.named_at is None


def test_how_many_the_task_has_is_in_the_manifest_and_no_part_of_the_configuration() -> None:
    """Runs of before there was the field go on, and the same command finds them."""
    facts = EngineFacts(kind="vllm", model="m")
    engine: Any = None
    task = load_task("quick", limit=10)
    plans = [RunPlan(one, engine, Sampling(max_tokens=8)) for one in (task, replace(task, n_whole=None))]
    assert [plan.task_facts.n_whole for plan in plans] == [52, None]
    assert plans[0].task_facts.n_drawn_from == 52
    assert len({plan.config_hash(facts) for plan in plans}) == 1
    assert plans[0].config_hash(facts) != RunPlan(load_task("quick"), engine, plans[0].sampling).config_hash(
        facts
    )


@pytest.mark.parametrize("repeats", [1, 3])
def test_questions_are_asked_in_all_repeats_before_the_next_ones_are_begun(repeats: int) -> None:
    task = load_task("quick")
    left = wanted(task, repeats, (), together=10)
    assert {(one.question.item_id, one.repeat) for one in left} == {
        (question.item_id, repeat) for question in task.questions for repeat in range(repeats)
    }
    assert len(conversations(left)) == len({one.position for one in left}) == 52 * repeats
    for begun in range(0, 52 * repeats, 10 * repeats):
        places = {one.index for one in left[begun : begun + 10 * repeats]}
        assert places == set(range(begun // repeats, min(begun // repeats + 10, 52)))
    if repeats == 1:
        assert left == wanted(task, 1, ())


def test_what_is_stored_is_not_asked_again() -> None:
    task = load_task("quick")
    done = [(task.questions[0].item_id, 0), (task.questions[11].item_id, 1)]
    left = wanted(task, 2, done, together=10)
    assert len(left) == 102
    assert not {(one.question.item_id, one.repeat) for one in left} & set(done)


def test_enough_between_two_looks_is_told_as_the_next_look() -> None:
    """It said "about 3 more" and "0 s left" from the 33rd to the 40th answer."""
    rule = EnoughAfter(10)
    stopping = Stopping(rule, FinishedPrefix([f"q{n}" for n in range(300)], 1), 300)
    assert stopping.enough is None
    rule.shown, rule.n, rule.more = 30, 40, 3
    assert stopping.enough == pytest.approx(40 / 300)
    assert stopping.told == "after 30: accuracy 0.500 ±0.9pp, target ±1pp: met; next look after 40"
    rule.more = 100
    assert stopping.enough == pytest.approx(130 / 300)
    rule.n = 300
    assert stopping.told.endswith("; no look before the end")
    stopping.decision = StopDecision(30, ("accuracy ±1pp",))
    assert stopping.told.endswith(": met")

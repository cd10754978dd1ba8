"""Who ended a run: a rule that was there from the first on, or somebody who saw the answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.metrics.any_look import at_any_look
from joulemark.metrics.ended_by import decision, ended_by_hand, named_late, passed_ends
from joulemark.record.manifest import Manifest, StopFacts, Stopped
from joulemark.report.stopping import stop_sentences

OF = 60


def rule(text: str, named_at: int | None, at: int, asked: int | None = None) -> StopFacts:
    ended = Stopped(at=at, asked=asked or at, of=OF, segment=0, binding=[text])
    told = [f"{text}: met"]
    return StopFacts(targets=[text], least=10, every=10, named_at=named_at, stopped=ended, told=told)


def of(*rules: StopFacts) -> Manifest:
    return run_views.manifest(earlier_stops=list(rules[:-1]), stop=rules[-1])


@pytest.mark.parametrize(
    ("rules", "by_hand"),
    [
        ([rule("accuracy ±9pp", 0, 20)], False),
        ([rule("accuracy ±9pp", None, 20)], False),  # of before it was written down
        ([rule("accuracy ±9pp", 20, 20)], True),  # interrupted at 20, when it looked good
        ([rule("accuracy ±9pp", 20, 30)], True),  # a width that is met at the next look
        ([rule("accuracy ±9pp", 3, 20)], False),  # what came since outweighs what was seen
        ([rule("accuracy ±9pp", 0, 20), rule("accuracy ±20pp", 20, 20)], False),  # a rule ended it there
        ([rule("accuracy ±9pp", 0, 20), rule("accuracy ±20pp", 35, 35)], True),
        ([rule("accuracy ±9pp", 20, 20), rule("accuracy ±20pp", 20, 20)], True),  # named twice is no rule
        ([rule("accuracy ±9pp", 0, 18, asked=20), rule("accuracy ±20pp", 20, 20)], False),
    ],
)
def test_a_rule_that_is_named_when_the_answers_are_seen_ended_nothing(
    rules: list[StopFacts], by_hand: bool
) -> None:
    assert ended_by_hand(of(*rules)) == by_hand


def test_how_late_a_rule_was_named_is_told_until_it_is_outweighed() -> None:
    assert [named_late(rule("a", 10, at)) for at in (10, 39, 40)] == [10, 10, 0]


def test_ends_that_were_passed_count_until_they_are_outweighed() -> None:
    ladder = of(rule("accuracy ±12pp", 0, 7), rule("accuracy ±11pp", 7, 8, asked=10), rule("a", 10, 14))
    assert not ended_by_hand(ladder)
    assert passed_ends(ladder, 14) == (7, 10)
    assert passed_ends(ladder, 28) == (10,)
    assert passed_ends(ladder, 40) == ()
    # everything was asked: nothing was chosen
    assert passed_ends(ladder, OF) == ()
    # the end that was there already
    assert passed_ends(of(rule("a", 0, 20), rule("b", 20, 20)), 20) == ()


def test_the_caveat_of_a_decision_outlives_the_target_that_comes_after_it() -> None:
    decided = rule("accuracy > 0.8", 0, 10)
    wider = of(decided, rule("accuracy ±20pp", 10, 10))
    assert decision(wider, 10) is decided
    assert decision(wider, 39) is decided
    assert decision(wider, 40) is None
    gone_on = of(decided, StopFacts(targets=["accuracy ±1pp"], least=10, every=10))
    assert decision(gone_on, 39) is decided
    assert decision(of(rule("accuracy ±9pp", 0, 10)), 10) is None
    # everything was asked: nothing was chosen
    assert decision(of(decided, rule("accuracy ±1pp", 10, 58)), OF) is None
    assert decision(of(rule("decided against ab", 0, OF)), OF) is not None


def test_the_report_says_who_ended_it() -> None:
    view = run_views.with_lengths(20)

    def told(*rules: StopFacts) -> tuple[str, list[str]]:
        facts = {"earlier_stops": list(rules[:-1]), "stop": rules[-1], "state": "partial"}
        summary = summarize(replace(view, manifest=view.manifest.model_copy(update=facts)))
        caveats = [f"{'! ' if one.loud else ''}{one.code}" for one in summary.caveats]
        return " ".join(stop_sentences(summary)), caveats

    by_hand, caveats = told(rule("accuracy ±20pp", 20, 20))
    assert "The run was ended by hand before its targets were named: 20 of 60 questions" in by_hand
    assert {"! ended_by_hand", "partial"} <= set(caveats)
    assert "As recorded then: accuracy ±20pp: met." in by_hand
    after, caveats = told(rule("accuracy > 0.2", 0, 20), rule("accuracy ±20pp", 20, 20))
    assert "nothing was asked since" in after
    assert "The run had ended before its targets were named" in after
    assert {"! decided", "named_late"} <= set(caveats)
    assert "! ended_by_hand" not in caveats


def test_a_ladder_of_rules_is_told_loudly_with_what_holds_at_any_look() -> None:
    view = run_views.with_lengths(20)
    ladder = [rule("accuracy ±25pp", 0, 8), rule("accuracy ±24pp", 8, 12), rule("accuracy ±20pp", 12, 20)]
    facts = {"earlier_stops": ladder[:-1], "stop": ladder[-1], "state": "complete"}
    run = replace(view, manifest=view.manifest.model_copy(update=facts))
    summary = summarize(run)
    (told,) = [one for one in summary.caveats if one.code == "named_late"]
    assert told.loud
    assert "Rules had ended the run at 8, 12 questions before, and it was asked on." in told.text
    found = at_any_look(run)
    assert found is not None
    name, lo, hi = found
    assert told.text.endswith(f"the accuracy lies within {lo:.3g} and {hi:.3g}.")
    figure = summary.figures[name]
    assert figure.lo is not None
    assert figure.hi is not None
    assert lo < figure.lo < figure.hi < hi

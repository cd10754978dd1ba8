"""The rule of ``--stop`` on answers of which the truth is known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from doubles import run_views
from doubles.run_views import item
from joulemark.frugal.stopping.rule import EVERY, LEAST, TargetRule
from joulemark.frugal.target import parse_targets
from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.attribution import attribute_sequential
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import Withheld
from joulemark.record.item import Item, Verdict
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.runs.finished import FinishedPrefix
from joulemark.runs.stop import Finished, Question, StopDecision

OF = 2000


def answers(n: int, share: float, *, seed: int = 1, repeats: int = 1, **fields: object) -> list[Question]:
    """Return questions of which ``share`` are answered rightly, each 1 s long with lengths that differ."""
    chance = random.Random(seed)
    found = []
    for index in range(n):
        right = chance.random() < share
        tokens = 5 + int(chance.expovariate(1 / 20))
        found.append(
            tuple(
                item(
                    index,
                    repeat=repeat,
                    start_s=(index * repeats + repeat) * 9.0,
                    verdict=Verdict.CORRECT if right else Verdict.WRONG,
                    tokens=tokens,
                    end_s=0.2 + tokens / 50,
                    **fields,
                )
                for repeat in range(repeats)
            )
        )
    return found


def metered(questions: Sequence[Question], joules_each: Sequence[float]) -> RunView:
    """Return a run of these answers with an energy for each."""
    items = tuple(one for repeats in questions for one in repeats)
    energies = [run_views.measured(joules) for joules in joules_each]
    total = run_views.measured(sum(joules_each))
    rows, _ = attribute_sequential(items, energies, [], total, Scope.gpu(0).label)
    return RunView(
        manifest=run_views.manifest(),
        items=items,
        headline_energy=total,
        headline_scope=Scope.gpu(0).label,
        headline_method=rows[0].method,
        attributions=rows,
    )


def no_meter(n: int) -> RunView | None:
    raise AssertionError("a rule that needs no meter asked for one")


def rule(*texts: str, of: int = OF, rates: Rates | None = None, **more: object) -> TargetRule:
    return TargetRule(parse_targets(texts), of, rates or Rates(), **more)  # type: ignore[arg-type]


def ends(made: TargetRule, questions: Sequence[Question], of: int = OF) -> StopDecision | None:
    return made.decide(Finished(questions, of, no_meter))


def test_it_ends_at_the_first_look_whose_interval_is_narrow_enough() -> None:
    questions = answers(OF, 0.6)
    decision = ends(rule("accuracy ±5pp"), questions)
    assert decision is not None
    right = np.cumsum([bool(one[0].correct) for one in questions])
    for n in range(LEAST, decision.at + 1, EVERY):
        lo, hi = wilson_interval(float(right[n - 1]), n, OF)
        assert ((hi - lo) / 2 <= 0.05) == (n == decision.at)


def test_the_order_in_which_answers_come_changes_nothing() -> None:
    """Fed out of order, as by sixteen workers: the same end after the same questions."""
    questions = answers(OF, 0.6)
    whole = ends(rule("accuracy ±5pp", "tokens ±10%"), questions)
    assert whole is not None
    chance = random.Random(3)
    places = sorted(range(OF), key=lambda place: place + chance.uniform(0, 16))
    prefix = FinishedPrefix([f"q{n}" for n in range(OF)], 1)
    made, found = rule("accuracy ±5pp", "tokens ±10%"), None
    for place in places:
        prefix.add(questions[place])
        if made.next_look <= len(prefix.questions):
            found = found or ends(made, prefix.questions)
    assert found == whole


def test_of_several_targets_the_one_met_last_is_named() -> None:
    questions = answers(OF, 0.6)
    loose, strict = ends(rule("accuracy ±8pp"), questions), ends(rule("tokens ±5%"), questions)
    both = ends(rule("accuracy ±8pp", "tokens ±5%"), questions)
    assert loose is not None
    assert strict is not None
    assert both is not None
    assert loose.at < strict.at == both.at
    assert both.binding == ("tokens ±5%",)


def test_repeats_of_a_question_are_one_trial() -> None:
    once, thrice = answers(OF, 0.6), answers(OF, 0.6, repeats=3)
    assert ends(rule("accuracy ±5pp"), once) == ends(rule("accuracy ±5pp"), thrice)


def test_a_decision_ends_as_soon_as_the_bound_is_excluded() -> None:
    questions = answers(OF, 0.9)
    made = rule("accuracy > 0.7")
    decision = ends(made, questions)
    assert decision is not None
    assert decision.at < 100
    assert made.told()[0].endswith("so it is")
    made = rule("accuracy < 0.7")
    assert ends(made, questions) == StopDecision(decision.at, ("accuracy < 0.7",))
    assert made.told()[0].endswith("it is not")


def test_a_task_that_is_smaller_than_the_first_look_is_asked_whole() -> None:
    assert ends(rule("accuracy ±40pp", of=25), answers(25, 0.5), of=25) is None


def test_the_last_question_ends_nothing_early() -> None:
    assert ends(rule("accuracy ±0.0001pp", of=60), answers(60, 0.5), of=60) is None


def test_joules_per_correct_answer_end_a_run() -> None:
    questions = answers(OF, 0.6)
    joules = [10.0 + 3.0 * (one[0].completion_tokens or 0) for one in questions]
    view = metered(questions, joules)
    made = rule("joules_per_correct ±8%")
    assert made.needs_energy
    decision = made.decide(Finished(questions, OF, lambda n: view))
    assert decision is not None
    n = decision.at
    right = np.array([float(bool(one[0].correct)) for one in questions[:n]])
    cost = np.array(joules[:n])
    ratio = cost.sum() / right.sum()
    error = np.std(cost - ratio * right, ddof=1) / right.mean() / np.sqrt(n) * np.sqrt(1 - n / OF)
    assert 1.96 * error / ratio <= 0.08
    assert 1.96 * error / ratio > 0.07


def test_what_the_meters_have_yet_to_tell_is_waited_for() -> None:
    questions = answers(200, 0.6)
    view = metered(questions, [20.0] * 200)
    made = rule("joules ±20%")
    assert made.decide(Finished(questions[:40], OF, lambda n: None)) is None
    assert made.told() == ()
    assert made.next_look == 41  # not at every answer until then
    decision = made.decide(Finished(questions[:41], OF, lambda n: view))
    assert decision == StopDecision(LEAST, ("joules ±20%",))


def test_without_joules_it_never_ends_and_says_why() -> None:
    questions = answers(400, 0.6)
    view = replace(metered(questions, [1.0] * 400), headline_energy=Withheld(Reason.METER_SILENT))
    made = rule("accuracy ±20pp", "joules_per_correct ±50%")
    assert made.decide(Finished(questions, OF, lambda n: view)) is None
    assert Reason.METER_SILENT.text.rstrip(".") in made.told()[1]


def test_dollars_come_from_token_prices_without_a_meter() -> None:
    rates = Rates(usd_per_million_prompt_tokens=1.0, usd_per_million_completion_tokens=3.0)
    made = rule("usd_per_correct ±10%", rates=rates)
    assert not made.needs_energy
    assert ends(made, answers(OF, 0.6)) is not None
    assert rule("usd ±10%", rates=Rates(usd_per_kwh=0.3)).needs_energy


def test_a_missing_token_count_is_not_read_as_none() -> None:
    questions = answers(400, 0.6)
    questions[7] = (replace(questions[7][0], completion_tokens=None),)
    made = rule("tokens ±50%")
    assert ends(made, questions) is None
    assert "1 of" in made.told()[0]


@pytest.mark.parametrize("in_flight", [1, 8])
def test_the_latency_of_answers_in_flight_together_is_told_by_batches(in_flight: int) -> None:
    """Waves of load that last eight answers widen what single answers would claim."""
    chance = random.Random(4)
    waves = [chance.uniform(0.5, 2.0) for _ in range(OF // 8)]
    questions: list[Question] = [(item(n, end_s=0.2 + waves[n // 8]),) for n in range(OF)]
    decision = ends(rule("latency ±5%", in_flight=in_flight), questions)
    assert decision is not None
    alone = ends(rule("latency ±5%"), questions)
    assert alone is not None
    assert (decision.at > 3 * alone.at) == (in_flight > 1)


def test_a_score_is_told_by_its_mean() -> None:
    chance = random.Random(5)

    def scored(index: int) -> Item:
        return item(index, verdict=None, correct=None, score=chance.betavariate(4, 2))

    questions: list[Question] = [(replace(scored(n)),) for n in range(OF)]
    decision = ends(rule("score ±2%", score_range=(0.0, 1.0)), questions)
    assert decision is not None
    made = rule("score > 0.5", score_range=(0.0, 1.0))
    decided = ends(made, questions)
    assert decided is not None
    assert made.told()[0].endswith("so it is")


def test_the_rule_is_told_in_the_manifest() -> None:
    facts = rule("accuracy ±1pp", "joules ±5%").facts
    assert facts.targets == ["accuracy ±1pp", "joules ±5%"]
    assert (facts.least, facts.every, facts.growth) == (30, 10, 0.02)
    assert rule("accuracy ±1pp").facts.growth == 0


def test_how_many_more_a_decision_takes_is_about_right() -> None:
    """Said after thirty questions of which the share is the task's own, so that chance does not tell."""
    questions = [one for n in range(OF // 10) for one in answers_in_turn(n)]
    made = rule("accuracy > 0.7")
    assert ends(made, questions[:LEAST]) is None
    said = int(made.told()[0].rpartition("about ")[2].split(" ")[0].replace(",", ""))
    decision = ends(made, questions)
    assert decision is not None
    assert LEAST + said == pytest.approx(decision.at, rel=0.2)


def answers_in_turn(ten: int) -> list[Question]:
    """Return ten questions of which eight are right."""
    verdicts = [Verdict.CORRECT] * 4 + [Verdict.WRONG] + [Verdict.CORRECT] * 4 + [Verdict.WRONG]
    return [(item(10 * ten + k, verdict=verdict),) for k, verdict in enumerate(verdicts)]

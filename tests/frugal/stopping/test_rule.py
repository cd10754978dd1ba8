"""The rule of ``--stop`` on answers of which the truth is known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from doubles import run_views
from doubles.run_views import item
from joulemark.frugal.stopping.precision import precision
from joulemark.frugal.stopping.rule import EVERY, LEAST, TargetRule
from joulemark.frugal.stopping.seen import Seen
from joulemark.frugal.target import Precision, parse_targets
from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.attribution import attribute_sequential
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import Withheld
from joulemark.record.item import Item, Verdict
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.runs.finished import Finished, FinishedPrefix, Repeats
from joulemark.runs.stop import StopDecision

OF = 2000


def answers(n: int, share: float, *, seed: int = 1, repeats: int = 1, **fields: object) -> list[Repeats]:
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


def metered(questions: Sequence[Repeats], joules_each: Sequence[float]) -> RunView:
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


def ends(made: TargetRule, questions: Sequence[Repeats], of: int = OF) -> StopDecision | None:
    return made.decide(Finished(questions, of, no_meter))


def test_it_ends_at_the_first_look_whose_interval_is_narrow_enough() -> None:
    questions = answers(OF, 0.6)
    decision = ends(rule("accuracy ±5pp"), questions)
    assert decision is not None
    right = np.cumsum([bool(one[0].correct) for one in questions])
    for n in range(LEAST, decision.at + 1, EVERY):
        lo, hi = wilson_interval(float(right[n - 1]), n, OF)
        assert ((hi - lo) / 2 <= 0.05) == (n == decision.at)


def test_of_a_limited_run_the_targets_speak_of_all_that_it_was_drawn_from() -> None:
    """Half of the questions within a limit leave half of these unknown, and nearly all of the task."""
    questions = answers(200, 0.6)
    alone = ends(rule("accuracy ±5pp", of=200), questions, of=200)
    assert alone is not None
    assert ends(rule("accuracy ±5pp", of=200, population=OF), questions, of=200) is None
    wide = ends(rule("accuracy ±8pp", of=200, population=OF), questions, of=200)
    assert wide == ends(rule("accuracy ±8pp"), answers(OF, 0.6)[:200])
    of_limit, of_task = (rule("accuracy > 0.5", of=200, population=n) for n in (200, 20_000))
    sooner, later = (ends(one, questions, of=200) for one in (of_limit, of_task))
    assert sooner is not None
    assert later is None or later.at >= sooner.at


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
    view = metered(questions, [20.0 + n % 3 for n in range(200)])
    made = rule("joules ±20%")
    assert made.decide(Finished(questions[:40], OF, lambda n: None)) is None
    assert made.told() == ()
    assert made.next_look == 41  # not at every answer until then
    assert made.decide(Finished(questions[:41], OF, lambda n: view)) is None
    assert made.told()[0].endswith("about 60 more")  # of a cost a hundred questions are asked at least
    decision = made.decide(Finished(questions, OF, lambda n: view))
    assert decision is not None
    assert decision.at == 100


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
    questions: list[Repeats] = [(item(n, end_s=0.2 + waves[n // 8]),) for n in range(OF)]
    decision = ends(rule("latency ±5%", in_flight=in_flight), questions)
    assert decision is not None
    alone = ends(rule("latency ±5%"), questions)
    assert alone is not None
    assert (decision.at > 3 * alone.at) == (in_flight > 1)


def test_a_score_is_told_by_its_mean() -> None:
    chance = random.Random(5)

    def scored(index: int) -> Item:
        return item(index, verdict=None, correct=None, score=chance.betavariate(4, 2))

    questions: list[Repeats] = [(replace(scored(n)),) for n in range(OF)]
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


def answers_in_turn(ten: int) -> list[Repeats]:
    """Return ten questions of which eight are right."""
    verdicts = [Verdict.CORRECT] * 4 + [Verdict.WRONG] + [Verdict.CORRECT] * 4 + [Verdict.WRONG]
    return [(item(10 * ten + k, verdict=verdict),) for k, verdict in enumerate(verdicts)]


def unlike(n: int, **fields: object) -> list[Repeats]:
    return [(item(k, verdict=None, correct=None, **fields),) for k in range(n)]


def test_answers_that_are_all_alike_so_far_say_nothing_of_the_others() -> None:
    made = rule("tokens ±5%", "tokens_per_correct ±5%")
    cut: list[Repeats] = [(item(n, verdict=Verdict.CORRECT, tokens=512),) for n in range(400)]
    assert ends(made, cut) is None
    assert all("all answers so far are the same" in told for told in made.told())


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_scores_that_are_all_alike_so_far_reach_as_far_as_shares_do(score: float) -> None:
    """Of a task with 98 % full scores the first thirty are alike in more than half of all runs."""
    made = rule("score ±0.03", score_range=(0.0, 1.0))
    decision = ends(made, unlike(OF, score=score))
    assert decision is not None
    assert decision.at > 100
    if score == 0:  # a share of nothing is nothing
        assert ends(rule("score ±5%", score_range=(0.0, 1.0)), unlike(400, score=score)) is None


@pytest.mark.parametrize(("low", "width"), [(0.05, 0.05), (0.02, 0.03)])
def test_scores_near_an_end_of_their_range_are_covered_at_stop(low: float, width: float) -> None:
    """Mostly full scores: without the range half to four fifths of what is told would be right."""
    chance = np.random.default_rng(2)
    task = np.where(np.arange(3000) < low * 3000, 0.0, 1.0)
    target = parse_targets([f"score ±{width}"])[0]
    assert isinstance(target, Precision)
    held = 0
    for _ in range(150):
        scores = chance.permutation(task)[:1000]
        seen = Seen(Rates())
        seen.right = seen.score = scores.tolist()
        for n in range(LEAST, 1000, EVERY):
            told = precision(target, seen, [()] * n, 3000, None, 1, (0.0, 1.0))
            if told.met:
                break
        assert told.lo is not None
        assert told.hi is not None
        held += told.lo <= task.mean() <= told.hi
    assert held / 150 >= 0.92


def test_costs_are_not_believed_before_a_hundred_questions() -> None:
    """Of answers one in thirty of which takes sixty times as long the first thirty often hold none."""
    chance = random.Random(8)
    slow = [chance.random() < 0.03 for _ in range(OF)]
    slow[:40] = [False] * 40
    questions: list[Repeats] = [
        (item(n, end_s=60.0 if one else 1.0 + 0.1 * chance.random()),) for n, one in enumerate(slow)
    ]
    decision = ends(rule("latency ±5%"), questions)
    assert decision is None or decision.at > 1000


def test_few_correct_answers_tell_no_cost_of_one() -> None:
    made = rule("tokens_per_correct ±90%")
    assert ends(made, answers(150, 0.03)) is None
    assert "too few answers were correct" in made.told()[0]


def test_a_share_of_which_all_are_right_so_far_has_an_interval_and_its_lower_end_is_told() -> None:
    made = rule("accuracy ±3pp")
    decision = ends(made, answers(OF, 1.0))
    assert decision is not None
    lo, hi = wilson_interval(decision.at, decision.at, OF)
    assert made.told()[0].startswith(f"accuracy 1.000 ({lo:.3f} … {hi:.3f}, half-width ")
    assert lo < 0.97


def test_a_question_without_a_right_answer_costs_and_is_not_right() -> None:
    """As in the run's own figure: it neither ends the rule nor makes it unreachable."""
    questions = answers(OF, 0.6)
    questions[4] = (replace(questions[4][0], verdict=None, correct=None),)
    joules = [10.0 + 3.0 * (one[0].completion_tokens or 0) for one in questions]
    view = metered(questions, joules)
    for text in ("joules_per_correct ±50%", "tokens_per_correct ±50%", "latency_per_correct ±50%"):
        made = rule(text)
        decision = made.decide(Finished(questions, OF, lambda n: view))
        assert decision is not None, made.told()
        assert "nan" not in made.told()[0]
        if "joules" in text:
            right = sum(bool(one[0].correct) for one in questions[: decision.at])
            figure = sum(joules[: decision.at]) / right
            assert f"{figure:.4g} J" in made.told()[0]


def test_decisions_with_repeats_keep_one_alpha() -> None:
    """A bound at the truth is decided wrongly in at most one run of twenty, whatever the repeats are like."""
    chance = random.Random(17)
    wrong = 0
    for _ in range(60):
        right = [[True, True]] * 90 + [[True, False]] * 60 + [[False, False]] * 50
        chance.shuffle(right)
        questions = [
            tuple(
                item(n, repeat=k, verdict=Verdict.CORRECT if one else Verdict.WRONG)
                for k, one in enumerate(pair)
            )
            for n, pair in enumerate(right)
        ]
        wrong += ends(rule("accuracy > 0.6", of=200), questions, of=200) is not None
    assert wrong <= 60 * 0.05 + 2


def test_a_cost_that_drifts_ends_nothing_and_says_why() -> None:
    """An engine that slows down by a third over four hundred questions: narrow, and not that of all."""
    chance = random.Random(3)
    late = [(item(n, end_s=1.0 + n / 1200 + 0.1 * chance.random()),) for n in range(400)]
    made = rule("latency ±5%")
    assert ends(made, late) is None
    assert "not believed while its halves differ (" in made.told()[0]
    steady = [(item(n, end_s=1.0 + 0.1 * chance.random()),) for n in range(400)]
    assert ends(rule("latency ±5%"), steady) is not None
    # of tokens a question decides, and questions come in random order
    longer = [(item(n, tokens=20 + n // 20),) for n in range(400)]
    assert ends(rule("tokens ±20%"), longer) is not None


def test_everything_asked_is_looked_at_once_more() -> None:
    questions = answers(52, 0.6)
    made = rule("accuracy ±1pp", of=52)
    assert ends(made, questions, 52) is None
    assert made.looked_at == 50
    made.look_at_all(Finished(questions, 52, no_meter))
    assert made.looked_at == 52
    share = sum(bool(one[0].correct) for one in questions) / 52
    assert f"accuracy {share:.3f} ({share:.3f} … {share:.3f}, half-width 0pp)" in made.told()[0]


def test_a_rule_that_was_named_late_looks_first_at_what_there_was() -> None:
    made = rule("accuracy ±20pp")
    made.begin(187)
    assert made.next_look == 187
    decision = ends(made, answers(200, 0.6))
    assert decision is not None
    assert decision.at == made.looked_at == 187

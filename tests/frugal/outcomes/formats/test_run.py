"""The outcomes of a run of ours: they add up to its figures."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from doubles.compared_runs import run
from doubles.run_views import item
from joulemark.frugal.outcomes.formats.run import outcomes_of_run
from joulemark.metrics.summary import summarize
from joulemark.record.energy import Withheld
from joulemark.record.errors import InputError
from joulemark.record.item import Verdict
from joulemark.record.manifest import Rates, StopFacts, Stopped
from joulemark.record.reason import Reason

JOULES = [10.0, 30.0, 20.0, 40.0, 15.0, 25.0, 35.0, 12.0]
CORRECT = [True, False, True, True, False, True, True, False]


def test_it_adds_up_to_the_figures_of_the_run() -> None:
    view = run(JOULES, CORRECT, idle_j=16.0, rates=Rates(usd_per_kwh=0.3, gco2e_per_kwh=400.0, pue=1.2))
    found, figures = outcomes_of_run(view), summarize(view).figures
    assert found.values.tolist() == [float(one) for one in CORRECT]
    assert (found.metric, found.is_binary, found.modelled) == ("accuracy", True, frozenset())
    assert found.item_ids == tuple(f"q{k:04d}" for k in range(8))
    # what belongs to no item is spread evenly
    assert found.costs["energy_j"].tolist() == pytest.approx([joules + 2 for joules in JOULES])
    n_correct = found.values.sum()
    for cost, figure in (("energy_j", "joules"), ("usd", "usd"), ("gco2e", "gco2e")):
        expected = figures[f"{figure}_per_correct_answer"].value
        assert found.costs[cost].sum() / n_correct == pytest.approx(expected)
    assert found.costs["wall_s"].sum() == pytest.approx(view.duration_s)
    assert found.costs["completion_tokens"].tolist() == [20] * 8


@pytest.mark.parametrize(
    ("facts", "n_items"),
    [
        ({"n_items": 8, "n_whole": None}, None),
        ({"n_items": 20, "n_whole": None}, 20),
        ({"n_items": 8, "n_whole": 500}, 500),
        ({"n_items": 20, "n_whole": 500, "is_listed": True}, 20),
    ],
)
def test_it_knows_what_its_items_are_a_random_part_of(facts: dict[str, object], n_items: int | None) -> None:
    view = run(JOULES, CORRECT)
    task = view.manifest.task.model_copy(update={"subset_key": "joulemark", **facts})
    found = outcomes_of_run(
        dataclasses.replace(view, manifest=view.manifest.model_copy(update={"task": task}))
    )
    assert (found.n_items, found.n_whole) == (n_items, facts["n_whole"])


@pytest.mark.parametrize(("target", "told"), [("accuracy > 0.5", True), ("accuracy ±5pp", False)])
def test_of_a_run_that_a_decision_ended_it_says_so(target: str, told: bool) -> None:
    view = run(JOULES, CORRECT)
    ended = Stopped(at=8, asked=8, of=view.manifest.task.n_items, segment=0, binding=[target])
    rule = StopFacts(targets=[target], least=5, every=1, stopped=ended)
    manifest = view.manifest.model_copy(update={"stop": rule})
    found = outcomes_of_run(dataclasses.replace(view, manifest=manifest))
    assert any("A decision ended this run" in warning for warning in found.warnings) == told
    assert found.decided == told


def test_how_a_run_was_ended_goes_with_its_outcomes() -> None:
    view = run(JOULES, CORRECT)

    def warnings(state: str, *rules: tuple[int | None, int]) -> str:
        facts = [
            StopFacts(
                targets=["accuracy ±9pp"],
                least=1,
                every=1,
                named_at=named_at,
                stopped=Stopped(at=at, asked=at, of=60, segment=0, binding=[]),
            )
            for named_at, at in rules
        ]
        manifest = view.manifest.model_copy(
            update={
                "state": state,
                "task": view.manifest.task.model_copy(update={"n_items": 60}),
                "stop": facts[-1] if facts else None,
                "earlier_stops": facts[:-1],
            }
        )
        return " ".join(outcomes_of_run(dataclasses.replace(view, manifest=manifest)).warnings)

    assert warnings("complete") == ""
    assert warnings("complete", (0, 8)) == ""
    assert "Whoever ended it could see the answers" in warnings("partial")
    by_hand = warnings("partial", (8, 8))
    assert "the run was ended by hand" in by_hand
    assert "Whoever" not in by_hand
    assert "Rules had ended the run at 4, 6 questions before" in warnings("complete", (0, 4), (4, 6), (6, 8))


def test_repeats_of_a_question_are_one_item() -> None:
    ids = ["a", "b", "a", "b"]
    view = run([10, 20, 30, 40], [True, False, False, False], ids=ids, repeats=[0, 0, 1, 1])
    found = outcomes_of_run(view)
    assert found.item_ids == ("a", "b")
    assert found.values.tolist() == [0.5, 0.0]
    assert found.costs["energy_j"].tolist() == [20, 30]
    assert found.metric == "score"  # a mean over repeats is neither right nor wrong


def test_token_prices_of_an_engine_elsewhere() -> None:
    rates = Rates(usd_per_million_prompt_tokens=1.0, usd_per_million_completion_tokens=5.0)
    view = run(JOULES, CORRECT, rates=rates)
    found = outcomes_of_run(view)
    assert found.costs["usd"].sum() / 5 == pytest.approx(
        summarize(view).figures["usd_per_correct_answer"].value
    )


def test_a_failed_request_is_not_correct_and_costs() -> None:
    view = run(JOULES, CORRECT)
    items = list(view.items)
    items[0] = dataclasses.replace(items[0], verdict=Verdict.FAILED, correct=None, score=None)
    found = outcomes_of_run(dataclasses.replace(view, items=tuple(items)))
    assert found.values[0] == 0
    assert found.costs["energy_j"][0] == 10


def test_without_a_meter_there_is_no_energy_and_a_reason() -> None:
    view = dataclasses.replace(run(JOULES, CORRECT), headline_energy=Withheld(Reason.NO_METER))
    found = outcomes_of_run(view)
    assert "energy_j" not in found.costs
    assert "no energy_j" in found.notes[0]
    assert "e2el_s" in found.costs


def test_scores_keep_the_range_of_their_task() -> None:
    view = run(JOULES, CORRECT)
    scored = tuple(
        dataclasses.replace(one, verdict=None, correct=None, score=float(k * 10))
        for k, one in enumerate(view.items)
    )
    task = view.manifest.task.model_copy(update={"score_range": (0.0, 100.0)})
    manifest = view.manifest.model_copy(update={"task": task})
    found = outcomes_of_run(dataclasses.replace(view, items=scored, manifest=manifest))
    assert (found.metric, found.low, found.high) == ("score", 0, 100)
    assert found.values.tolist() == [k * 10 for k in range(8)]


def test_what_a_simulation_says_is_modelled() -> None:
    view = run(JOULES, CORRECT)
    engine = view.manifest.engine.model_copy(update={"kind": "simulated:vllm"})
    manifest = view.manifest.model_copy(update={"engine": engine})
    found = outcomes_of_run(dataclasses.replace(view, manifest=manifest))
    assert {"energy_j", "e2el_s", "wall_s"} <= found.modelled


def test_a_run_without_outcomes_says_why() -> None:
    ungraded = tuple(
        item(k, verdict=None, correct=None, reasons={"correct": Reason.NOT_GRADED.value}) for k in range(3)
    )
    view = dataclasses.replace(run(JOULES, CORRECT), items=ungraded, attributions=())
    with pytest.raises(InputError, match="no outcome"):
        outcomes_of_run(view)


def test_a_cost_can_stand_for_the_values() -> None:
    found = outcomes_of_run(run(JOULES, CORRECT), metric="energy_j")
    assert found.metric == "energy_j"
    assert np.allclose(found.values, JOULES)
    with pytest.raises(InputError, match="no 'usd'"):
        outcomes_of_run(run(JOULES, CORRECT), metric="usd")


def test_a_run_that_asked_a_part_of_its_questions_knows_how_many_there_are() -> None:
    view = run(JOULES, CORRECT)
    assert view.manifest.task.n_items > len(JOULES)
    assert outcomes_of_run(view).n_items == view.manifest.task.n_items
    task = view.manifest.task.model_copy(update={"n_items": len(JOULES)})
    whole = dataclasses.replace(view, manifest=view.manifest.model_copy(update={"task": task}))
    assert outcomes_of_run(whole).n_items is None

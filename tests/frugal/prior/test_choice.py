"""Choosing items: seeded, written, read back, and judged by what they gave."""

from __future__ import annotations

import dataclasses
import io
import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest
from rich.console import Console

from joulemark.frugal.outcomes.outcome_matrix import OutcomeMatrix
from joulemark.frugal.outcomes.outcomes import Outcomes
from joulemark.frugal.prior.choice import Choice, Method, read_choice
from joulemark.frugal.prior.control_variate import prior_slope
from joulemark.frugal.prior.draw import choose
from joulemark.frugal.prior.earlier import joined, read_prior, without_model
from joulemark.frugal.prior.expected_gain import expected_gain
from joulemark.frugal.prior.judge import by_regression, judge
from joulemark.frugal.prior.judgement_json import judgement_json
from joulemark.record.errors import InputError
from joulemark.report.frugal_estimate import print_choice, print_judgement

N_ITEMS = 400
METHODS: tuple[Method, ...] = ("strata", "random", "anchors")


def _prior(m: int = 8, seed: int = 0) -> OutcomeMatrix:
    random = np.random.default_rng(seed)
    difficulty = random.beta(0.6, 0.6, N_ITEMS)
    values = (random.random((m, N_ITEMS)) < difficulty).astype(float)
    ids = tuple(f"q{k}" for k in range(N_ITEMS))
    return OutcomeMatrix("sums", tuple(f"m{k}" for k in range(m)), values, ids)


def _new_model(prior: OutcomeMatrix, seed: int = 9) -> Outcomes:
    random = np.random.default_rng(seed)
    values = (random.random(N_ITEMS) < prior.item_means()).astype(float)
    joules = 5 + 10 * (1 - prior.item_means()) + random.random(N_ITEMS)
    return Outcomes("new", "accuracy", values, item_ids=prior.item_ids, costs={"energy_j": joules})


@pytest.mark.parametrize("method", METHODS)
def test_a_choice_is_the_same_for_everybody_and_reads_back(tmp_path: Path, method: Method) -> None:
    prior = _prior()
    choice = choose(prior, 60, method=method, key="k")
    assert choice == choose(prior, 60, method=method, key="k")
    assert set(choice.item_ids) <= set(prior.item_ids)
    assert len(choice.item_ids) == len(set(choice.item_ids)) == 60
    if method != "anchors":
        assert choice.item_ids != choose(prior, 60, method=method, key="other").item_ids
    path = tmp_path / "choice.json"
    path.write_bytes(orjson.dumps(choice.to_json()))
    assert read_choice(path) == choice


def test_a_larger_plain_choice_holds_the_smaller() -> None:
    small, large = (choose(_prior(), n, method="random", key="k") for n in (40, 90))
    assert set(small.item_ids) < set(large.item_ids)


@pytest.mark.parametrize("allocation", ["proportional", "neyman"])
def test_strata_hold_what_is_asked(allocation: str) -> None:
    choice = choose(_prior(), 61, key="k", allocation=allocation, n_strata=7)
    assert sum(one.size for one in choice.strata) == N_ITEMS
    assert sorted(item for one in choice.strata for item in one.item_ids) == sorted(choice.item_ids)
    assert all(len(one.item_ids) >= 2 for one in choice.strata)
    means = [one.prior_mean for one in choice.strata]
    assert means == sorted(means, key=lambda mean: mean or 0.0)


def test_numbers_that_cannot_be() -> None:
    with pytest.raises(InputError, match="401 items"):
        choose(_prior(), 401, key="k")
    with pytest.raises(InputError, match="cannot be spread") as error:
        choose(_prior(), 10, key="k", n_strata=6)
    assert "--strata 5" in error.value.fix


@pytest.mark.parametrize("method", METHODS)
def test_what_the_chosen_items_say(method: Method) -> None:
    prior = _prior()
    model = _new_model(prior)
    judged = judge(choose(prior, 100, method=method, key="k"), model)
    assert judged.figure.value == pytest.approx(model.values.mean(), abs=0.12)
    document = judgement_json(judged)
    assert orjson.dumps(document)
    assert (document["n_asked"], document["n_items"]) == (100, N_ITEMS)
    if method == "anchors":
        assert document["figure"]["interval"] is None
        assert "up to 9 percentage points" in document["warnings"][0]
        assert document["costs"]["energy_j"]["interval"] is None
        assert document["costs_per_correct"]["energy_j"]["interval"] is None
        return
    assert judged.warnings == ()
    joules = model.costs["energy_j"]
    assert judged.costs["energy_j"].value == pytest.approx(joules.mean(), rel=0.05)
    per_correct = judged.per_correct["energy_j"]
    assert per_correct.value == pytest.approx(joules.sum() / model.values.sum(), rel=0.15)
    assert per_correct.lo is not None
    assert document["variance_reduction"] > 1
    assert document["worth_items"] > 100


def test_intervals_of_costs_cover_where_allocation_is_not_in_proportion() -> None:
    """Hard items are asked more often and cost more: a plain mean of the sample would be too high."""
    prior = _prior(12, seed=3)
    model = _new_model(prior, seed=4)
    joules = model.costs["energy_j"]
    truth, ratio = joules.mean(), joules.sum() / model.values.sum()
    hits = np.zeros(2)
    rounds = 300
    for k in range(rounds):
        judged = judge(choose(prior, 100, key=f"key {k}", allocation="neyman", n_strata=10), model)
        for place, (found, true) in enumerate(
            ((judged.costs["energy_j"], truth), (judged.per_correct["energy_j"], ratio))
        ):
            assert found.lo is not None
            assert found.hi is not None
            hits[place] += found.lo <= true <= found.hi
    assert (hits / rounds >= 0.91).all(), hits / rounds


def test_how_a_run_was_ended_is_told_and_a_decision_takes_the_interval() -> None:
    prior = _prior()
    model = dataclasses.replace(_new_model(prior), warnings=("it was ended by hand",))
    choice = choose(prior, 100, key="k")
    judged = judge(choice, model)
    assert judged.warnings == ("it was ended by hand",)
    assert judged.figure.lo is not None
    decided = judge(choice, dataclasses.replace(model, decided=True))
    assert (decided.figure.value, decided.figure.lo, decided.figure.hi) == (judged.figure.value, None, None)
    told = judgement_json(decided)
    assert told["figure"]["interval"] is None
    assert "a decision ended the run" in told["figure"]["interval_reason"]
    assert told["costs_per_correct"]["energy_j"]["interval"] is None
    assert told["costs"]["energy_j"]["interval"] is not None
    console = Console(file=io.StringIO(), width=200)
    print_judgement(decided, console)
    assert isinstance(console.file, io.StringIO)
    assert "! it was ended by hand" in console.file.getvalue()
    assert "no interval: a decision ended the run" in console.file.getvalue()


def test_a_better_model_and_missing_items_are_told() -> None:
    prior = _prior()
    perfect = Outcomes("p", "accuracy", np.ones(N_ITEMS), item_ids=prior.item_ids)
    choice = choose(prior, 50, key="k", n_strata=5)
    judged = judge(choice, perfect)
    assert "looks better" in judged.warnings[0]
    assert "unbiased" in judged.warnings[0]
    some = dataclasses.replace(
        perfect, values=np.ones(45), item_ids=(*sorted(choice.item_ids)[:44], "elsewhere")
    )
    notes = judge(choice, some).notes
    assert any("6 of 50 chosen items have no outcome" in note for note in notes)
    assert any("1 outcomes are of items that were not chosen" in note for note in notes)
    with pytest.raises(InputError, match="none of the chosen items"):
        judge(choice, dataclasses.replace(some, values=np.ones(1), item_ids=("elsewhere",)))
    ids = choice.strata[0].item_ids
    with pytest.raises(InputError, match="strata have no outcome"):
        judge(choice, dataclasses.replace(some, values=np.ones(len(ids)), item_ids=ids))
    with pytest.raises(InputError, match="no item ids"):
        judge(choice, dataclasses.replace(perfect, item_ids=()))


def test_regression_without_a_choice() -> None:
    prior = _prior()
    model = _new_model(prior)
    places = np.random.default_rng(2).choice(N_ITEMS, 120, replace=False)
    asked = Outcomes(
        "new", "accuracy", model.values[places], item_ids=tuple(prior.item_ids[k] for k in places)
    )
    with pytest.raises(InputError, match="no random ones"):
        by_regression(prior, replace(asked, is_listed=True))
    judged = by_regression(prior, asked)
    assert judged.figure.value == pytest.approx(model.values.mean(), abs=0.1)
    assert judged.figure.gain is not None
    assert judged.figure.gain > 1
    assert "at random" in judged.notes[-1]
    assert not any("the task has" in note for note in judged.notes)
    of_part = by_regression(prior, replace(asked, n_whole=9000))
    assert f"speak of the {N_ITEMS} items that other models were asked; the task has 9,000" in " ".join(
        of_part.notes
    )
    assert (judgement_json(of_part)["n_whole"], judgement_json(of_part)["n_items"]) == (9000, N_ITEMS)
    assert judgement_json(judged)["n_whole_reason"]
    one = by_regression(prior.of_models(np.array([0])), asked)  # no slope can be known: it is fitted
    assert one.choice.control is not None
    assert one.choice.control.slope is None
    assert one.figure.lo is not None


def test_the_expected_gain_is_what_happens() -> None:
    prior = _prior(10)
    by_strata = expected_gain(prior, 100, method="strata", n_strata=20)
    by_regression_ = expected_gain(prior, 100, method="random")
    assert by_strata is not None
    assert by_regression_ is not None
    assert 1.2 < by_strata.median < 3
    assert by_regression_.median == pytest.approx(by_strata.median, rel=0.35)
    assert expected_gain(prior, 100, method="anchors") is None
    assert expected_gain(prior.of_models(np.array([0])), 100, method="strata") is None
    two = prior.of_models(np.array([0, 1]))
    assert expected_gain(two, 100, method="random") is None  # without one of them there is no slope
    assert expected_gain(two, 100, method="strata") is not None


def test_each_model_is_judged_by_a_slope_of_the_others_alone() -> None:
    prior = _prior(3)
    found = expected_gain(prior, 100, method="random")
    assert found is not None
    gains = []
    for place in range(3):
        others, y = prior.without(place).values, prior.values[place]
        left = y - prior_slope(others) * others.mean(axis=0)
        gains.append(float(y.var(ddof=1) / left.var(ddof=1)))
    assert (found.least, found.median, found.largest) == pytest.approx(tuple(sorted(gains)))


def test_files_of_models_are_joined_by_item(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item_id,correct\nx,1\ny,0\n")
    (tmp_path / "b.csv").write_text("item_id,correct\ny,1\nz,1\n")
    found = read_prior([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert found.item_ids == ("x", "y", "z")
    assert found.models == ("a", "b")
    assert found.item_means().tolist() == [1, 0.5, 1]
    assert read_prior([tmp_path / "a.csv", tmp_path / "b.csv"], leave_out="a").models == ("b",)
    (tmp_path / "c.csv").write_text("item_id,correct\nother,1\n")
    with pytest.raises(InputError, match="share no item"):
        read_prior([tmp_path / "a.csv", tmp_path / "c.csv"])
    with pytest.raises(InputError, match="no model to learn from"):
        read_prior([tmp_path / "a.csv"], leave_out="a")
    with pytest.raises(InputError, match="no model to learn from"):
        without_model(read_prior([tmp_path / "a.csv"]), "a")
    with pytest.raises(InputError, match="no 'nobody'") as error:
        without_model(_prior(), "nobody")
    assert "--leave-out" in error.value.fix
    with pytest.raises(InputError, match="cannot be matched"):
        joined([Outcomes("a", "accuracy", np.ones(3))])


@pytest.mark.parametrize(
    ("of", "value"),
    [
        ("kind", "else"),
        ("version", 2),
        ("method", "luck"),
        ("item_ids", []),
        ("item_ids", ["q1", "q1"]),
        ("n_items", 1),
        ("strata", []),
        ("strata", None),
        ("control", 3),
    ],
)
def test_a_choice_that_contradicts_itself_is_refused(tmp_path: Path, of: str, value: object) -> None:
    document = {**choose(_prior(), 30, key="k").to_json(), of: value}
    path = tmp_path / "choice.json"
    path.write_bytes(orjson.dumps(document))
    with pytest.raises(InputError, match="no choice of items"):
        read_choice(path)
    assert isinstance(choose(_prior(), 30, key="k"), Choice)


@pytest.mark.parametrize("weight", [0, -1, 300])
def test_weights_that_are_no_shares_are_refused(tmp_path: Path, weight: float) -> None:
    document = choose(_prior(), 30, method="anchors", key="k").to_json()
    path = tmp_path / "choice.json"
    path.write_bytes(orjson.dumps({**document, "weights": dict.fromkeys(document["weights"], weight)}))
    with pytest.raises(InputError, match="no choice of items"):
        read_choice(path)


@pytest.mark.parametrize("metric", ["score", "accuracy"])
def test_the_regression_is_unbiased_to_the_last_draw(metric: str) -> None:
    """Of seven items every sample of four, real-valued scores and right or wrong: the mean is the truth."""
    random = np.random.default_rng(2)
    values = random.random((4, 7)) if metric == "score" else (random.random((4, 7)) < 0.6).astype(float)
    ids = tuple(f"q{k}" for k in range(7))
    prior = OutcomeMatrix("tiny", ("a", "b", "c"), values[1:], ids)
    told = []
    for drawn in itertools.combinations(range(7), 4):
        places = list(drawn)
        outcomes = Outcomes("new", metric, values[0][places], item_ids=tuple(ids[k] for k in places))
        told.append(by_regression(prior, outcomes).figure.value)
    assert np.mean(told) == pytest.approx(values[0].mean(), abs=1e-12)
    assert np.std(told) > 0.01


def test_a_cost_is_no_better_than_a_prior_of_answers() -> None:
    prior = _prior()
    model = _new_model(prior)
    joules = model.costs["energy_j"]
    of_cost = Outcomes("new", "energy_j", joules, float(joules.min()), float(joules.max()), prior.item_ids)
    judged = judge(choose(prior, 100, method="random", key="k"), of_cost)
    assert judged.warnings == ()
    assert judged.figure.value == pytest.approx(joules.mean(), rel=0.05)
    assert (judged.figure.gain or 0) > 2  # as fitted to the sample: it falls with the items' mean


def _told_of_choice(m: int, n: int = 100) -> str:
    prior = _prior(m)
    choice = choose(prior, n, key="k")
    gain = expected_gain(prior, n, method="strata", n_strata=len(choice.strata))
    out = io.StringIO()
    print_choice(choice, gain, Path("items.json"), Console(file=out, width=200), levels=prior.n_levels)
    return out.getvalue()


def test_few_earlier_models_tell_few_levels_of_difficulty_and_one_no_gain() -> None:
    """It said "20 strata of difficulty" of a model that tells right from wrong."""
    one = _told_of_choice(1)
    assert "! the models tell 2 levels of difficulty apart, not 20" in one
    assert "No expected gain: each earlier model is judged by the others, which takes 2; there is 1" in one
    two = _told_of_choice(2)
    assert "the models tell 3 levels of difficulty apart" in two
    assert "Expected: a variance ×" in two
    assert "levels" not in _told_of_choice(40)


def test_a_prior_that_makes_it_worse_is_told_by_its_direction() -> None:
    """ "×0.88 smaller … worth 89 of these" read as a gain."""
    prior = _prior()
    judged = judge(choose(prior, 60, key="k"), _new_model(prior))

    def told(gain: float) -> str:
        out = io.StringIO()
        figure = replace(judged.figure, gain=gain)
        print_judgement(replace(judged, figure=figure), Console(file=out, width=200))
        return out.getvalue()

    assert "×1.25 larger than that of 60 plain items: worth 49 of these" in told(0.8)
    assert "worse than plain sampling: leave the prior out" in told(0.8)
    assert "×1.25 smaller than that of 60 plain items: worth 72 of these" in told(1.25)
    assert "worse" not in told(1.25)
    assert "no smaller than that of 60 plain items" in told(0.999)

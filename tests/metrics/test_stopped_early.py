"""The ledger of a run that a rule ended: what was asked and what was not are the whole task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from doubles.run_views import item
from joulemark.metrics import summarize
from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.attribution import attribute_sequential
from joulemark.metrics.pooling import NotPoolable, pool
from joulemark.metrics.run_view import RunView
from joulemark.metrics.stopped_early import stopped_early
from joulemark.record.item import Verdict
from joulemark.record.manifest import Manifest, Rates, StopFacts, Stopped, Task
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

OF = 800


def of_rule(n: int, **fields: object) -> Manifest:
    """Return the manifest of a run that was ended after ``n`` of `OF` questions."""
    ended = Stopped(at=n, asked=n, of=OF, segment=0, binding=["accuracy ±5pp"])
    told = ["accuracy 0.500 ±4.9pp, target ±5pp: met"]
    return run_views.manifest(
        task=Task(name="quick", revision="1", n_items=OF, template_hash="7c4a8d09"),
        stop=StopFacts(targets=["accuracy ±5pp"], least=30, every=10, told=told, stopped=ended),
        **fields,
    )


def run(joules: Sequence[float], *, idle_j: float = 0.0, right: int = 2, **fields: object) -> RunView:
    """Return answers with an energy each; every ``right``-th is correct, each takes a tenth of its joules."""
    items, at_s = [], 0.0
    for n, one in enumerate(joules):
        verdict = Verdict.CORRECT if n % right == 0 else Verdict.WRONG
        items.append(item(n, start_s=at_s, end_s=one / 10, verdict=verdict))
        at_s += one / 10 + 1
    total = run_views.measured(float(sum(joules)) + idle_j, 0.01 * float(sum(joules)))
    energies = [run_views.measured(one) for one in joules]
    rows, _ = attribute_sequential(items, energies, [run_views.measured(idle_j)], total, "gpu:0")
    return RunView(
        manifest=of_rule(len(joules), **fields),
        items=tuple(items),
        headline_energy=total,
        headline_scope=Scope.gpu(0).label,
        headline_method=rows[0].method,
        attributions=rows,
        duration_s=at_s,
        wanted=OF,
    )


def test_of_a_limited_run_the_intervals_are_those_of_the_task_and_the_ledger_that_of_the_limit() -> None:
    joules = list(np.random.default_rng(4).normal(50, 10, 40))

    def limited(n_whole: int | None, *, is_listed: bool = False) -> RunView:
        view = run(joules)
        facts = {"n_whole": n_whole, "subset_key": "joulemark", "is_listed": is_listed}
        task = view.manifest.task.model_copy(update=facts)
        return replace(view, manifest=view.manifest.model_copy(update={"task": task}))

    own, of_task, of_list, older = (
        limited(OF),
        limited(8 * OF),
        limited(8 * OF, is_listed=True),
        limited(None),
    )
    told = [stopped_early(view) for view in (own, of_task, of_list, older)]
    assert [one and one.population for one in told] == [OF, 8 * OF, OF, OF]
    assert len({str(one and one.lines) for one in told}) == 1
    for name in ("accuracy", "joules_per_correct_answer"):
        width = [_width(view, name) for view in (own, of_task, of_list, older)]
        assert width[0] == width[2] == width[3] <= width[1], name
    assert _width(own, "accuracy") < _width(of_task, "accuracy")
    told = summarize(of_task).these
    assert told is not None
    assert (told.questions, told.asked) == (8 * OF, 40)


def _width(view: RunView, name: str) -> float:
    """Return that of the run's own questions; of a cost that nothing settles, that of the figure."""
    summary = summarize(view)
    value, these = summary.figures[name], summary.these
    assert these is not None
    lo, hi = these.intervals.get(name, (value.lo, value.hi))
    assert lo is not None
    assert hi is not None
    return hi - lo


PRICED = Rates(usd_per_kwh=0.3, gco2e_per_kwh=56.0, pue=1.2)


@settings(max_examples=30)
@given(st.lists(st.floats(1.0, 500.0), min_size=12, max_size=60, unique=True), st.floats(0.0, 1e4))
def test_asked_and_saved_are_the_whole_task(joules: list[float], idle_j: float) -> None:
    view = run(joules, idle_j=idle_j, rates=PRICED)
    told = stopped_early(view)
    assert told is not None
    assert told.asked + (told.of - told.asked) == told.of == OF
    assert told.requests_asked + told.requests_saved == OF
    for line in told.lines:
        assert line.asked.value is not None
        assert line.saved.value is not None
        assert line.asked.value + line.saved.value == pytest.approx(line.whole.value, rel=1e-12)
        if line.saved.interval_reason is Reason.COST_CHANGED:
            assert (line.saved.lo, line.saved.hi) == (None, None)
            continue
        assert line.saved.interval == "ci95"
        assert line.saved.lo is not None
        assert line.saved.hi is not None
        assert line.saved.lo <= line.saved.value <= line.saved.hi
    by_name = {line.name: line for line in told.lines}
    asked_j, saved_j = by_name["joules"].asked.value, by_name["joules"].saved.value
    assert asked_j == pytest.approx(sum(joules) + idle_j)
    assert by_name["usd"].saved.value == pytest.approx(saved_j * 0.3 * 1.2 / 3.6e6)
    assert by_name["gco2e"].saved.value == pytest.approx(saved_j * 56.0 * 1.2 / 3.6e6)


def test_the_interval_holds_what_the_others_would_have_cost() -> None:
    """Of 300 samples of one task about 95 % hold the truth: neither far fewer nor all."""
    chance = np.random.default_rng(8)
    task = chance.lognormal(3.0, 0.6, OF)
    held, n_told = 0, 0
    for _ in range(300):
        order = chance.permutation(OF)
        told = stopped_early(run(task[order[:120]].tolist()))
        assert told is not None
        saved = told.lines[1].saved
        if saved.interval_reason is Reason.COST_CHANGED:
            continue  # by chance, in two of a hundred
        n_told += 1
        assert saved.lo is not None
        assert saved.hi is not None
        # the meter's bound of 1 % widens it beside
        truth = float(task[order[120:]].sum())
        held += saved.lo / 0.99 <= truth <= saved.hi / 1.01
    assert n_told >= 288
    assert 0.91 <= held / n_told <= 0.985


def test_a_figure_speaks_of_the_model_and_its_own_questions_stand_beside_it() -> None:
    joules = [float(20 + n % 13) for n in range(400)]
    summary = summarize(run(joules))
    half = summary.figures["accuracy"]
    assert half.n == 400
    assert (half.lo, half.hi) == pytest.approx(wilson_interval(200, 400))
    assert half.interval_method == ""
    assert summary.these is not None
    lo, hi = summary.these.intervals["accuracy"]
    # half of the questions were asked: 1 / sqrt(2) of the width that 400 of any number have
    assert hi - lo == pytest.approx(2 * 0.0489 * 0.7071, rel=0.01)
    document = summary.to_json()
    ledger = document["stopped_early"]
    assert isinstance(ledger, dict)
    assert ledger["questions_saved"] == 400
    assert ledger["binding"] == ["accuracy ±5pp"]


def test_without_joules_there_is_a_reason_and_no_number() -> None:
    view = RunView(
        manifest=of_rule(20),
        items=tuple(item(n, start_s=2.0 * n) for n in range(20)),
        duration_s=40.0,
    )
    told = stopped_early(view)
    assert told is not None
    by_name = {line.name: line.to_json() for line in told.lines}
    assert by_name["seconds"]["asked"] == 40.0
    assert by_name["seconds"]["saved_estimated"] == pytest.approx(40.0 / 20 * 780)
    for name in ("joules", "usd", "gco2e"):
        assert by_name[name]["saved_estimated"] is None
        assert by_name[name]["reason"] is not None


def test_too_few_units_have_an_estimate_and_no_interval() -> None:
    told = stopped_early(run([10.0] * 5))
    assert told is not None
    assert told.lines[1].saved.value == pytest.approx(10.0 * 795)
    assert told.lines[1].saved.interval is None
    assert told.lines[1].to_json()["interval_reason"] is not None


def test_answers_that_cost_the_same_have_an_estimate_and_no_interval() -> None:
    told = stopped_early(run([10.0] * 40))
    assert told is not None
    saved = told.lines[1].saved
    assert (saved.value, saved.interval_reason) == (pytest.approx(10.0 * 760), Reason.NO_SPREAD)


def test_a_run_that_no_rule_ended_has_no_ledger() -> None:
    summary = summarize(run_views.with_lengths(20))
    assert summary.stopped is None
    assert summary.to_json()["stopped_early"] is None
    assert summary.figures["accuracy"].interval_method == ""


def test_answers_that_were_picked_are_no_sample() -> None:
    """A journal without some wrong answers: no interval of the task, no ledger, and a loud sentence."""
    view = run([10.0] * 40)
    picked = replace(view, items=tuple(one for one in view.items if one.index % 4 != 1))
    summary = summarize(picked)
    assert summary.stopped is None
    assert summary.figures["accuracy"].interval_method == ""
    assert any(caveat.loud and caveat.code == "not_the_first" for caveat in summary.caveats)
    assert not any(caveat.code == "not_the_first" for caveat in summarize(view).caveats)


def test_runs_that_asked_different_numbers_of_questions_are_not_pooled() -> None:
    one, other = run([10.0] * 40), run([10.0] * 50, run_id="another")
    with pytest.raises(NotPoolable, match="different numbers of questions"):
        pool([one, other])
    pool([one, run([11.0] * 40, run_id="another")])


def test_a_run_that_a_decision_ended_says_that_its_accuracy_is_rather_too_large() -> None:
    view = run([10.0 + n % 7 for n in range(40)])
    stop = view.manifest.stop
    assert stop is not None
    told = "accuracy 0.900, within 0.71 and 0.98 at any look, target > 0.7: so it is"
    decided = stop.model_copy(update={"targets": ["accuracy > 0.7"], "told": [told]})
    manifest = view.manifest.model_copy(update={"stop": decided})
    (caveat,) = (one for one in summarize(replace(view, manifest=manifest)).caveats if one.code == "decided")
    assert caveat.loud
    assert "within 0.71 and 0.98 at any look" in caveat.text
    assert not any(one.code == "decided" for one in summarize(view).caveats)

import dataclasses
import re

import numpy as np

from doubles import loaded_views, run_views, slow_meter_runs, varied_runs
from joulemark.metrics import summarize
from joulemark.metrics.value import Value
from joulemark.record.energy import MeasuredEnergy
from joulemark.report.headline import energy_tile
from joulemark.report.how_sure import how_sure, what_weighs
from joulemark.report.wording import figure_texts


def _told(view):
    return " ".join(how_sure(summarize(view)))


def test_interval_bound_and_larger_doubt_are_the_run_s_own():
    view = run_views.with_counter()
    told = _told(view)
    summary = summarize(view)
    value = summary.figures["joules_per_correct_answer"]
    assert f"{value.lo:.0f} … {value.hi:.0f} J is the 95 % interval" in told
    assert "for the 60 questions asked" in told
    assert "at most 22 J of 8,893 J (0.25 %)" in told
    bound = summary.figures["joules_per_correct_answer_bound"]
    ratio = (value.hi - value.lo) / (bound.hi - bound.lo)
    assert f"The questions are the larger doubt, {ratio:.0f} times the meter's bound" in told
    assert "It is one run" in told
    assert "Tier C" in told
    assert "no meter outside the device checked it" in told
    assert "+2.7 % against its counter" in told


def test_a_poor_meter_is_the_larger_doubt():
    view = run_views.with_counter()
    total = view.headline_energy
    assert isinstance(total, MeasuredEnergy)
    wide = dataclasses.replace(total, lo=total.joules * 0.2, hi=total.joules * 1.8)
    assert "The meter is the larger doubt" in _told(dataclasses.replace(view, headline_energy=wide))


def test_repeats_tell_their_spread_and_not_that_it_is_one_run():
    told = _told(varied_runs.repeated())
    assert "It is one run" not in told
    assert "Everything was asked 3 times: 278 J ± 27 J (n = 3)" in told


def test_few_questions_have_no_interval_and_it_is_said():
    view = run_views.with_counter(8, seed=3)
    summary = summarize(view)
    assert summary.figures["joules_per_correct_answer"].lo is None
    told = " ".join(how_sure(summary))
    assert "95 % interval, a range" not in told.split("Accuracy")[0]
    assert "no interval can be given for so few (the least is 10)" in told
    one = _told(run_views.with_counter(1))
    assert "for the one question asked" in one


def test_scores_are_sure_in_their_own_way():
    told = _told(varied_runs.real_valued())
    assert told.startswith("Energy per request is")
    assert "Mean score is 0.54, by its 95 % interval 0.49 … 0.59." in told


def test_without_joules_the_processor_time_is_told_and_no_meter_s_bound():
    told = _told(run_views.without_meter())
    assert told.startswith("Processor time per correct answer is")
    assert "Energy was not measured: No energy meter" in told
    assert "bound" not in told
    assert "Tier" not in told


def test_a_replayed_run_is_sure_of_nothing():
    told = _told(run_views.replayed())
    assert "say nothing of this run" in told
    assert "The warnings at the top weigh more" in told
    assert "against its counter" not in told


def test_no_answer_leaves_only_the_meter():
    told = how_sure(summarize(varied_runs.all_failed()))
    assert "nothing to be sure of" in told[0]
    assert len(told) == 2
    assert what_weighs(summarize(varied_runs.all_failed())) == []


def test_a_meter_without_any_slack_divides_by_nothing():
    view = run_views.with_counter()
    summary = summarize(view)
    exact = {
        name: Value(v.value, v.unit, v.value, v.value, "bound") if v.interval == "bound" else v
        for name, v in summary.figures.items()
    }
    told = " ".join(how_sure(dataclasses.replace(summary, figures=exact)))
    assert "The questions are the larger doubt: more" in told


def test_an_interval_over_blocks_names_its_method_and_a_missing_one_says_what_to_do():
    rng = np.random.default_rng(4)
    view = slow_meter_runs.view(slow_meter_runs.answers(300, rng), rng)
    n = len(view.blocks.blocks)
    made = f"bootstrap of {n} blocks of answers, since the meter renews about every 1 s"
    assert f"the 95 % interval (by {made}), a range" in _told(view)
    summary = summarize(view)
    assert any(
        line.startswith("Over items: 95 % interval") and made in line for line in energy_tile(summary).lines
    )
    short = slow_meter_runs.view(slow_meter_runs.answers(60, rng), rng)
    assert "without an interval: The meter is too slow for single answers" in _told(short)
    assert "Ask more questions (for about 100 s in all)" in _told(short)


def test_of_a_loaded_run_it_speaks_of_the_steady_state_that_leads():
    summary = summarize(loaded_views.closed())
    steady, whole = (
        summary.figures[name] for name in ("steady_joules_per_correct_answer", "joules_per_correct_answer")
    )
    text = figure_texts("", steady)[0]
    assert text != figure_texts("", whole)[0]
    told = " ".join(how_sure(summary))
    assert told.startswith(f"Energy per correct answer under load is {text} for the ")
    bound = summary.figures["steady_joules_per_request_bound"]
    share = 100 * max(bound.value - bound.lo, bound.hi - bound.value) / bound.value
    assert f"at most {share:.2g} % of the steady state's energy" in told
    assert "The questions are the larger doubt" in told
    assert "joulemark runs --spread" in told


def test_a_spread_says_of_what_it_is():
    told = _told(varied_runs.repeated())
    assert "(n = 3), mean ± standard deviation of the energy per correct answer." in told


def test_the_advice_for_an_interval_counts_questions_and_names_a_task_that_has_them():
    rng = np.random.default_rng(4)
    short = slow_meter_runs.view(slow_meter_runs.answers(60, rng), rng)
    blocks, items = short.blocks, short.measured_items
    told = blocks.too_few(items)
    needed = int(re.search(r"([\d,]+) of their length in place of 60", told)[1])
    assert 60 < needed <= 1319
    assert f"`joulemark bench run gsm8k --limit {needed}` has enough" in told
    for _ in range(8):
        more = slow_meter_runs.view(slow_meter_runs.answers(needed, rng), rng)
        assert len(more.blocks.blocks) >= 10, "the advice leads to an interval"
    slow = dataclasses.replace(blocks, renewal_s=1e5)
    assert "(no task here has so many)" in slow.too_few(items)

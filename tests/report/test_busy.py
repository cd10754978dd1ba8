"""A busy machine in a report: accuracy leads, times have a dagger, and no verdict rests on them."""

import dataclasses
import io

import pytest
from rich.console import Console

from doubles import run_views
from doubles.compared_runs import simulated_pair, without_joules
from joulemark.metrics import summarize
from joulemark.metrics.compare_runs import compare_runs
from joulemark.report.busy import DAGGER, NOTE
from joulemark.report.comparison_html import render_comparison
from joulemark.report.comparison_terminal import print_comparison
from joulemark.report.headline import ENERGY, PROCESSOR, leading
from joulemark.report.html import render
from joulemark.report.page import page_values
from joulemark.report.terminal import print_summary


def _busy(view):
    return dataclasses.replace(view, foreign_cpu_share=0.66)


def _printed(view):
    out = io.StringIO()
    print_summary(summarize(view), Console(file=out, width=100), view)
    return out.getvalue()


def test_accuracy_leads_where_processor_time_is_not_comparable():
    quiet = run_views.without_meter()
    assert leading(summarize(quiet)) == PROCESSOR
    assert leading(summarize(_busy(quiet))) == "accuracy"
    assert leading(summarize(_busy(run_views.with_counter()))) == ENERGY
    lines = _printed(_busy(quiet)).partition("SmolLM2")[2].splitlines()
    assert lines[1].startswith("Accuracy  ")


def test_times_have_a_dagger_and_nothing_else_has():
    view = _busy(run_views.without_meter())
    page = page_values(summarize(view), view)
    marked = {one.name for one in page["tiles"] if DAGGER in one.title}
    assert marked == {PROCESSOR, "tokens_per_second", "ttft"}
    rows = {row.name for row in page["figures"] if DAGGER in row.title}
    assert {"tokens_per_second", PROCESSOR} <= rows
    assert not {"accuracy", ENERGY, "foreign_cpu_share", "mean_completion_tokens"} & rows
    assert all(DAGGER in row.title for row in page["latencies"] if row.anchor)
    assert render(summarize(view), view).count(NOTE) == 1
    text = _printed(view)
    assert text.count(NOTE) == 1
    assert f"Processor time per correct answer {DAGGER}" in text


@pytest.mark.parametrize("make", [run_views.without_meter, run_views.with_counter])
def test_a_quiet_run_has_no_dagger(make):
    view = make()
    assert DAGGER not in render(summarize(view), view)
    assert DAGGER not in _printed(view)


def test_a_comparison_with_a_busy_run_leads_with_accuracy():
    a, b = map(without_joules, simulated_pair(40, 1, ratio=1.8))
    compared = compare_runs([(name, v, summarize(v)) for name, v in (("a", a), ("b", _busy(b)))])
    out = io.StringIO()
    print_comparison(compared, Console(file=out, width=300))
    text = out.getvalue()
    assert text.startswith("Accuracy of B against A: ")
    assert text.count("Accuracy of B against A: ") == 1
    assert "Other processes used 66 % of B's processor" in text
    assert "times the processor time" not in text
    page = render_comparison(compared)
    assert "CPU seconds in A" not in page
    assert "Accuracy of B against A: " in page

"""What is said of limits: the same lines in the terminal and on the page, of every kind of run."""

from __future__ import annotations

import dataclasses
import io

import pytest
from rich.console import Console

from doubles import loaded_views, run_views
from joulemark.metrics import Summary, summarize
from joulemark.metrics.run_view import RunView
from joulemark.metrics.slo import Slo
from joulemark.record.reason import Reason
from joulemark.report.html import render
from joulemark.report.limits import limit_lines, limit_tile, limit_words
from joulemark.report.terminal import print_summary

SLO = Slo(ttft_s=0.5, e2el_s=1.0)
PER_CORRECT = "Energy per correct answer within the limits"


def limited(view: RunView) -> RunView:
    manifest = view.manifest.model_copy(update={"limits_s": SLO.limits})
    return dataclasses.replace(view, manifest=manifest)


def printed(summary: Summary, view: RunView) -> str:
    out = io.StringIO()
    print_summary(summary, Console(file=out, width=300, legacy_windows=False), view)
    return out.getvalue()


def test_limits_in_words() -> None:
    assert limit_words(SLO) == "first token ≤ 500 ms, whole answer ≤ 1 s"
    assert limit_words(Slo(tpot_s=0.05)) == "each token after the first ≤ 50 ms"


def test_a_known_figure_has_its_interval() -> None:
    kept, correct, joules = limit_lines(summarize(limited(loaded_views.closed())))
    assert " %) of 388 counted requests kept first token ≤ 500 ms, whole answer ≤ 1 s." in kept
    assert correct.startswith("Correct answers within the limits: ")
    assert correct.endswith(" %), of 388 counted requests")
    assert joules.startswith(f"{PER_CORRECT}: ")
    assert "95 % interval" in joules


def test_a_withheld_one_has_its_reason() -> None:
    _, both = limit_lines(summarize(limited(run_views.with_counter())))
    assert both == f"— Correct answers within the limits, {PER_CORRECT}: {Reason.NOT_LOADED.text}"
    unseen = tuple(dataclasses.replace(one, t_first=None) for one in run_views.with_counter().items)
    slow = dataclasses.replace(limited(run_views.with_counter()), items=unseen)
    slow.manifest.limits_s.update(e2el=1e6)
    share = limit_lines(summarize(slow))[0]
    assert (
        share
        == "— Within first token ≤ 500 ms, whole answer ≤ 1e+06 s: For 60 of 60 requests it cannot be told."
    )


@pytest.mark.parametrize(
    "make", [run_views.with_counter, run_views.without_meter, loaded_views.closed, loaded_views.refused]
)
def test_terminal_and_page_say_the_same(make: object) -> None:
    assert callable(make)
    view = limited(make())
    summary = summarize(view)
    assert summary.slo is not None
    text, page = printed(summary, view), render(summary, view)
    lines = limit_lines(summary)
    assert all(" ".join(line.split()) in " ".join(text.split()) for line in lines)
    told = page.partition("<h2>Details</h2>")[0]
    assert all(line.partition("`")[0] in told for line in lines[:2])
    assert lines[-1] in told or limit_tile(summary.slo).text in told
    assert PER_CORRECT in told
    assert 'id="def-slo_joules_per_correct_answer"' in page
    assert 'id="def-slo_share"' in page


def test_without_limits_nothing_is_said() -> None:
    view = loaded_views.closed()
    summary = summarize(view)
    assert limit_lines(summary) == []
    assert "within the limits" not in printed(summary, view)
    assert "within the limits" not in render(summary, view).partition("<h2>Details</h2>")[0]

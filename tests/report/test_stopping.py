"""What ended a run early, in the terminal and on the page."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.metrics.run_view import RunView
from joulemark.record.manifest import StopFacts, Stopped
from joulemark.report.html import write_report
from joulemark.report.stopping import saved_rows, stop_sentences, unmet_sentence
from joulemark.report.terminal import print_summary


def stopped(*, at: int = 20, targets: int = 1, ended: bool = True) -> RunView:
    """Return a run of sixty questions that a rule ended after twenty."""
    view = run_views.with_lengths(20)
    texts = ["accuracy ±20pp", "joules ±<b>9%"][:targets]
    how = Stopped(at=at, asked=20, of=60, segment=0, binding=texts[-1:]) if ended else None
    rule = StopFacts(targets=texts, least=10, every=10, told=["accuracy 0.5 ±19pp: met"], stopped=how)
    return replace(view, manifest=view.manifest.model_copy(update={"stop": rule}))


def printed(view: RunView) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_summary(summarize(view), console, view)
    text = console.file
    assert isinstance(text, io.StringIO)
    return text.getvalue()


def test_the_terminal_says_what_ended_the_run_and_what_that_saved() -> None:
    view = stopped()
    text = printed(view)
    assert "Stopped early after 20 of 60 questions: by accuracy ±20pp." in text
    assert "accuracy 0.5 ±19pp: met" in text
    assert "those of these 60 questions, of which 20 were asked" in " ".join(text.split())
    rows = {row.title: row for row in saved_rows(summarize(view))}
    assert (rows["Questions"].asked, rows["Questions"].saved, rows["Questions"].whole) == ("20", "40", "60")
    assert "Saved" in text
    assert "Energy" in rows


def test_the_binding_target_is_named_and_when_it_was_met() -> None:
    (first, *_) = stop_sentences(summarize(stopped(at=10, targets=2)))
    assert "both targets were met, joules ±<b>9% last" in first
    assert "It was met after 10; 10 more were asked" in first


def test_the_page_shows_the_ledger_and_no_markup_of_a_target(tmp_path: Path) -> None:
    view = stopped(targets=2)
    page = tmp_path / "report.html"
    write_report(summarize(view), view, page)
    html = page.read_text()
    assert "When asking ended" in html
    assert "Whole task, estimated" in html
    assert "±<b>" not in html


def test_a_rule_that_ended_nothing_says_what_it_came_to() -> None:
    view = stopped(ended=False)
    assert "Everything was asked. At the last look: accuracy 0.5 ±19pp: met." in " ".join(
        printed(view).split()
    )
    assert unmet_sentence(run_views.with_lengths(20)) == ""

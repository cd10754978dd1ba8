"""What ended a run early, in the terminal and on the page."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.metrics.run_view import RunView
from joulemark.metrics.stopped_early import StoppedEarly
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
    assert "these 60 questions as answered in this run, of which 20 were asked: they do not" in " ".join(
        text.split()
    )
    rows = {row.title: row for row in saved_rows(summarize(view))}
    assert (rows["Questions"].asked, rows["Questions"].saved, rows["Questions"].whole) == ("20", "40", "60")
    assert "Saved" in text
    assert "Energy" in rows


def test_it_says_of_which_questions_the_intervals_speak() -> None:
    def last(view: RunView, *targets: str, **task: object) -> str:
        manifest = view.manifest.model_copy(deep=True)
        manifest.task = manifest.task.model_copy(update={"subset_key": "joulemark", **task})
        if manifest.stop is not None and targets:
            manifest.stop.targets = list(targets)
        view = replace(view, manifest=manifest)
        return (
            stop_sentences(summarize(view))[-1]
            if manifest.stop and manifest.stop.stopped
            else unmet_sentence(view)
        )

    limited = last(stopped(), n_whole=9000)
    assert "the task's 9,000 questions as answered in this run, of which 20 were asked" in limited
    assert "the 60 that --limit left are drawn from them at random" in limited
    paired = last(stopped(), "decided against 12ab (tie ±1pp)", n_whole=9000)
    assert "names the number that it speaks of" in paired
    assert "a list named these" in last(stopped(), n_whole=9000, is_listed=True)
    assert "do not speak of others" in last(stopped(), n_whole=None)
    whole = last(stopped(ended=False), n_whole=9000)
    assert "All 60 questions that --limit left were asked; the targets speak of the task's 9,000." in whole
    assert last(stopped(ended=False), n_whole=60).startswith("Everything was asked.")


def test_what_had_ended_the_run_before_it_went_on_is_told_in_order() -> None:
    first, second = (stopped(targets=k).manifest.stop for k in (1, 2))
    view = stopped(ended=False)
    view = replace(view, manifest=view.manifest.model_copy(update={"earlier_stops": [first, second]}))
    summary = summarize(view)
    one, two = stop_sentences(summary)
    assert one.startswith(
        "Before, accuracy ±20pp had ended the asking after 20 questions (accuracy 0.5 ±19pp: "
    )
    assert one.endswith("met); it went on.")
    assert "joules ±<b>9%" in two
    assert [earlier["questions_asked"] for earlier in summary.to_json()["earlier_stops"]] == [20, 20]
    assert "Before, accuracy" in " ".join(printed(view).split())


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
    assert "Whole run, estimated" in html
    assert "±<b>" not in html


def test_a_rule_that_ended_nothing_says_what_it_came_to() -> None:
    view = stopped(ended=False)
    assert "Everything was asked. At the last look: accuracy 0.5 ±19pp: met." in " ".join(
        printed(view).split()
    )
    assert unmet_sentence(run_views.with_lengths(20)) == ""


def test_several_targets_are_told_to_hold_each_by_itself() -> None:
    two, three = (
        " ".join(stop_sentences(replace(summarize(stopped()), stopped=_with(targets))))
        for targets in (("a ±1pp", "b ±5%"), ("a ±1pp", "b ±5%", "c ±8%"))
    )
    assert "Each target by itself holds in 95 % of runs; that both hold at once is rarer, 90 % at the" in two
    assert "that all 3 hold at once is rarer, 85 % at the worst" in three
    assert "by itself" not in " ".join(stop_sentences(summarize(stopped())))


def _with(targets: tuple[str, ...]) -> StoppedEarly:
    told = summarize(stopped()).stopped
    assert told is not None
    return replace(told, targets=targets)


def test_drawn_answers_are_said_to_settle_no_question() -> None:
    view = stopped()
    sampling = view.manifest.sampling.model_copy(update={"temperature": 0.7})
    view = replace(view, manifest=view.manifest.model_copy(update={"sampling": sampling}))
    assert "drawn (temperature 0.7), so a question that was asked is not settled" in " ".join(
        stop_sentences(summarize(view))
    )

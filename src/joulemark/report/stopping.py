"""What ended a run early and what that saved, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from joulemark.metrics.ended_by import AGAINST
from joulemark.metrics.run_view import RunView
from joulemark.metrics.stopped_early import StoppedEarly
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value
from joulemark.record.manifest import StopFacts
from joulemark.report.wording import DASH, figure_texts, printable, why

_FIGURES = {"seconds": "duration_s", "joules": "total_joules"}
ESTIMATED = (
    "What was asked is measured. What was not asked is estimated from it, as the first questions of a random "
    "order are a sample of the task, by an engine that goes on as it did; the two stand beside each other "
    "and are not one measurement."
)


@dataclass(frozen=True, slots=True)
class SavedRow:
    """A kind of cost: ``asked`` measured, ``saved`` (``beside``: its interval) and ``whole`` estimated."""

    title: str
    asked: str
    saved: str
    beside: str
    whole: str


def stop_sentences(summary: Summary) -> list[str]:
    """Return what ended the run and what each target had come to, after what had ended it before."""
    stopped = summary.stopped
    asked = None if stopped is None else stopped.asked
    before = [_had_ended(rule, asked) for rule in summary.earlier_stops]
    if stopped is None:
        return before
    told = [f"As recorded then: {printable(one)}." for one in stopped.told]
    return [*before, _ended(stopped), *told, *_together(stopped), _population(summary, stopped)]


def _had_ended(rule: StopFacts, asked: int | None) -> str:
    """``asked``: by the end of the run, null where it was asked to its end or is not over."""
    assert rule.stopped is not None  # the record is sound
    last = " and ".join(map(printable, rule.stopped.binding))
    told = f" ({'; '.join(map(printable, rule.told))})" if rule.told else ""
    on = "nothing was asked since" if asked == rule.stopped.asked else "it went on"
    return f"Before, {last} had ended the asking after {rule.stopped.asked:,} questions{told}; {on}."


def _together(stopped: StoppedEarly) -> Iterator[str]:
    """Say what several targets promise together: a miss of each is allowed for, and of any adds up."""
    n = len(stopped.targets)
    if n > 1:
        least = max(100 - 5 * n, 0)
        yield (
            f"Each target by itself holds in 95 % of runs; that {'both' if n == 2 else f'all {n}'} hold at "
            f"once is rarer, {least} % at the worst."
        )


def _population(summary: Summary, stopped: StoppedEarly) -> str:
    """Say of which questions the targets speak, and of which the figures."""
    paired = _is_paired(stopped.targets)
    if not paired and summary.these is not None and summary.these.temperature:
        return (
            f"The answers are drawn (temperature {summary.these.temperature:g}), so a question that was "
            "asked is not settled: what is reported speaks of questions of the kind."
        )
    asked, of = f"of which {stopped.asked:,} were asked", f"{stopped.of:,} questions"
    spoken, figures = (
        "as answered in this run",
        "The figures' own intervals are those of questions of the kind.",
    )
    if stopped.population > stopped.of:
        said = (
            f"The targets speak of the task's {stopped.population:,} questions {spoken}, {asked}: the "
            f"{stopped.of:,} that --limit left are drawn from them at random. {figures}"
        )
        own = " The comparison with another run names the number that it speaks of."
        return said + own if paired else said
    others = "a list named these" if stopped.is_listed else "they do not speak of others"
    return f"The targets speak of these {of} {spoken}, {asked}: {others}. {figures}"


def _ended(stopped: StoppedEarly) -> str:
    last = " and ".join(printable(text) for text in stopped.binding)
    rule = f"by {last}"
    if len(stopped.targets) > 1:
        every = "both" if len(stopped.targets) == 2 else f"all {len(stopped.targets)}"
        rule = f"{every} targets were met, {last} last"
    if stopped.named_at and stopped.at <= stopped.named_at:
        # it was looked at when the run was over
        ended = "was ended by hand" if stopped.by_hand else "had ended"
        return (
            f"The run {ended} before its targets were named: {stopped.named_at:,} of {stopped.of:,} "
            f"questions had been asked, which met {' and '.join(map(printable, stopped.targets))} already."
        )
    beyond = stopped.asked - stopped.at
    late = f" It was met after {stopped.at:,}; {beyond:,} more were asked by the time it was known."
    return (
        f"Stopped early after {stopped.asked:,} of {stopped.of:,} questions: {rule}.{late if beyond else ''}"
    )


def unmet_sentence(run: RunView) -> str:
    """Say that a run's rule did not end it, and what its targets had come to; or nothing."""
    stop = run.manifest.stop
    if stop is None or stop.stopped is not None or run.manifest.state != "complete":
        return ""
    told = "; ".join(printable(one) for one in stop.told) or ", ".join(map(printable, stop.targets))
    task = run.manifest.task
    asked = "Everything was asked"
    if task.n_drawn_from > task.n_items and not _is_paired(stop.targets):
        asked = (
            f"All {task.n_items:,} questions that --limit left were asked; the targets speak of the task's "
            f"{task.n_drawn_from:,}"
        )
    after = "" if stop.looked_at is None else f", after {stop.looked_at:,}"
    return f"{asked}. At the last look{after}: {told}."


def _is_paired(targets: Sequence[str]) -> bool:
    """Tell whether a run was to be decided against another one, on the questions that the two share."""
    return any(target.startswith(AGAINST) for target in targets)


def saved_rows(summary: Summary) -> list[SavedRow]:
    """Return the ledger: questions first, then the costs that are known."""
    stopped = summary.stopped
    if stopped is None:
        return []
    questions, requests = stopped.of - stopped.asked, stopped.requests_asked + stopped.requests_saved
    rows = [SavedRow("Questions", f"{stopped.asked:,}", f"{questions:,}", "", f"{stopped.of:,}")]
    if requests != stopped.of:
        rows.append(
            SavedRow(
                "Requests", f"{stopped.requests_asked:,}", f"{stopped.requests_saved:,}", "", f"{requests:,}"
            )
        )
    for line in stopped.lines:
        if line.asked.value is None:
            continue
        texts = [_text(line.name, value) for value in (line.asked, line.saved, line.whole)]
        beside = figure_texts(_FIGURES.get(line.name, line.name), line.saved)[1]
        rows.append(SavedRow(line.title, texts[0], texts[1], beside, texts[2]))
    return rows


def saved_unknown(summary: Summary) -> Iterator[str]:
    """Yield which costs are not known, and why."""
    for line in summary.stopped.lines if summary.stopped else ():
        if line.asked.value is None:
            yield f"{DASH} {line.title}: {why(line.asked)}"


def _text(name: str, value: Value) -> str:
    return figure_texts(_FIGURES.get(name, name), value)[0]

"""The figures of an evaluation of programs as rows, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.code.evaluation.settings import FigureSet
from joulemark.metrics.catalogue import code_definitions
from joulemark.metrics.code.by_group import Figures
from joulemark.metrics.code.queued import Queued
from joulemark.metrics.code.summary import CodeSummary
from joulemark.metrics.code.summary_json import definition_name
from joulemark.metrics.code.wrong import Wrong
from joulemark.metrics.definition import MetricDefinition
from joulemark.record.code_run import RUN_FLAGS, WORK_OUTSIDE_CALL, Purpose
from joulemark.report.busy import DAGGER
from joulemark.report.code_beyond_tests import beyond_tests_note
from joulemark.report.code_busy import busy_words, is_of_busy_wall
from joulemark.report.code_missing import missing_modules_note
from joulemark.report.wording import NO_INTERVAL, figure_texts, printable, why

_N_NAMED = 3
_MOST_OF_WHY = 320
_WHAT = ("et", "mu", "tmu")
_AS_DEFINED = ("{}", "n{}", "n{}_star", "n{}_over_5", "n{}_max")
_CORRECTED = ("{}_corrected", "n{}_corrected", "n{}_corrected_over_5", "n{}_corrected_max")
_GRADED = "Right"
_AS_THE_PAPER = "As the paper defines them: wall time, memory of the process"
_CORRECTED_TITLE = "Corrected: CPU time, memory above the start's, scaled input"
_AGAINST = "Against the reference"
_NEEDS = {
    _AS_THE_PAPER: FigureSet.PAPER,
    _CORRECTED_TITLE: FigureSet.CORRECTED,
    _AGAINST: FigureSet.CORRECTED,
}
_SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (_GRADED, ("pass_at_1",)),
    (
        _AS_THE_PAPER,
        (*(form.format(what) for what in _WHAT for form in _AS_DEFINED), "net_at_least"),
    ),
    (
        _CORRECTED_TITLE,
        (
            *(form.format(what) for what in _WHAT for form in _CORRECTED),
            "net_corrected_median",
            "net_corrected_at_least",
            "nmu_corrected_at_least",
        ),
    ),
    (
        _AGAINST,
        (
            "aa_band",
            "faster_share",
            "tied_share",
            "slower_share",
            "failed_scaled_share",
            "growth_excess_mean",
            "grows_faster_share",
        ),
    ),
    (
        "Scores of other benchmarks, and the harness itself",
        (
            "eff_at_1",
            "level_pass_at_1",
            "beyond",
            "beyond_as_coded",
            "efficient_at_1",
            "faster_at_1",
            "speedup",
            "dps",
            "dps_norm",
            "percentile_rank",
            "harness_share",
            "code_baseline_cpu_s",
        ),
    ),
)
_BESIDE = {"faster_at_1": "efficient_at_1", "percentile_rank": "dps"}
"""Figures that say what one as published does not: never shown without them."""


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A figure: its number and interval as text, ``n`` tasks or programs, and why it is a dash."""

    name: str
    title: str
    text: str
    interval: str
    n: str
    why: str


@dataclass(frozen=True, slots=True)
class Section:
    """Figures under one heading; ``none``: why there are none, where no figure of them is known."""

    title: str
    rows: tuple[CodeRow, ...]
    none: str = ""


def sections(record: EvaluationRecord, summary: CodeSummary) -> list[Section]:
    """Return what there is to show: what was asked for, and scores of other benchmarks that are known."""
    settings = record.settings
    found = []
    for title, names in _SECTIONS if settings.measure else _SECTIONS[:1]:
        if title in _NEEDS and not settings.wants(_NEEDS[title]):
            continue
        if title == _GRADED:  # at every k that all problems have samples for
            names = tuple(name for name in summary.figures if definition_name(name) == "pass_at_k")
        figures = {name: summary.figures[name] for name in names if name in summary.figures}
        figures = {name: value for name, value in figures.items() if not is_mere_bound(name, figures)}
        if title == _SECTIONS[-1][0] or title == _GRADED:
            figures = {name: value for name, value in figures.items() if _is_shown(name, figures)}
        if figures and all(value.value is None for value in figures.values()):
            whys = dict.fromkeys(why(value) for value in figures.values())
            found.append(
                Section(title, (), f"None of these {len(figures)} figures is known. {' '.join(whys)}")
            )
        elif figures:
            found.append(Section(title, tuple(_rows(figures, summary.queued))))
    return _said_once(found)


def _said_once(found: Sequence[Section]) -> list[Section]:
    """Return sections in which why a figure has no interval is said where it is so first."""
    said: set[str] = set()
    shown = []
    for section in found:
        rows = []
        for row in section.rows:
            is_told = row.interval in said and row.interval.startswith(NO_INTERVAL)
            said.add(row.interval)
            rows.append(replace(row, interval=NO_INTERVAL) if is_told else row)
        shown.append(replace(section, rows=tuple(rows)))
    return shown


def is_mere_bound(name: str, figures: Figures) -> bool:
    """Tell whether a figure is the lower bound of one that is known, and so the same number again."""
    whole = figures.get(name.removesuffix("_at_least"))
    return name.endswith("_at_least") and whole is not None and whole.value is not None


def _is_shown(name: str, figures: Figures) -> bool:
    """Tell whether a figure that nobody asked for has a row: it is known, or belongs beside one that is."""
    beside = figures.get(_BESIDE.get(name, ""))
    is_needed = name == "pass_at_1" or (beside is not None and beside.value is not None)
    return is_needed or figures[name].value is not None


def _rows(figures: Figures, queued: Mapping[Purpose, Queued]) -> Iterable[CodeRow]:
    for name, value in figures.items():
        text, interval = figure_texts(name, value)
        n = "" if value.n is None else f"{value.n:,}"
        title = title_of(name)
        if value.value is not None and is_of_busy_wall(name, queued):
            title = f"{title} {DAGGER}"
        yield CodeRow(definition_name(name), title, text, interval, n, why(value))


def title_of(name: str) -> str:
    """Return what a table calls a figure."""
    title = definition_of(name).title
    return title.replace("@k", f"@{name.rpartition('_')[2]}") if "_at_" in name else title


def definition_of(name: str) -> MetricDefinition:
    """Return a figure's definition; raises ``KeyError``."""
    return {one.name: one for one in code_definitions()}[definition_name(name)]


def warnings(record: EvaluationRecord, summary: CodeSummary, failures: Mapping[str, str]) -> list[str]:
    """Return what a reader must know before he believes a figure."""
    said = [
        f"Programs were not held as they should be: {printable(one)}" for one in record.environment.missing
    ]
    if failures:
        said.append(_named(failures, "could not be used and are in no figure"))
    return [*unfinished(record, summary), *said, *busy(summary)]


def unfinished(record: EvaluationRecord, summary: CodeSummary) -> list[str]:
    """Say where an evaluation is not at its end: what is missing is no chance draw of its problems."""
    missing = summary.open_problems
    if not missing:
        return []
    n, all_n = len(missing), len(record.problems)
    return [
        (
            f"Not finished: {n:,} of {all_n:,} problems {'is' if n == 1 else 'are'} still to be done and in "
            f"no figure ({_some(missing)}). Slow and endless programs end last, so what is here leans "
            "towards the good. The command that made it goes on from here: the same `joulemark code eval` "
            "again, or `joulemark code grade RUN` for the programs of a run."
        )
    ]


def busy(summary: CodeSummary) -> list[str]:
    """Say where so many runs waited for a processor that wall time is the machine's load."""
    return busy_words(summary.queued)


def notes(summary: CodeSummary, not_measured: Mapping[str, str] | None = None) -> list[str]:
    """Return what was noticed of programs, and ``not_measured``: why some of a problem was not measured."""
    said = [_flagged(flag, noticed, summary) for flag, noticed in sorted(summary.flagged.items()) if noticed]
    if summary.wrong:
        said.insert(0, _wrong(summary.wrong))
    if missing := missing_modules_note(summary.wrong):
        said.insert(1, missing)
    if beyond := beyond_tests_note(summary):
        said.append(beyond)
    if n := summary.counts["n_failed_scaled"]:
        said.append(f"{n} right programs failed on the scaled input: what they take is not known.")
    if n := summary.counts["n_without_reference"]:
        said.append(
            f"{n} right programs have no reference to be held against on the scaled input: it did not end "
            "there, or took no time that could be read."
        )
    if not_measured:
        said.append(_named(not_measured, "were judged and not wholly measured"))
    return said


def _wrong(wrong: Sequence[Wrong]) -> str:
    n = len(wrong)
    named = "; ".join(
        f"{printable(one.problem)} sample {one.number}: {printable(one.why)[:_MOST_OF_WHY]}"
        for one in wrong[:_N_NAMED]
    )
    more = f"; and {n - _N_NAMED} more, in code.jsonl" if n > _N_NAMED else ""
    tests = (
        " Tests count from 0, as `joulemark code generate-tests PROBLEM` prints them with your --tests as "
        "--n and the same --seed."
        if any("test " in one.why for one in wrong[:_N_NAMED])
        else ""
    )
    return f"{n} {'program is' if n == 1 else 'programs are'} wrong: {named}{more}.{tests}"


def _flagged(flag: str, noticed: Sequence[tuple[str, int]], summary: CodeSummary) -> str:
    n = len(noticed)
    named = ", ".join(
        f"{printable(problem)} sample {number}{_outside(flag, (problem, number), summary)}"
        for problem, number in noticed[:_N_NAMED]
    )
    more = f" and {n - _N_NAMED} more" if n > _N_NAMED else ""
    return f"{n} program{'s' * (n != 1)} ({named}{more}): {RUN_FLAGS.get(flag, flag)}."


def _outside(flag: str, name: tuple[str, int], summary: CodeSummary) -> str:
    """Say how much time of a run was outside its call; what it took there may be memory alone."""
    if flag != WORK_OUTSIDE_CALL:
        return ""
    cpu_s = summary.outside_s.get(name, 0.0)
    return f", {1000 * cpu_s:.2g} ms a run" if cpu_s > 0 else ", memory"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _N_NAMED} more" if len(names) > _N_NAMED else ""
    return ", ".join(printable(name) for name in names[:_N_NAMED]) + more


def _named(whys: Mapping[str, str], what: str) -> str:
    """Say which problems have which reason; those that share one are named together."""
    by_why: dict[str, list[str]] = {}
    for name in sorted(whys):
        by_why.setdefault(whys[name], []).append(name)
    shown = sorted(by_why.items(), key=lambda one: -len(one[1]))[:_N_NAMED]
    named = "; ".join(f"{_some(names)}: {printable(said)[:_MOST_OF_WHY]}" for said, names in shown)
    left = len(whys) - sum(len(names) for _, names in shown)
    more = f"; and {left} more" if left else ""
    one = len(whys) == 1
    verb = what.replace("were ", "was ").replace("and are ", "and is ") if one else what
    return f"{len(whys)} {'problem' if one else 'problems'} {verb}: {named}{more}."

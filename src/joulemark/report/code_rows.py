"""The figures of an evaluation of programs as rows, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from joulemark.code.evaluation.record import EvaluationRecord
from joulemark.code.evaluation.settings import FigureSet
from joulemark.metrics.catalogue import code_definitions
from joulemark.metrics.code.by_group import Figures
from joulemark.metrics.code.queued import WAITED_SHARE
from joulemark.metrics.code.summary import CodeSummary
from joulemark.metrics.code.summary_json import definition_name
from joulemark.metrics.code.wrong import Wrong
from joulemark.metrics.definition import MetricDefinition
from joulemark.record.code_run import RUN_FLAGS, Purpose
from joulemark.report.wording import figure_texts, printable, why

_N_NAMED = 3
_WHAT = ("et", "mu", "tmu")
_AS_DEFINED = ("{}", "n{}", "n{}_star", "n{}_over_5", "n{}_max")
_CORRECTED = ("{}_corrected", "n{}_corrected", "n{}_corrected_over_5", "n{}_corrected_max")
_RUNS = {Purpose.WHOLE: "runs of all tests", Purpose.PAIRED: "runs on the scaled input"}
_OF_WALL = {
    Purpose.WHOLE: "ET, TMU, NET and NTMU are wall time, as defined, and are not to be believed.",
    Purpose.PAIRED: "TMU corrected and NTMU corrected go by the wall and are not to be believed; "
    "CPU time is without the waiting.",
}
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
    (_GRADED, ("pass_at_1", "pass_at_5", "pass_at_10", "pass_at_100")),
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
            "speedup",
            "dps",
            "dps_norm",
            "harness_share",
            "code_baseline_cpu_s",
        ),
    ),
)
GROUP_COLUMNS = {
    "pass_at_1": "pass@1",
    "net": "NET",
    "net_corrected": "NET corrected",
    "nmu_corrected": "NMU corrected",
    "growth_excess_mean": "growth beyond",
}
EXTREMES = {
    "cpu_ratio": "CPU time over the reference's",
    "memory_ratio": "peak memory over the reference's",
    "growth_excess": "growth beyond the reference's",
}


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
        figures = {name: summary.figures[name] for name in names if name in summary.figures}
        if title == _SECTIONS[-1][0] or title == _GRADED:
            figures = {
                name: value
                for name, value in figures.items()
                if value.value is not None or name == "pass_at_1"
            }
        if figures and all(value.value is None for value in figures.values()):
            whys = dict.fromkeys(why(value) for value in figures.values())
            found.append(
                Section(title, (), f"None of these {len(figures)} figures is known. {' '.join(whys)}")
            )
        elif figures:
            found.append(Section(title, tuple(_rows(figures))))
    return found


def _rows(figures: Figures) -> Iterable[CodeRow]:
    for name, value in figures.items():
        text, interval = figure_texts(name, value)
        n = "" if value.n is None else f"{value.n:,}"
        yield CodeRow(definition_name(name), title_of(name), text, interval, n, why(value))


def title_of(name: str) -> str:
    """Return what a table calls a figure."""
    title = definition_of(name).title
    return title.replace("@k", f"@{name.rpartition('_')[2]}") if "_at_" in name else title


def definition_of(name: str) -> MetricDefinition:
    """Return a figure's definition; raises ``KeyError``."""
    return {one.name: one for one in code_definitions()}[definition_name(name)]


def group_rows(groups: Mapping[str, Figures]) -> list[tuple[str, list[str]]]:
    """Return a row of cells for each group."""
    return [
        (
            printable(group).replace("_", " "),
            [figure_texts(name, figures[name])[0] if name in figures else "" for name in GROUP_COLUMNS],
        )
        for group, figures in groups.items()
    ]


def headline(record: EvaluationRecord, summary: CodeSummary) -> str:
    """Say in one sentence how many programs are right."""
    counts = summary.counts
    return (
        f"{counts['n_right']:,} of {counts['n_samples']:,} programs are right; "
        f"{counts['n_solved']:,} of {counts['n_problems']:,} problems are solved."
    )


def warnings(record: EvaluationRecord, summary: CodeSummary, failures: Mapping[str, str]) -> list[str]:
    """Return what a reader must know before he believes a figure."""
    said = [
        f"Programs were not held as they should be: {printable(one)}" for one in record.environment.missing
    ]
    if failures:
        said.append(_named(failures, "could not be used and are in no figure"))
    return said + busy(summary)


def busy(summary: CodeSummary) -> list[str]:
    """Say where so many runs waited for a processor that wall time is the machine's load."""
    return [
        f"The machine was busy: {queued.n_waited:,} of {queued.n_runs:,} {_RUNS[purpose]} waited for a "
        f"processor for more than {100 * WAITED_SHARE:.0f} % of their time. {_OF_WALL[purpose]}"
        for purpose, queued in summary.queued.items()
        if queued.is_busy
    ]


def notes(summary: CodeSummary, not_measured: Mapping[str, str] | None = None) -> list[str]:
    """Return what was noticed of programs, and ``not_measured``: why some of a problem was not measured."""
    said = [_flagged(flag, noticed) for flag, noticed in sorted(summary.flagged.items()) if noticed]
    if summary.wrong:
        said.insert(0, _wrong(summary.wrong))
    if n := summary.counts["n_wrong_beyond_tests"]:
        said.append(f"{n} programs pass all tests and are wrong on larger inputs: their times count nowhere.")
    if n := summary.counts["n_failed_scaled"]:
        said.append(f"{n} right programs failed on the scaled input: what they take is not known.")
    if not_measured:
        said.append(_named(not_measured, "were judged and not wholly measured"))
    return said


def _wrong(wrong: Sequence[Wrong]) -> str:
    n = len(wrong)
    named = "; ".join(
        f"{printable(one.problem)} sample {one.number}: {printable(one.why)[:160]}"
        for one in wrong[:_N_NAMED]
    )
    more = f"; and {n - _N_NAMED} more, in code.jsonl" if n > _N_NAMED else ""
    return f"{n} {'program is' if n == 1 else 'programs are'} wrong: {named}{more}."


def _flagged(flag: str, noticed: Sequence[tuple[str, int]]) -> str:
    n = len(noticed)
    named = ", ".join(f"{printable(problem)} sample {number}" for problem, number in noticed[:_N_NAMED])
    more = f" and {n - _N_NAMED} more" if n > _N_NAMED else ""
    return f"{n} program{'s' * (n != 1)} ({named}{more}): {RUN_FLAGS.get(flag, flag)}."


def _named(whys: Mapping[str, str], what: str) -> str:
    shown: Sequence[str] = sorted(whys)[:_N_NAMED]
    named = "; ".join(f"{printable(name)}: {printable(whys[name])[:160]}" for name in shown)
    more = f" and {len(whys) - len(shown)} more" if len(whys) > len(shown) else ""
    return f"{len(whys)} problems {what}: {named}{more}."

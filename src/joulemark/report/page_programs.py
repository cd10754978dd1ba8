"""The programs of a run on its page: what they are worth together, and each beside its reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from joulemark.code.joined.figures import ProgramFigures
from joulemark.metrics.catalogue import code_definitions
from joulemark.metrics.code.pair_ratio import Comparison, PairRatio
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.code.sample import Sample
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value
from joulemark.record.code_run import Outcome
from joulemark.report.cells import Cell, notes
from joulemark.report.code_beyond_tests import beyond_tests_words
from joulemark.report.code_joined import ProgramRow, program_notes, program_rows, program_warnings
from joulemark.report.code_rows import notes as noticed
from joulemark.report.wording import DASH, figure_texts, printable, why

EVALUATION_PAGE = "code/code.html"
"""The page of the evaluation, from the run's directory."""
MOST_ROWS = 500
_CPU, _RATIO, _PEAK = "CPU time of one run", "over the reference's", "Peak memory"
_WORDS = {
    Comparison.FASTER: "faster",
    Comparison.TIE: "not told apart",
    Comparison.SLOWER: "slower",
}


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """A program of the table: what was asked, what became of it, its time and memory, each with its ratio.

    ``beside``: the ratio's interval, and what it says; ``anchor`` names the program within the page.
    """

    anchor: str
    problem: str
    title: str
    verdict: str
    how: str
    cpu: Cell
    ratio: Cell
    beside: str
    peak: Cell
    peak_ratio: Cell


@dataclass(frozen=True, slots=True)
class ProgramsSection:
    """The section: ``figures`` of all programs, ``lines`` of each (``n_left_out`` more are not shown).

    ``warnings``: what must be known before a figure is believed.
    """

    figures: tuple[ProgramRow, ...]
    lines: tuple[ProgramLine, ...]
    n_left_out: int
    is_measured: bool
    evaluation: str
    notes: tuple[str, ...]
    definitions: tuple[MetricDefinition, ...]
    warnings: tuple[str, ...] = ()


def programs_section(figures: ProgramFigures) -> ProgramsSection:
    """Return the section of a run whose programs were run."""
    summary = figures.summary
    measured = figures.record.settings.measure
    rows = tuple(program_rows(figures))
    lines = [_line(figures, sample) for sample in summary.samples]
    shown = tuple(lines[:MOST_ROWS])
    used = {row.name for row in rows} | ({"cpu_ratio"} if measured else set())
    known = tuple(defined for defined in code_definitions() if defined.name in used)
    said = [*program_notes(figures), *noticed(summary, figures.not_measured), *notes(_cells(shown))]
    return ProgramsSection(
        rows,
        shown,
        len(lines) - len(shown),
        measured,
        EVALUATION_PAGE,
        tuple(said),
        known,
        tuple(program_warnings(figures)),
    )


def _line(figures: ProgramFigures, sample: Sample) -> ProgramLine:
    record, summary = figures.record, figures.summary
    facts = record.problems.get(sample.problem)
    band = summary.figures["aa_band"].value if "aa_band" in summary.figures else None
    paired = next(
        (one for one in summary.paired if (one.problem, one.number) == (sample.problem, sample.number)), None
    )
    several = facts is not None and facts.n_samples > 1
    name = f"{sample.problem}, {sample.number + 1}" if several else sample.problem
    verdict, how = _verdict(sample, sample.program in record.sources)
    cpu, ratio, beside, peak, peak_ratio = _measured(paired, band)
    return ProgramLine(
        anchor=f"program-{sample.problem}-{sample.number}",
        problem=printable(name),
        title=printable(facts.title) if facts is not None else "",
        verdict=verdict,
        how=how,
        cpu=cpu,
        ratio=ratio,
        beside=beside,
        peak=peak,
        peak_ratio=peak_ratio,
    )


def _verdict(sample: Sample, has_program: bool) -> tuple[str, str]:
    if not has_program:
        return "wrong", "no program in the answer"
    if sample.passed:
        return "right", beyond_tests_words(sample)
    word = "not judged" if sample.passed is None else "wrong"
    bad = next((run for run in sample.runs if run.outcome is not Outcome.RETURNED or not run.correct), None)
    if bad is None:
        return word, ""
    test = "" if bad.case is None else f" on test {bad.case}"
    if bad.outcome is Outcome.RETURNED:
        return word, f"another result than expected{test}"
    return word, f"{bad.outcome.replace('_', ' ')}{test}"


def _measured(paired: PairedSample | None, band: float | None) -> tuple[Cell, Cell, str, Cell, Cell]:
    """Return CPU time, its ratio and what that says, peak memory and its ratio; blanks for none."""
    if paired is None:
        nothing = Cell("")
        return nothing, nothing, "", nothing, nothing
    mine, ratio = paired.candidate, paired.ratio
    ended = "A limit ended a run of the program." if ratio.n_censored else why(ratio.ratio)
    cpu = _cell("et_corrected", mine.cpu_s, "s", ended)
    peak = _cell(
        "mu_corrected", mine.memory_mib if paired.uses_memory else None, "MiB", why(paired.memory_figure)
    )
    return cpu, _ratio(ratio), _beside(ratio, band), peak, _of_value(paired.memory_figure)


def _cell(name: str, value: float | None, unit: str, reason: str) -> Cell:
    return Cell(DASH, reason) if value is None else Cell(figure_texts(name, Value(value, unit))[0])


def _ratio(ratio: PairRatio) -> Cell:
    if ratio.at_least is not None:
        return Cell(f"≥ {_times(ratio.at_least)} ×")
    return _of_value(ratio.ratio)


def _of_value(value: Value) -> Cell:
    return Cell(DASH, why(value)) if value.value is None else Cell(f"{_times(value.value)} ×")


def _times(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def _beside(ratio: PairRatio, band: float | None) -> str:
    told = ratio.against(band)
    words = "" if told is None else _WORDS[told]
    value = ratio.ratio
    if value.lo is None or value.hi is None:
        return words
    return f"{_times(value.lo)} … {_times(value.hi)}{f', {words}' if words else ''}"


def _cells(lines: Iterable[ProgramLine]) -> Iterator[tuple[str, Cell]]:
    for line in lines:
        yield from ((_CPU, line.cpu), (_RATIO, line.ratio), (_PEAK, line.peak), (_RATIO, line.peak_ratio))

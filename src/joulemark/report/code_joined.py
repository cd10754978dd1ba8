"""The programs of a run in a terminal: how many are right, how fast, and what one costs with its runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.code.joined.figures import ProgramFigures
from joulemark.code.joined.source_kind import SourceKind
from joulemark.metrics.catalogue import code_definitions
from joulemark.metrics.code.break_even import BreakEven, CostKind
from joulemark.metrics.code.summary_json import definition_name
from joulemark.metrics.value import Value
from joulemark.report.code_rows import unfinished
from joulemark.report.wording import DASH, figure_texts, printable, why, why_no_interval

_SHARES = ("pass_at_1", "tied_share", "faster_share", "slower_share", "aa_band")
_SHOWN_RUNS = (1, 1_000, 1_000_000)
_KINDS = {
    CostKind.AT_METERED_RATE: "modelled: processor time at the metered rate",
    CostKind.MODELLED: "modelled from declared watts",
    CostKind.CPU: "processor time of engine and program",
}


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """A figure of the programs as a reader sees it; ``why`` says why it is a dash or has no interval.

    ``name``: of its definition, empty where it is none of the catalogue's.
    """

    title: str
    text: str
    interval: str = ""
    why: str = ""
    name: str = ""


def program_rows(figures: ProgramFigures) -> list[ProgramRow]:
    """Return the rows of the section, in order."""
    summary = figures.summary.figures
    n_right, n_samples = (figures.summary.counts[name] for name in ("n_right", "n_samples"))
    rows = [_row(f"pass@1 ({n_right:,} of {n_samples:,} right)", "pass_at_1", summary["pass_at_1"])]
    if not figures.record.settings.measure:
        return [*rows, ProgramRow("Time and memory", DASH, why="Programs were graded only (--no-measure).")]
    ratio = summary["net_corrected"]
    rows.append(_row(f"CPU time over the reference's ({ratio.n or 0} problems)", "net_corrected", ratio))
    if ratio.value is None and summary["net_corrected_at_least"].value is not None:
        rows.append(_row("  at least", "net_corrected_at_least", summary["net_corrected_at_least"]))
    rows.append(_row("As fast as the reference, within the tie band", "tied_share", summary["tied_share"]))
    rows.append(_row("  the tie band (a program against itself)", "aa_band", summary["aa_band"]))
    rows.append(_row(f"{_generating(figures)} to generate, per correct answer", "generate", figures.generate))
    rows.append(_row("CPU time of one run, scaled input", "run_cpu_s", figures.run_cpu_s))
    if figures.run_j.value is not None:
        rows.append(
            _row(f"Energy (modelled{_from(figures)}) of one run", "run_at_metered_rate_j", figures.run_j)
        )
    rows += _with_runs(figures)
    return rows


def print_program_figures(figures: ProgramFigures, console: Console) -> None:
    """Print the section ``Programs``."""
    console.print(Text("\nPrograms", style="bold"))
    for sentence in program_warnings(figures):
        console.print(Text(f"! {sentence}", style="bold red"))
    _print_rows(program_rows(figures), console)
    for sentence in program_notes(figures):
        console.print(Text(f"* {sentence}", style="dim"))


def program_warnings(figures: ProgramFigures) -> list[str]:
    """Return what must be known before a figure is believed: which problems are open, where some are."""
    return unfinished(figures.record, figures.summary)


def program_notes(figures: ProgramFigures) -> list[str]:
    """Return what a reader of the section should know beside its figures."""
    record = figures.record
    said = [f"{record.settings.n_tests} tests a problem; environment {record.environment_id}"]
    if record.environment.missing:
        said.append(f"contained less than wholly: {', '.join(map(printable, record.environment.missing))}")
    if figures.failures:
        said.append(f"{len(figures.failures)} problems could not judge; their answers count for nothing")
    return said


def break_even_sentence(a: str, b: str, found: BreakEven | None, reason: str = "") -> str:
    """Say after how many runs of each answer the dearer of two models has paid back."""
    if found is None:
        return f"Break-even of {a} and {b}: {DASH} {reason}".rstrip()
    if found.dearer is None or found.runs.value is None:
        return f"Break-even of {a} and {b}: {DASH} {why(found.runs)}"
    dear, cheap = (a, b) if found.dearer == 0 else (b, a)
    text, interval = figure_texts("break_even_runs", found.runs)
    return f"{dear} is dearer to generate than {cheap} and has paid back after {text} of each answer" + (
        f" ({interval})" if interval else ""
    )


def _generating(figures: ProgramFigures) -> str:
    """Say what the cost of generating is, and what it was made by."""
    if figures.generate.unit != "s":
        return f"Energy ({figures.source})"
    return f"Processor time{' (simulated)' * (figures.source is SourceKind.SIMULATED)}"


def _from(figures: ProgramFigures) -> str:
    """Say of which joules a rate is, where no meter of this run saw them."""
    return "" if figures.source is SourceKind.MEASURED else f" from {figures.source} joules"


def _with_runs(figures: ProgramFigures) -> Iterator[ProgramRow]:
    if figures.cost is None:
        yield ProgramRow(
            "With the runs of its program", DASH, why=printable(figures.why_no_joules or "Not known.")
        )
        return
    how = _KINDS[figures.cost.kind]
    if figures.cost.kind is CostKind.AT_METERED_RATE:
        how += _from(figures)
    for n, value in figures.curve:
        if n in _SHOWN_RUNS:
            runs = "1 run" if n == 1 else f"{n:,} runs"
            yield _row(f"  with {runs} ({how})", figures.cost.kind.definition.name, value)
    if figures.why_no_joules:
        yield ProgramRow("Joules with its runs", DASH, why=printable(figures.why_no_joules))


def _row(title: str, name: str, value: Value) -> ProgramRow:
    if name in _SHARES and value.value is not None:
        value = _in_percent(value)
    text, interval = figure_texts(name, value)
    shown = "" if value.interval is None else interval
    known = definition_name(name)
    defined = known if known in {one.name for one in code_definitions()} else ""
    return ProgramRow(title, text, shown, why(value) or why_no_interval(value), defined)


def _in_percent(value: Value) -> Value:
    assert value.value is not None
    lo, hi = (None if bound is None else 100 * bound for bound in (value.lo, value.hi))
    return Value(
        100 * value.value,
        "%",
        lo,
        hi,
        value.interval,
        n=value.n,
        interval_reason=value.interval_reason,
        detail=value.detail,
    )


def _print_rows(rows: list[ProgramRow], console: Console) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim", overflow="fold")
    for row in rows:
        table.add_row(Text(row.title), Text(row.text), Text(row.interval or row.why))
    console.print(Padding(table, (0, 0, 0, 2)))

"""What the commands that show a run say of the programs in its answers; nothing where there are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from joulemark.cli.options import FiniteRange
from joulemark.record.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from joulemark.code.joined.figures import DeclaredWatts, ProgramFigures
    from joulemark.metrics.code.break_even import BreakEven
    from joulemark.metrics.run_view import RunView
    from joulemark.metrics.summary import Summary

Command = TypeVar("Command", bound=Callable[..., Any])


def watts_options(command: Command) -> Command:
    """Give a command ``--engine-watts`` and ``--program-watts``, read by `declared_watts`."""
    for option in (
        click.option(
            "--program-watts",
            type=FiniteRange(0, min_open=True),
            metavar="W",
            help="Declared power while one program runs: what its runs cost is then modelled.",
        ),
        click.option(
            "--engine-watts",
            type=FiniteRange(0, min_open=True),
            metavar="W",
            help="Declared power while the engine answers; goes with --program-watts.",
        ),
    ):
        command = option(command)
    return command


def declared_watts(engine_w: float | None, program_w: float | None) -> DeclaredWatts | None:
    """Return what the options of `watts_options` say; raises `InputError` for one without the other."""
    from joulemark.code.joined.figures import DeclaredWatts

    if engine_w is None and program_w is None:
        return None
    if engine_w is None or program_w is None:
        raise InputError(
            "--engine-watts and --program-watts go together",
            why="modelled joules of one part and metered ones of the other do not add",
            fix="declare both, or none",
        )
    return DeclaredWatts(engine_w, program_w)


def write_pages(root: Path, summary: Summary, view: RunView, declared: DeclaredWatts | None = None) -> Path:
    """Write a run's page, and that of the evaluation of its programs beside the raw runs; return the former.

    Raises `InputError` where one cannot be written.
    """
    from joulemark.report.html import write_report
    from joulemark.runs.layout import RunLayout

    layout, found = RunLayout(root), None
    if _has_programs(root):
        from joulemark.code.joined.figures import program_figures
        from joulemark.report.code_html import write_code_page
        from joulemark.report.page_programs import EVALUATION_PAGE

        found = program_figures(root, view, declared)
        if found is not None:
            page = root / EVALUATION_PAGE
            write_code_page(found.record, found.summary, found.failures, page, found.not_measured)
    write_report(summary, view, layout.report, found)
    return layout.report


def programs_json(root: Path, view: RunView, declared: DeclaredWatts | None = None) -> dict[str, Any]:
    """Return the figures of a run's programs under ``programs``; nothing for a run without programs."""
    if not _has_programs(root):
        return {}
    from joulemark.code.joined.figures import program_figures
    from joulemark.code.joined.figures_json import figures_json

    found = program_figures(root, view, declared)
    return {"programs": None if found is None else figures_json(found)}


def print_programs(
    root: Path, view: RunView, console: Console, declared: DeclaredWatts | None = None
) -> None:
    """Print the figures of a run's programs, or how they are graded where that was not done."""
    if not _has_programs(root):
        return
    from joulemark.cli.grading import command_for
    from joulemark.code.joined.figures import program_figures
    from joulemark.code.joined.grade_run import waits_for_grades
    from joulemark.report.code_joined import print_program_figures

    if n := waits_for_grades(view):
        click.echo(f"\nnot graded yet: {n} answers wait for {command_for(root)}")
    found = program_figures(root, view, declared)
    if found is not None:
        print_program_figures(found, console)


class ComparedPrograms:
    """The programs of the runs of a comparison that have some: two and two of them, by their labels."""

    def __init__(
        self, runs: Sequence[tuple[str, Path, RunView]], declared: DeclaredWatts | None = None
    ) -> None:
        from joulemark.code.joined.figures import program_figures

        found = [
            (label, program_figures(root, view, declared))
            for label, root, view in runs
            if _has_programs(root)
        ]
        self._figures = [(label, figures) for label, figures in found if figures is not None]

    def print(self, console: Console) -> None:
        """Print after how many runs of its programs the dearer of each two has paid back."""
        from joulemark.report.code_joined import break_even_sentence

        if len(self._figures) < 2:
            return
        click.echo("\nPrograms")
        for (a, one), (b, other) in combinations(self._figures, 2):
            found, reason = _break_even(one, other)
            console.print(f"  {break_even_sentence(a, b, found, reason)}", markup=False, highlight=False)

    def to_json(self) -> dict[str, Any]:
        """Return the same under ``programs``; nothing where fewer than two runs have programs."""
        from joulemark.metrics.code.summary_json import figures_json

        if len(self._figures) < 2:
            return {}
        pairs = []
        for (a, one), (b, other) in combinations(self._figures, 2):
            found, reason = _break_even(one, other)
            dearer = None if found is None or found.dearer is None else (a, b)[found.dearer]
            runs = {} if found is None else figures_json({"break_even_runs": found.runs})
            kind = None if one.cost is None else one.cost.kind.value
            pairs.append({"a": a, "b": b, "dearer": dearer, "kind": kind, "why": reason or None, **runs})
        return {"programs": pairs}


def _break_even(one: ProgramFigures, other: ProgramFigures) -> tuple[BreakEven | None, str]:
    """Return when the dearer of two pays back, or why that cannot be said."""
    from joulemark.code.evaluation.comparable import differing, why_not_comparable
    from joulemark.metrics.code.break_even import break_even

    if one.cost is None or other.cost is None:
        return None, (one if one.cost is None else other).why_no_joules or ""
    if one.cost.kind is not other.cost.kind:
        return None, f"The costs of one are {one.cost.kind}, of the other {other.cost.kind}: not compared."
    if one.source is not other.source:
        return None, f"What generating took is {one.source} of one and {other.source} of the other."
    why = why_not_comparable(one.record, other.record)
    if why is None and "n_tests" in differing(one.record.settings, other.record.settings):
        why = "other settings", "the number of tests"
    if why is not None:
        return None, f"Their programs were evaluated differently ({why[0]}: {why[1]})."
    if one.summary.open_problems or other.summary.open_problems:
        return None, "Not all programs are graded yet, and slow ones end last (`joulemark code grade RUN`)."
    return break_even(one.cost, other.cost), ""


def _has_programs(root: Path) -> bool:
    from joulemark.runs.layout import RunLayout

    return RunLayout(root).problems.exists()

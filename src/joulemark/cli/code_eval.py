"""``joulemark code eval`` and ``report``: score programs that were generated before, and show them again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.code_told import tell_interrupted, tell_left_out, tell_unsound
from joulemark.cli.options import FiniteRange

if TYPE_CHECKING:
    from joulemark.code.evaluation.journal import Recorded
    from joulemark.code.evaluation.known import Known
    from joulemark.code.evaluation.record import EvaluationRecord
    from joulemark.code.problems.problem import Problem

_KNOWN_TIMES = click.option(
    "--known-times",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Seconds that known right programs take for all tests, JSON by problem: gives Beyond.",
)
_KNOWN = click.option(
    "--known",
    "known_in",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    metavar="DIR",
    help="Evaluation of known programs to the same problems, may be repeated: gives Beyond and DPS.",
)
_INTERRUPTED = 130
_NO_LETTER = re.compile(r"[^A-Za-z0-9._-]+")


@click.command("eval")
@click.argument("samples", type=click.Path(path_type=Path))
@click.option(
    "--problems",
    "sets",
    multiple=True,
    metavar="NAME|FILE|FOLDER",
    help="What was to be programmed (default: the problems whose records SAMPLES repeats, as an EffiBench "
    "upload does, else the built-in ones).",
)
@click.option("--kind", metavar="KIND", help="What the problems' file holds, where that cannot be told.")
@click.option("--model", metavar="NAME", help="Whose programs these are (default: the file's name).")
@click.option("--limit", type=click.IntRange(min=1), help="Only so many of the problems that have samples.")
@click.option("--tests", "n_tests", type=click.IntRange(1, 100_000), default=100, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of all inputs: tests and timed ones.")
@click.option(
    "--timeout",
    "timeout_s",
    type=FiniteRange(0, 3600, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds of CPU time that a call may take; all tests in one process are one call.",
)
@click.option(
    "--memory", "memory_mib", type=click.IntRange(min=32), default=1024, show_default=True, help="MiB."
)
@click.option("--no-measure", is_flag=True, help="Only right or wrong: time nothing.")
@click.option(
    "--figures",
    multiple=True,
    type=click.Choice(["all", "paper", "corrected", "enamel"]),
    default=("all",),
    show_default=True,
    help="What is measured; may be repeated: paper (ET, MU, TMU), corrected (ratios, growth, efficient@1), "
    "enamel (eff@k by its own procedure).",
)
@click.option(
    "--pairs", "max_pairs", type=click.IntRange(1, 1000), default=25, show_default=True, help="At most."
)
@click.option(
    "--least-pairs", "min_pairs", type=click.IntRange(1, 1000), metavar="N", help="At least (default: 4)."
)
@click.option(
    "--within",
    "percent",
    type=FiniteRange(0, 100, min_open=True),
    metavar="PERCENT",
    help="Pairs end once the ratio's interval is within so much of it (default: 6).",
)
@click.option(
    "--workers", type=click.IntRange(min=1), help="Programs at a time (default: one a physical core)."
)
@_KNOWN_TIMES
@_KNOWN
@click.option("--into", type=click.Path(path_type=Path, file_okay=False), help="Directory of the raw runs.")
@click.option("--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write the page here.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
def eval_(
    samples: Path,
    sets: tuple[str, ...],
    kind: str | None,
    model: str | None,
    limit: int | None,
    workers: int | None,
    no_measure: bool,
    figures: tuple[str, ...],
    max_pairs: int,
    min_pairs: int | None,
    percent: float | None,
    into: Path | None,
    page: Path | None,
    as_json: bool,
    known_times: Path | None,
    known_in: tuple[Path, ...],
    **chosen: Any,
) -> None:
    """Grade and measure the programs in SAMPLES.

    SAMPLES: EvalPlus-style JSON lines, an EffiBench upload, ENAMEL's or COFFE's files. Every program runs in
    a sandbox, in fresh processes, beside the reference. The same command goes on where it was stopped.
    """
    from joulemark.cli.grading import GradingProgress, require_selftest
    from joulemark.code.answers.answered import answers_of
    from joulemark.code.answers.asked import asked_problems, first_answered
    from joulemark.code.answers.samples import read_samples
    from joulemark.code.contain.containment import probe
    from joulemark.code.evaluation.evaluate import evaluate
    from joulemark.code.evaluation.executor import LocalExecutor
    from joulemark.code.evaluation.known import known_of, read_known_times
    from joulemark.code.evaluation.settings import FigureSet, Settings

    pairs = _pairs(min_pairs, max_pairs, percent)
    wanted = tuple(FigureSet) if "all" in figures else tuple(map(FigureSet, figures))
    problems = asked_problems(samples, sets, kind)
    if wanted == (FigureSet.ENAMEL,) and not no_measure:
        problems = _scored_by_levels(problems)
    found = read_samples(samples, problems)
    problems, answers = first_answered(limit, problems, answers_of(found, problems))
    tell_left_out(found)
    times_s = None if known_times is None else read_known_times(known_times, answers)
    others = _evaluations(known_in)
    containment = probe()
    require_selftest(containment)
    name = model or samples.name.removesuffix(".gz").rpartition(".")[0] or samples.name
    settings = Settings(
        measure=not no_measure,
        figures=wanted,
        **pairs,
        **chosen,
    )
    directory = into or Path(f"code-{_NO_LETTER.sub('-', name)}")
    tell_unsound(directory)
    try:
        with GradingProgress() as progress:
            record, recorded = evaluate(
                directory, name, problems, answers, settings, containment, LocalExecutor(workers), progress
            )
    except KeyboardInterrupt:
        tell_interrupted(directory)
        raise click.exceptions.Exit(_INTERRUPTED) from None
    _show(directory, record, recorded, page, as_json, known_of(record, others, times_s))


def _pairs(least: int | None, most: int, percent: float | None) -> dict[str, Any]:
    """Return the settings of pairs. Raises `InputError` for more at least than at most."""
    from joulemark.code.evaluation.settings import FEWEST_PAIRS, TARGET_HALF_WIDTH
    from joulemark.record.errors import InputError

    if least is not None and least > most:
        raise InputError(
            f"at least {least} pairs are more than at most {most}",
            why="--least-pairs may not be above --pairs",
            fix=f"give --pairs {least}, or leave out --least-pairs",
        )
    return {
        "max_pairs": most,
        "min_pairs": min(FEWEST_PAIRS, most) if least is None else least,
        "target_half_width": TARGET_HALF_WIDTH if percent is None else percent / 100,
    }


def _evaluations(directories: Sequence[Path]) -> list[tuple[str, EvaluationRecord, Recorded]]:
    from joulemark.code.evaluation.record import evaluation_in, read_record
    from joulemark.code.evaluation.sound import read_rows

    records = [(one, read_record(one)) for one in map(evaluation_in, directories)]
    return [(str(one), record, read_rows(one, record)) for one, record in records]


def _scored_by_levels(problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems that eff@k counts, and say how many there are beside. Raises `InputError`."""
    from joulemark.record.errors import InputError

    found = [one for one in problems if one.is_scored_by_levels]
    if not found:
        raise InputError(
            "--figures enamel finds no problem to measure",
            why="eff@k is made of tests by levels, and none of these problems has any",
            fix="name ENAMEL's table with --problems, or choose other figures",
        )
    if len(found) < len(problems):
        click.echo(f"{len(problems) - len(found)} problems are in no eff@k and are left out", err=True)
    return found


@click.command("report")
@click.argument("directory", type=click.Path(path_type=Path))
@_KNOWN_TIMES
@_KNOWN
@click.option("--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write the page here.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
def code_report(
    directory: Path, page: Path | None, as_json: bool, known_times: Path | None, known_in: tuple[Path, ...]
) -> None:
    """Compute the figures of an evaluation again from its raw runs.

    DIRECTORY: of `code eval`, or the run of `bench run code`, whose evaluation lies below it.
    """
    from joulemark.code.evaluation.known import known_of, read_known_times
    from joulemark.code.evaluation.record import evaluation_in, read_record
    from joulemark.code.evaluation.sound import read_rows

    directory = evaluation_in(directory)
    record = read_record(directory)
    times_s = None if known_times is None else read_known_times(known_times, record.problems)
    known = known_of(record, _evaluations(known_in), times_s)
    _show(directory, record, read_rows(directory, record), page, as_json, known)


def _show(
    directory: Path,
    record: EvaluationRecord,
    recorded: Recorded,
    page: Path | None,
    as_json: bool,
    known: Known,
) -> None:
    """Print an evaluation and write its page; exit code 1 where no problem could be used."""
    import orjson
    from rich.console import Console

    from joulemark.code.evaluation.figures import not_measured, summary_of_evaluation
    from joulemark.metrics.code.summary_json import summary_json
    from joulemark.report.code_html import write_code_page
    from joulemark.report.code_terminal import print_evaluation

    summary = summary_of_evaluation(
        record, recorded, known_s=known.times_s, clusters=known.clusters, known=known.programs
    )
    why_not = not_measured(record, recorded)
    target = page or directory / "code.html"
    write_code_page(record, summary, recorded.unusable, target, why_not)
    if as_json:
        document = {
            "record": record.model_dump(mode="json", exclude={"sources"}),
            "failures": recorded.unusable,
            "not_measured": why_not,
            "page": str(target),
            **summary_json(summary),
        }
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        print_evaluation(record, summary, recorded.unusable, Console(), why_not)
        click.echo(f"\npage: {target.resolve()}")
    if not recorded.runs:
        raise click.exceptions.Exit(1)

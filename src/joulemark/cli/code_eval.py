"""``joulemark code eval`` and ``report``: score programs that were generated before, and show them again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.options import FiniteRange

if TYPE_CHECKING:
    from joulemark.code.answers.samples import Sample, Samples
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
_N_NAMED = 3
_NO_LETTER = re.compile(r"[^A-Za-z0-9._-]+")


@click.command("eval")
@click.argument("samples", type=click.Path(path_type=Path))
@click.option(
    "--problems",
    "sets",
    multiple=True,
    metavar="NAME|FILE|FOLDER",
    help="What was to be programmed (default: the built-in problems, or those in SAMPLES).",
)
@click.option("--kind", metavar="KIND", help="What the problems' file holds, where that cannot be told.")
@click.option("--model", metavar="NAME", help="Whose programs these are (default: the file's name).")
@click.option("--limit", type=click.IntRange(min=1), help="Only so many problems.")
@click.option("--tests", "n_tests", type=click.IntRange(1, 100_000), default=100, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the tests.")
@click.option(
    "--timeout",
    "timeout_s",
    type=FiniteRange(0, 3600, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds of CPU time that a call may take.",
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
    from joulemark.code.answers.samples import read_samples
    from joulemark.code.contain.containment import probe
    from joulemark.code.evaluation.evaluate import evaluate
    from joulemark.code.evaluation.executor import LocalExecutor
    from joulemark.code.evaluation.known import known_of, read_known_times
    from joulemark.code.evaluation.settings import FEWEST_PAIRS, FigureSet, Settings
    from joulemark.code.problems.registry import BUILT_IN, load_problems

    wanted = tuple(FigureSet) if "all" in figures else tuple(map(FigureSet, figures))
    problems = [one for name in sets or (BUILT_IN,) for one in load_problems(name, kind=kind)]
    if wanted == (FigureSet.ENAMEL,) and not no_measure:
        problems = _scored_by_levels(problems)
    problems = problems[:limit]
    found = read_samples(samples, problems)
    answers = answers_of(found, problems)
    _tell_left_out(found)
    times_s = None if known_times is None else read_known_times(known_times, answers)
    others = _evaluations(known_in)
    containment = probe()
    require_selftest(containment)
    name = model or samples.name.removesuffix(".gz").rpartition(".")[0] or samples.name
    settings = Settings(
        measure=not no_measure,
        figures=wanted,
        max_pairs=max_pairs,
        min_pairs=min(FEWEST_PAIRS, max_pairs),
        **chosen,
    )
    directory = into or Path(f"code-{_NO_LETTER.sub('-', name)}")
    _tell_unsound(directory)
    with GradingProgress() as progress:
        record, recorded = evaluate(
            directory, name, problems, answers, settings, containment, LocalExecutor(workers), progress
        )
    _show(directory, record, recorded, page, as_json, known_of(record, others, times_s))


def _tell_left_out(found: Samples) -> None:
    """Say which samples and problems are in no figure, and which samples hold an answer for a program."""
    if n := found.n_foreign:
        answer = "sample answers" if n == 1 else "samples answer"
        left = "is left out" if n == 1 else "are left out"
        click.echo(f"{n} {answer} other problems and {left}: {_some(found.foreign)}", err=True)
    if n := len(found.unanswered):
        what = "problem has no sample and is" if n == 1 else "problems have no sample and are"
        click.echo(f"{n} {what} in no figure: {_some(found.unanswered)}", err=True)
    if mistaken := [f"{one.problem_id} sample {one.number}" for one in found.samples if _is_answer(one)]:
        click.echo(
            f"a solution is run as it stands, and {len(mistaken)} with a fence are no Python: "
            f"{_some(mistaken)}; name the field answer, and the program is taken out of it",
            err=True,
        )


def _is_answer(sample: Sample) -> bool:
    """Tell whether what is given as a program is a model's answer with a fence, which will not run."""
    from joulemark.code.answers.samples import Form
    from joulemark.code.problems.syntax import NotPython, parse

    if sample.form is not Form.PROGRAM or "```" not in sample.text:
        return False
    try:
        parse(sample.text)
    except (NotPython, RecursionError):
        return True
    return False


def _some(names: Sequence[str]) -> str:
    from joulemark.report.wording import printable

    more = f" and {len(names) - _N_NAMED} more" if len(names) > _N_NAMED else ""
    return ", ".join(printable(name)[:80] for name in names[:_N_NAMED]) + more


def _evaluations(directories: Sequence[Path]) -> list[tuple[str, EvaluationRecord, Recorded]]:
    from joulemark.code.evaluation.record import read_record
    from joulemark.code.evaluation.sound import read_rows

    records = [(one, read_record(one)) for one in directories]
    return [(str(one), record, read_rows(one, record)) for one, record in records]


def _tell_unsound(directory: Path) -> None:
    """Say which problems of an evaluation that goes on are done again, and why."""
    from joulemark.code.evaluation.record import FILE, read_record
    from joulemark.code.evaluation.sound import read_rows
    from joulemark.report.wording import printable

    if not (directory / FILE).exists():
        return
    for problem, why in read_rows(directory, read_record(directory)).unsound.items():
        click.echo(f"{printable(problem)}: {printable(why)}", err=True)


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
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@_KNOWN_TIMES
@_KNOWN
@click.option("--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write the page here.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
def code_report(
    directory: Path, page: Path | None, as_json: bool, known_times: Path | None, known_in: tuple[Path, ...]
) -> None:
    """Compute the figures of an evaluation again from its raw runs."""
    from joulemark.code.evaluation.known import known_of, read_known_times
    from joulemark.code.evaluation.record import read_record
    from joulemark.code.evaluation.sound import read_rows

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

    from joulemark.code.evaluation.figures import summary_of_evaluation
    from joulemark.metrics.code.summary_json import summary_json
    from joulemark.report.code_html import write_code_page
    from joulemark.report.code_terminal import print_evaluation

    summary = summary_of_evaluation(record, recorded, known_s=known.times_s, clusters=known.clusters)
    target = page or directory / "code.html"
    write_code_page(record, summary, recorded.unusable, target, recorded.not_measured)
    if as_json:
        document = {
            "record": record.model_dump(mode="json", exclude={"sources"}),
            "failures": recorded.unusable,
            "not_measured": recorded.not_measured,
            "page": str(target),
            **summary_json(summary),
        }
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        print_evaluation(record, summary, recorded.unusable, Console(), recorded.not_measured)
        click.echo(f"\npage: {target.resolve()}")
    if not recorded.runs:
        raise click.exceptions.Exit(1)

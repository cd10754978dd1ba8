"""What ``joulemark code eval`` says beside its figures: what is left out, done again, or still to be done."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from joulemark.code.answers.samples import Sample, Samples

_N_NAMED = 3


def tell_interrupted(directory: Path) -> None:
    """Say what is done of an evaluation that was stopped, where it lies, and how it goes on."""
    from joulemark.code.evaluation.record import FILE, read_record
    from joulemark.code.evaluation.sound import open_problems, read_rows

    if not (directory / FILE).exists():
        click.echo("interrupted before anything was stored", err=True)
        return
    record = read_record(directory)
    n_all = len(record.problems)
    n_done = n_all - len(open_problems(record, read_rows(directory, record)))
    click.echo(
        f"interrupted: {n_done} of {n_all} problems are done, in {directory}; the same command goes on from "
        f"there\n  joulemark code report {shlex.quote(str(directory))}   # shows what is done so far",
        err=True,
    )


def tell_left_out(found: Samples) -> None:
    """Say which samples and problems are in no figure, and which samples hold an answer for a program."""
    if n := found.n_foreign:
        answer = "sample answers" if n == 1 else "samples answer"
        left = "is left out" if n == 1 else "are left out"
        named = _some(found.foreign) + _meant(found)
        click.echo(f"{n} {answer} other problems and {left}: {named}", err=True)
    if n := len(found.unanswered):
        what = "problem has no sample and is" if n == 1 else "problems have no sample and are"
        click.echo(f"{n} {what} in no figure: {_some(found.unanswered)}", err=True)
    if mistaken := [f"{one.problem_id} sample {one.number}" for one in found.samples if _is_answer(one)]:
        click.echo(
            f"a solution is run as it stands, and {len(mistaken)} with a fence are no Python: "
            f"{_some(mistaken)}; name the field answer, and the program is taken out of it",
            err=True,
        )


def _meant(found: Samples) -> str:
    """Say which problems ids were likely meant to name that name none."""
    from joulemark.code.answers.samples import nearest
    from joulemark.report.wording import printable

    known = {*found.unanswered, *(one.problem_id for one in found.samples)}
    near = nearest(found.foreign[:_N_NAMED], known)
    said = ", ".join(f"{printable(one)} in place of {printable(name)[:80]}" for name, one in near.items())
    return f" (did you mean {said}?)" if said else ""


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


def tell_unsound(directory: Path) -> None:
    """Say which problems of an evaluation that goes on are done again, and why."""
    from joulemark.code.evaluation.record import FILE, read_record
    from joulemark.code.evaluation.sound import read_rows
    from joulemark.report.wording import printable

    if not (directory / FILE).exists():
        return
    for problem, why in read_rows(directory, read_record(directory)).unsound.items():
        click.echo(f"{printable(problem)}: {printable(why)}", err=True)

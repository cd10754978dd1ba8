"""``joulemark code problems``: the problems there are, their statistics, and whether they are sound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from joulemark.code.problems.problem import Problem

_HEADS = ("problem", "title", "difficulty", "algorithms", "tests")
_TITLE, _LEAST_TITLE = 1, 20


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME|FILE|FOLDER...]")
@click.option("--kind", metavar="KIND", help="What a file holds, where that cannot be told.")
@click.option("--stats", is_flag=True, help="The paper's statistics: by class, difficulty, words, lines.")
@click.option("--show", is_flag=True, help="Print what a model is asked.")
@click.option("--check", is_flag=True, help="Run every part of every problem and say which are sound.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def problems(
    names: tuple[str, ...], kind: str | None, stats: bool, show: bool, check: bool, as_json: bool
) -> None:
    """List problems: the built-in ones, or those of NAMEs, files and folders of any known origin.

    Known origins: files of this format, EffiBench, HumanEval, MBPP, MBPP+, ENAMEL, COFFE.
    """
    import orjson

    from joulemark.code.problems.prompt import prompt_of
    from joulemark.code.problems.registry import BUILT_IN, load_problems
    from joulemark.code.problems.statistics import statistics_of
    from joulemark.report.wording import printable

    found = [one for name in names or (BUILT_IN,) for one in load_problems(name, kind=kind)]
    if check:
        _check(found, as_json)
        return
    if stats:
        from joulemark.report.code_problems import print_statistics, statistics_json

        counted = statistics_of(found)
        if as_json:
            click.echo(orjson.dumps(statistics_json(counted), option=orjson.OPT_INDENT_2).decode())
        else:
            print_statistics(counted)
        return
    if as_json:
        rows = [_row(one) | ({"prompt": prompt_of(one)} if show else {}) for one in found]
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    if show:
        for one in found:
            click.echo(f"== {printable(one.problem_id)}")
            for line in prompt_of(one).splitlines():
                click.echo(printable(line, keep_spaces=True))
        return
    _list(found)


def _row(problem: Problem) -> dict[str, object]:
    from joulemark.code.evaluation.job import is_scalable

    return {
        "problem": problem.problem_id,
        "title": problem.title,
        "origin": problem.origin,
        "licence": problem.licence,
        "algorithms": list(problem.algorithms),
        "difficulty": problem.difficulty,
        "entry_point": problem.entry_point,
        "has_generator": problem.generator is not None,
        "has_sizes": is_scalable(problem),
        "slow": sorted(problem.slow),
    }


def _tests(problem: Problem) -> str:
    """Say where a problem's tests come from: only inputs of a chosen size show growth, and can be scaled."""
    given = f"{len(problem.inputs)} given" if problem.inputs else ""
    if problem.generator is None:
        return given or "0 given"
    made = "made to any size" if problem.generator.sizes is not None else "made, of no chosen size"
    return f"{given}; {made}" if given else made


def _list(found: Sequence[Problem]) -> None:
    """Print a line a problem, or in a narrow terminal its id and below it the rest: no id is ever broken."""
    from rich.cells import cell_len
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from joulemark.report.wording import printable

    rows = []
    for one in found:
        tests = _tests(one)
        tags = ", ".join(one.algorithms).replace("_", " ")
        rows.append([printable(x) for x in (one.problem_id, one.title, one.difficulty or "—", tags, tests)])
    console = Console()
    widths = [max(map(cell_len, column)) for column in zip(_HEADS, *rows, strict=True)]
    if sum(widths) - widths[_TITLE] + _LEAST_TITLE + 2 * len(_HEADS) > console.width:
        for problem, *rest in rows:
            click.echo(problem)
            console.print(Padding(Text("; ".join(filter(None, rest))), (0, 0, 0, 2)))
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for place, head in enumerate(_HEADS):
        table.add_column(head, no_wrap=place != _TITLE)
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(table)


def _check(found: Sequence[Problem], as_json: bool) -> None:
    """Run every part of every problem; exit code 3 where one is unsound."""
    import orjson

    from joulemark.code.cases.soundness import soundness
    from joulemark.code.contain.containment import probe
    from joulemark.code.contain.limits import Limits
    from joulemark.code.contain.sandbox import Sandbox
    from joulemark.code.evaluation.remarks import remarks
    from joulemark.report.wording import printable

    rows = []
    with Sandbox(probe(), Limits(wall_s=60, cpu_s=20)) as sandbox:
        for one in found:
            faults = soundness(sandbox, one)
            said = [] if faults else remarks(sandbox, one)
            rows.append({"problem": one.problem_id, "sound": not faults, "faults": faults, "remarks": said})
            if not as_json:
                verdict = "sound  " if not faults else "UNSOUND"
                click.echo(f"{verdict} {printable(f'{one.problem_id} ' + '; '.join(faults))}")
                for remark in said:
                    click.echo(f"        {printable(remark)}")
    if as_json:
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
    if not all(row["sound"] for row in rows):
        raise click.exceptions.Exit(3)

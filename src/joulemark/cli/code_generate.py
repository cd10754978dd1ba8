"""``joulemark code generate-tests``: tests of a problem, as they are used or for use elsewhere."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("generate-tests")
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "--n",
    "n_tests",
    type=click.IntRange(1, 100_000),
    default=100,
    show_default=True,
    help="How many in all, those of the problem itself among them: these are never fewer.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed gives other tests.")
@click.option("--kind", metavar="KIND", help="What a file holds, where that cannot be told.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write here (default: print).")
def generate_tests(name: str, n_tests: int, seed: int, kind: str | None, out: Path | None) -> None:
    """Make tests of the problems that NAME or FILE holds: JSON lines with input, expected result and size.

    Inputs come from the problem's generator, expected results from its canonical solution, cross-checked with
    brute force where there is one. `case` is the number of a test in reports. A tuple is {"t": [...]};
    docs/code.md has the other forms of what JSON lacks.
    """
    import json

    import orjson

    from joulemark.code.cases.make import make_cases
    from joulemark.code.contain.containment import probe
    from joulemark.code.contain.limits import Limits
    from joulemark.code.contain.sandbox import Sandbox
    from joulemark.code.inside.plain import encode
    from joulemark.code.problems.registry import load_problems
    from joulemark.files.atomic import write_whole
    from joulemark.record.errors import InputError

    lines = []
    with Sandbox(probe(), Limits(wall_s=60, cpu_s=20)) as sandbox:
        for problem in load_problems(name, kind=kind):
            lines += [
                orjson.dumps(
                    {
                        "problem": problem.problem_id,
                        "case": case.number,
                        "kind": case.kind,
                        "size": case.size,
                        "shape": case.shape,
                        "input": json.loads(encode(case.args)),
                        "expected": json.loads(encode(case.expected)),
                    }
                )
                for case in make_cases(sandbox, problem, n_tests, seed)
            ]
    text = b"\n".join(lines) + b"\n"
    if out is None:
        click.echo(text, nl=False)
        return
    try:
        write_whole(out, text)
    except OSError as error:
        raise InputError(f"{out} cannot be written", why=error.strerror or str(error)) from error
    click.echo(f"{len(lines):,} tests: {out}", err=True)

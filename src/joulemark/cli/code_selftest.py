"""``joulemark code selftest``: does this machine's containment hold what it has to hold?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from joulemark.code.selftest.case import SelfTestCase


@click.command()
@click.option("--bubblewrap", is_flag=True, help="Let `bwrap` make the name spaces, where it is installed.")
@click.option("--json", "as_json", is_flag=True, help="Print every case as JSON.")
def selftest(bubblewrap: bool, as_json: bool) -> None:
    """Run programs that cheat, crash, flood and flee, and honest ones, and say how each was judged.

    Exit code 3 where one was judged otherwise than it must be: scores of this machine are then worth nothing.
    """
    import orjson
    from rich.console import Console
    from rich.text import Text

    from joulemark.code.contain.containment import probe
    from joulemark.code.evaluation.environment import environment_of
    from joulemark.code.selftest.passed import remember
    from joulemark.code.selftest.selftest import run_selftest
    from joulemark.report.wording import printable

    console = Console(highlight=False)
    containment = probe(prefer_bubblewrap=bubblewrap)
    if not as_json:
        for sentence in containment.missing:
            console.print(Text(f"! {printable(sentence)}", style="bold red"))

    def shown(case: SelfTestCase) -> None:
        if not as_json:
            mark = "ok  " if case.passed else "FAIL"
            given = "" if case.passed else f"   expected {case.expected}, given {case.given}"
            console.print(Text(printable(f"{mark} {case.name}: {case.what}{given}")))

    cases = run_selftest(containment, when_tried=shown)
    n_failed = sum(not case.passed for case in cases)
    remember(environment_of(containment).environment_id, passed=not n_failed)
    if as_json:
        document = {"passed": not n_failed, "missing": containment.missing, "cases": cases}
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        console.print(f"{len(cases) - n_failed} of {len(cases)} cases were judged as they must be")
    if n_failed:
        raise click.exceptions.Exit(3)

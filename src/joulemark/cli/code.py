"""``joulemark code``: how efficient is the code that a model writes."""

from __future__ import annotations

import click

from joulemark.cli.code_compare import compare, compare_environments
from joulemark.cli.code_draft import draft_generator
from joulemark.cli.code_eval import code_report, eval_
from joulemark.cli.code_generate import generate_tests
from joulemark.cli.code_grade import grade
from joulemark.cli.code_problems import problems
from joulemark.cli.code_selftest import selftest


@click.group()
def code() -> None:
    """Programs that models write: are they right, what time and memory do they take?"""


for _command in (
    eval_,
    code_report,
    compare,
    compare_environments,
    problems,
    generate_tests,
    draft_generator,
    grade,
    selftest,
):
    code.add_command(_command)

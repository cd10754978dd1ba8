"""``joulemark task``: what can be asked."""

from __future__ import annotations

from pathlib import Path

import click

from joulemark.cli.extract import extract


@click.group()
def task() -> None:
    """Tasks: list them, show one, extract answers from a file."""


task.add_command(extract)


@task.command("list")
@click.option("--json", "as_json", is_flag=True)
def list_tasks(as_json: bool) -> None:
    """List the tasks and suites there are."""
    import orjson
    from rich.console import Console
    from rich.table import Table

    from joulemark.tasks.registry import describe_tasks
    from joulemark.tasks.suites import SUITES

    described = describe_tasks()
    if as_json:
        document = {"tasks": described, "suites": list(SUITES.values())}
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("task", "what it asks", "answers", "items come from"):
        table.add_column(column, overflow="fold")
    for facts in described:
        title = facts.title if facts.unavailable is None else f"{facts.title} — not yet: {facts.unavailable}"
        title += " (canary: carried, not ranked)" if facts.is_canary else ""
        table.add_row(facts.name, title, ", ".join(facts.kinds), facts.data)
    console = Console()
    console.print(table)
    suites = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("suite", "what it is", "tasks"):
        suites.add_column(column, overflow="fold")
    for suite in SUITES.values():
        parts = ", ".join(f"{p.task} × {p.limit}" if p.limit else p.task for p in suite.parts)
        suites.add_row(suite.name, f"{suite.title}; {suite.standing}", parts)
    console.print()
    console.print(suites)


@task.command()
@click.argument("name")
@click.option("--data", type=click.Path(path_type=Path), help="The items' file or folder.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Show so many items."
)
@click.option("--shots", type=click.IntRange(min=0), help="Worked examples before each question.")
@click.option("--split", metavar="NAME|all")
@click.option("--preset", metavar="NAME", default="default", show_default=True)
@click.option("--revision", metavar="COMMIT", help="The commit of the hub's data set.")
@click.option("--definition", is_flag=True, help="Print the task's file instead.")
@click.option("--json", "as_json", is_flag=True)
def show(
    name: str,
    data: Path | None,
    limit: int,
    shots: int | None,
    split: str | None,
    preset: str,
    revision: str | None,
    definition: bool,
    as_json: bool,
) -> None:
    """Show a task's questions as they are asked, with their reference answers."""
    import orjson

    from joulemark.code.joined.task import load_any_task
    from joulemark.report.wording import printable
    from joulemark.tasks.registry import definition_text

    if definition:
        click.echo(definition_text(name), nl=False)
        return
    loaded = load_any_task(
        name, data=data, limit=limit, n_shot=shots, split=split, preset=preset, revision=revision
    )
    if as_json:
        click.echo(orjson.dumps(loaded.questions, default=_sized, option=orjson.OPT_INDENT_2).decode())
        return
    for question in loaded.questions:
        click.echo(printable(f"{question.item_id}  (answer: {question.gold})"))
        for role, content in question.messages:
            for line in str(content).splitlines():
                click.echo(f"    {role}: {printable(line)}")


def _sized(value: object) -> str:
    """Say how large a picture is in place of its bytes."""
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    raise TypeError

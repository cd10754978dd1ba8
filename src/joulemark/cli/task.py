"""``joulemark task``: what can be asked."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def task() -> None:
    """Tasks: list them, show one."""


@task.command("list")
@click.option("--json", "as_json", is_flag=True)
def list_tasks(as_json: bool) -> None:
    """List the tasks there are."""
    import orjson
    from rich.console import Console
    from rich.table import Table

    from joulemark.tasks.registry import describe_tasks

    described = describe_tasks()
    if as_json:
        click.echo(orjson.dumps(described, option=orjson.OPT_INDENT_2).decode())
        return
    table = Table(box=None, pad_edge=False)
    for column in ("task", "what it asks", "items come from", "answers", "examples", "token budget"):
        table.add_column(column)
    for facts in described:
        kinds = facts["kinds"]
        assert isinstance(kinds, tuple | list)
        table.add_row(
            *(str(facts[name]) for name in ("name", "title", "data")),
            ", ".join(kinds),
            *(str(facts[name]) for name in ("default_n_shot", "max_tokens")),
        )
    Console().print(table)


@task.command()
@click.argument("name")
@click.option("--data", type=click.Path(path_type=Path), help="The data set's file.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Show so many items."
)
@click.option("--json", "as_json", is_flag=True)
def show(name: str, data: Path | None, limit: int, as_json: bool) -> None:
    """Show a task's questions as they are asked, with their reference answers."""
    import orjson

    from joulemark.report.wording import printable
    from joulemark.tasks.registry import load_task

    questions = load_task(name, data=data, limit=limit).questions
    if as_json:
        click.echo(orjson.dumps(questions, option=orjson.OPT_INDENT_2).decode())
        return
    for question in questions:
        click.echo(printable(f"{question.item_id}  (answer: {question.gold})"))
        for role, content in question.messages:
            for line in content.splitlines():
                click.echo(f"    {role}: {printable(line)}")

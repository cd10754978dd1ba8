"""``joulemark task``: what can be asked."""

from __future__ import annotations

import click


@click.group()
def task() -> None:
    """Tasks: list them, show one."""


@task.command("list")
@click.option("--json", "as_json", is_flag=True)
def list_tasks(as_json: bool) -> None:
    """List the tasks there are."""
    import orjson

    from joulemark.tasks.registry import describe_tasks

    described = describe_tasks()
    if as_json:
        click.echo(orjson.dumps(described, option=orjson.OPT_INDENT_2).decode())
        return
    for facts in described:
        click.echo("  ".join(str(value) for value in facts.values() if value is not None))

"""``joulemark engine``: the built-in model, and how a captured stream is read."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def engine() -> None:
    """Engines: fetch the built-in model, parse a captured stream."""


@engine.command()
def fetch() -> None:
    """Fetch the built-in model (93 MB) into the user's cache and check it."""
    from joulemark.engines.model_files import ensure_model

    seen: set[str] = set()

    def show(message: str, _fraction: float | None) -> None:
        if message not in seen:
            seen.add(message)
            click.echo(f"· {message}", err=True)

    click.echo(ensure_model(show))


@engine.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print every field.")
def parse(file: Path, as_json: bool) -> None:
    """Show how a captured response body is read: text, tokens, usage, errors, first token."""
    import orjson

    from joulemark.engines.streams import parse_file, reply_json
    from joulemark.report.wording import printable

    fields = reply_json(parse_file(file))
    if as_json:
        click.echo(orjson.dumps(fields, option=orjson.OPT_INDENT_2).decode())
        return
    for name, value in fields.items():
        click.echo(f"{name}: {'—' if value is None else printable(str(value))}")

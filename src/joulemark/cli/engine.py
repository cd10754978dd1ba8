"""``joulemark engine``: engines that run, the built-in model, and how captured streams are read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from joulemark.engines.found_engine import Search

_FAILED = 3
_SHOWN_MODELS = 10


@click.group()
def engine() -> None:
    """Engines: list those that run, fetch the built-in model, read captured streams."""


@engine.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print every field.")
def list_engines(as_json: bool) -> None:
    """List the engines that run on this machine, with the command that measures each.

    The usual ports are asked on 127.0.0.1 and ::1, and what OLLAMA_HOST and OPENAI_BASE_URL name. Nothing is
    generated or loaded. Exits with 1 where no engine was found.
    """
    import asyncio

    import orjson

    from joulemark.engines.autodetect import look_around

    search = asyncio.run(look_around())
    if as_json:
        click.echo(orjson.dumps(_search_json(search), option=orjson.OPT_INDENT_2).decode())
    else:
        _print_search(search)
    sys.exit(0 if search.found else 1)


@engine.command()
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--html", "page", type=click.Path(path_type=Path), help="Write the results as one page.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the random cuts.")
@click.option("--json", "as_json", is_flag=True, help="Print every field.")
def conformance(directory: Path, page: Path | None, seed: int, as_json: bool) -> None:
    """Hold the stream parser to a corpus: bodies in DIR, each with NAME.expect.json beside it.

    Exits with 0 where every case passes, with 3 where one fails.
    """
    import orjson

    from joulemark.engines.streams.conformance import check, load_corpus
    from joulemark.report.conformance import summary_json, write_conformance
    from joulemark.report.wording import printable

    results = [check(case, seed) for case in load_corpus(directory)]
    if page is not None:
        write_conformance(results, seed, page)
    failed = [result for result in results if not result.passed]
    if as_json:
        click.echo(orjson.dumps(summary_json(results, seed), option=orjson.OPT_INDENT_2).decode())
    else:
        for result in failed:
            click.echo(f"{printable(result.case.name)}: {printable(result.case.fault or 'fails')}")
            for one, ways in result.differences:
                click.echo(f"  {printable(one.field)} ({', '.join(ways)})")
                click.echo(f"    expected {printable(one.expected)[:500]}")
                click.echo(f"    read     {printable(one.read)[:500]}")
        click.echo(f"{len(results) - len(failed)} of {len(results)} cases pass")
        if page is not None:
            click.echo(f"page: {page}")
    sys.exit(_FAILED if failed else 0)


@engine.command()
def fetch() -> None:
    """Fetch the built-in model (93 MB) into the user's cache and check it."""
    from joulemark.cli.waiting import each_once, say
    from joulemark.engines.model_files import ensure_model

    click.echo(ensure_model(each_once(say)))


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


def _search_json(search: Search) -> dict[str, Any]:
    return {
        "found": [
            {
                "url": found.url,
                "kind": found.kind,
                "version": found.version,
                "models": list(found.models),
                "pid": found.pid,
                "process": found.process,
                "named_by": found.named_by,
                "near": found.near,
                "command": found.command,
            }
            for found in search.found
        ],
        "passed_over": [{"url": passed.url, "why": passed.why} for passed in search.passed_over],
        "tried": list(search.tried),
    }


def _print_search(search: Search) -> None:
    from joulemark.report.wording import printable

    for found in search.found:
        process = (
            f"process {found.pid} ({found.process})" if found.pid else "process not to be seen from here"
        )
        click.echo(printable(f"{found.title}, {process}"))
        more = f" and {len(found.models) - _SHOWN_MODELS} more" if len(found.models) > _SHOWN_MODELS else ""
        click.echo(printable(f"  models: {', '.join(found.models[:_SHOWN_MODELS])}{more}"))
        click.echo(printable(f"  measure: {found.command}"))
    for passed in search.passed_over:
        click.echo(printable(f"{passed.url}: {passed.why}"), err=bool(search.found))
    if not search.found:
        click.echo("No engine was found. Tried: " + ", ".join(printable(url) for url in search.tried))
        click.echo(
            "Start one (ollama serve, lms server start, llama-server -m MODEL.gguf), or leave --engine out:"
        )
        click.echo("  joulemark bench quick")

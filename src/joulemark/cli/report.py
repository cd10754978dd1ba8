"""``joulemark report``, ``joulemark metrics``: reading what is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.options import declared_rates, rate_options
from joulemark.cli.programs import declared_watts, print_programs, programs_json, watts_options, write_pages
from joulemark.record.item import Phase

if TYPE_CHECKING:
    from joulemark.code.joined.figures import DeclaredWatts
    from joulemark.metrics.run_view import RunView


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
@rate_options
@watts_options
@click.option(
    "--answers", is_flag=True, help="Print each question, answer and verdict instead of the figures."
)
def report(
    run: Path,
    as_json: bool,
    answers: bool,
    engine_watts: float | None,
    program_watts: float | None,
    **rates: Any,
) -> None:
    """Show a run again: every figure, table and its page are made anew from the journals.

    Rates given here price the run anew; the record keeps those it was made with.
    """
    from joulemark.runs.finalize import refresh
    from joulemark.runs.layout import RunLayout
    from joulemark.runs.repriced import repriced

    if answers:
        _print_answers(run)
        return
    layout = RunLayout(run)
    view = repriced(refresh(layout), layout, declared_rates(rates))
    show(run, view, as_json=as_json, declared=declared_watts(engine_watts, program_watts))


def show(run: Path, view: RunView, *, as_json: bool, declared: DeclaredWatts | None = None) -> None:
    """Write a run's page and print its figures, those of its programs with them."""
    import orjson
    from rich.console import Console

    from joulemark.metrics import summarize
    from joulemark.report.terminal import print_summary

    summary = summarize(view)
    page = write_pages(run, summary, view, declared)
    if as_json:
        figures = {**summary.to_json(), **programs_json(run, view, declared)}
        document = {"run_dir": str(run), "report": str(page), **figures}
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    print_summary(summary, Console(), view)
    print_programs(run, view, Console(), declared)
    click.echo(f"\nreport: {page.resolve()}")


@click.command()
@click.option("--json", "as_json", is_flag=True)
def metrics(as_json: bool) -> None:
    """Print the definition of every figure: unit, formula, when it is withheld, and its source."""
    from dataclasses import asdict

    import orjson

    from joulemark.metrics.catalogue import all_definitions

    found = all_definitions()
    if as_json:
        defined = [asdict(definition) for definition in found]
        click.echo(orjson.dumps(defined, option=orjson.OPT_INDENT_2).decode())
        return
    for definition in found:
        click.echo(f"{definition.name}\n  {definition.tooltip()}\n")


def _print_answers(run: Path) -> None:
    """Print what was asked and answered, from the local journal; texts are in no table and no page."""
    from joulemark.report.wording import printable
    from joulemark.runs.recorded import read_run

    for row in read_run(run).rows:
        item, texts = row.item, row.texts
        if item.phase != Phase.MEASURE or texts is None:
            continue
        click.echo(f"{printable(item.item_id)}  repeat {item.repeat}  {item.verdict}")
        shown = {"asked": texts.prompt, "answered": texts.answer, "thought": texts.reasoning}
        shown |= {"read as": texts.value or "—", "reference": texts.gold or "—", "rule": item.rule or "—"}
        shown |= {"failed": "; ".join(texts.errors)}
        for name, text in shown.items():
            if text:
                click.echo(f"    {name:<10} {printable(text)}")

"""The summary of a run in a terminal, 60 columns or more."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.metrics.catalogue import definition
from joulemark.metrics.latency import PERCENTILES
from joulemark.metrics.summary import Summary
from joulemark.report.headline import BOUND, ENERGY, PROCESSOR, headline, leads_with_energy
from joulemark.report.wording import (
    DASH,
    figure_texts,
    how_far,
    how_measured,
    latency_row,
    missing,
    printable,
    shown,
    source_sentence,
    tier_sentence,
    too_few,
    why,
)

_HEADLINE = (ENERGY, BOUND)
_TITLE = definition(ENERGY).title


def print_summary(summary: Summary, console: Console) -> None:
    """Print the figures of a run: the loud warnings and the headline first, each dash with its reason below.

    Every foreign string (model, meter and process names) is printed as plain text: neither markup nor control
    characters in it act.
    """
    for caveat in summary.caveats:
        if caveat.loud:
            console.print(Text(f"! {printable(caveat.text)}", style="bold red"), soft_wrap=False)
    named = (summary.model, summary.engine, summary.task, how_far(summary))
    told = " · ".join(printable(name) for name in named if name)
    console.print(Text(f"\n{told}", style="bold"))
    _headline(summary, console)
    console.print(Text(how_measured(summary)))
    if facts := _facts(summary):
        console.print(facts)
    console.print(_figures(summary))
    console.print(_latencies(summary))
    console.print(Text("Answers: " + _verdicts(summary)))
    _notes(summary, console)


def _headline(summary: Summary, console: Console) -> None:
    value = summary.figures[ENERGY]
    if leads_with_energy(summary) and value.value is None:
        console.print(Text.assemble((f"{_TITLE}: none", "bold"), (f" ({why(value)})", "dim")))
        return
    led = headline(summary)
    console.print(Text.assemble((f"{led.title}  ", "bold"), (led.text, "bold green")))
    # of the energy, the meter and its tier follow below
    for line in led.lines[:2] if leads_with_energy(summary) else led.lines:
        console.print(Text(f"  {line}"))
    if not leads_with_energy(summary):
        console.print(Text(f"Energy: none ({why(value)})", style="dim"))


def _facts(summary: Summary) -> Padding | None:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    if leads_with_energy(summary):
        tier = f"{summary.measurement_tier or DASH}: {tier_sentence(summary)}"
        table.add_row("Meter", Text(source_sentence(summary)))
        table.add_row("Tier", Text(tier))
    for check in summary.checks:
        if check.total_j is not None and check.residual_j is not None:
            table.add_row(
                "Adds up",
                Text(
                    f"items {check.items_j or 0:,.1f} + idle {check.idle_j or 0:,.1f} + residual "
                    f"{check.residual_j:,.1f} = {check.total_j:,.1f} J ({check.method}, {check.scope})"
                ),
            )
    for name, value in summary.other_energy.items():
        text, interval = figure_texts("total_joules", value)
        table.add_row("Beside it", Text(f"{printable(name)}: {text} {interval}".rstrip()))
    return Padding(table, (1, 0)) if table.row_count else None


def _figures(summary: Summary) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Figure", overflow="fold")
    table.add_column("Value", justify="right", no_wrap=True)
    table.add_column("Interval", overflow="fold", style="dim")
    for row in shown(summary):
        if row.name not in (*_HEADLINE, *((PROCESSOR,) if not leads_with_energy(summary) else ())):
            table.add_row(Text(row.title), Text(row.text), Text(row.interval))
    return table


def _latencies(summary: Summary) -> Padding:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Latency", overflow="fold")
    for percent in PERCENTILES:
        table.add_column(f"p{percent}", justify="right", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for name, latency in summary.latency.items():
        title = definition(name).title
        n = len(latency.samples_s)
        cells = latency_row(latency, with_failures=False)
        table.add_row(Text(title), *map(Text, cells), f"{n:,}" if n else DASH)
        if latency.n_failed and n:
            cells = latency_row(latency, with_failures=True)
            table.add_row(
                Text("  with failures", style="dim"), *map(Text, cells), f"{n + latency.n_failed:,}"
            )
    return Padding(table, (1, 0))


def _verdicts(summary: Summary) -> str:
    counts = ", ".join(f"{count} {name}" for name, count in summary.verdicts.items() if count)
    retried = f"; {summary.n_retried} retried" if summary.n_retried else ""
    return f"{summary.n_requests} requests of {summary.n_items} items: {counts or 'none'}{retried}"


def _notes(summary: Summary, console: Console) -> None:
    if few := too_few(summary):
        console.print(Text(f"{DASH} {few}", style="dim"))
    said = {_TITLE, "Tier"} if not leads_with_energy(summary) else {_TITLE}
    for sentence, titles in missing(summary).items():
        if left := [title for title in titles if title not in said]:
            console.print(Text(f"{DASH} {', '.join(left)}: {sentence}", style="dim"))
    for caveat in summary.caveats:
        if not caveat.loud:
            console.print(Text(f"* {printable(caveat.text)}", style="dim"))

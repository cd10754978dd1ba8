"""The summary of a run in a terminal, 60 columns or more."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.metrics import cost_model
from joulemark.metrics.catalogue import definition, definitions
from joulemark.metrics.latency import PERCENTILES
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import NOTHING_COMPLETED
from joulemark.metrics.verdict_energy import VerdictCosts
from joulemark.report.batch_words import batch_words
from joulemark.report.busy import NOTE, is_busy, marked, timed
from joulemark.report.cost_words import equation, fit_words
from joulemark.report.headline import BOUND, ENERGY, headline, leading, leads_with_energy
from joulemark.report.how_sure import TOLD, what_weighs
from joulemark.report.latency_table import latency_cells
from joulemark.report.limits import limit_lines
from joulemark.report.loaded_terminal import of_steady_window, print_loaded, reasons_left, untold
from joulemark.report.loaded_words import REFUSED
from joulemark.report.of_load import is_loaded
from joulemark.report.repeats import spread_rows
from joulemark.report.standing import standing
from joulemark.report.stopping import saved_rows, stop_sentences, unmet_sentence
from joulemark.report.these_questions import short as of_these
from joulemark.report.three_ways import is_outside, three_ways
from joulemark.report.verdicts import cost_title, verdict_notes, verdict_rows
from joulemark.report.wording import (
    DASH,
    figure_texts,
    how_far,
    how_measured,
    is_answered,
    missing,
    printable,
    shown,
    source_sentence,
    too_few,
    why,
)

_TITLE = definition(ENERGY).title
_SLOWED = {
    "thermal_throttle_pct": "heat",
    "power_cap_throttle_pct": "power limit",
    "power_brake_throttle_pct": "power brake",
}
_COST = frozenset(defined.name for defined in cost_model.DEFINITIONS)
_INVERSE = frozenset(defined.name for defined in definitions() if defined.unit.startswith("1/"))
# told elsewhere in the summary, or made of rows that are shown; the page and the JSON have them all
_ELSEWHERE = frozenset(
    {ENERGY, BOUND, "total_joules", "counter_vs_integration_pct_diff", "cpu_seconds"},
).union(_INVERSE, _COST, _SLOWED)


def print_summary(summary: Summary, console: Console, run: RunView | None = None) -> None:
    """Print the figures of a run: the loud warnings and the headline first, each dash with its reason below.

    A run under load leads with its steady state, and its latencies are those of the steady window.

    ``run`` adds what the summary does not hold: the run's standing, and the energy by other ways. Every
    foreign string (model, meter and process names) is printed as plain text: neither markup nor control
    characters in it act.
    """
    for caveat in summary.caveats:
        if caveat.loud and caveat.code != REFUSED:
            console.print(Text(f"! {printable(caveat.text)}", style="bold red"), soft_wrap=False)
    named = (summary.model, summary.engine, summary.task, how_far(summary))
    told = " · ".join(printable(name) for name in named if name)
    console.print(Text(f"\n{told}", style="bold"))
    if is_loaded(summary):
        print_loaded(summary, console, run)
    else:
        _headline(summary, console)
    for sentence in stop_sentences(summary):
        console.print(Text(sentence))
    if run is not None and (unmet := unmet_sentence(run)):
        console.print(Text(unmet))
    if sure := " ".join(what_weighs(summary)).replace("`", ""):
        console.print(Text(f"How sure: {sure}"))
    console.print(Text(how_measured(summary), style="dim"))
    if run is not None:
        console.print(Text(f"{standing(run.manifest, is_answered=is_answered(summary))}.", style="dim"))
        if batch := batch_words(run):
            console.print(Text(printable(batch), style="dim"))
    console.print(_energy(summary, run))
    console.print(_figures(summary))
    console.print(Padding(_answers(summary), (1, 0, 0, 0)))
    if summary.by_verdict.total.value is not None:
        for line in verdict_notes(verdict_rows(summary), _costs_title(summary)):
            console.print(Text(line, style="dim"))
    for line in _lines(summary):
        console.print(Text(line))
    console.print(Padding(_latencies(summary), (1, 0, 0, 0)))
    if summary.stopped is not None:
        _print_saved(summary, console)
    _notes(summary, console)


def _headline(summary: Summary, console: Console) -> None:
    value = summary.figures[ENERGY]
    led, with_energy = headline(summary), leads_with_energy(summary)
    console.print(Text.assemble((f"{led.title}  ", "bold"), (led.text, "bold green")))
    # of the energy, the meter and its tier follow below
    for line in led.lines[:-1] if with_energy else led.lines:
        console.print(Text(f"  {line}"))
    if value.value is None:
        what = _TITLE if with_energy else "Energy"
        console.print(Text(f"{what}: none ({why(value)})", style="dim"))


def _energy(summary: Summary, run: RunView | None) -> Padding:
    """Say which meter the joules are from, what others gave, and that the parts add up."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    if leads_with_energy(summary):
        table.add_row("Energy", Text(f"{_joules(summary)}: {source_sentence(summary)}"))
        for way in three_ways(summary, run) if run is not None else ():
            if not way.leads and not way.why:
                table.add_row("", Text(f"{way.text} {way.title.lower()}: {way.against}"))
        if run is None and summary.figures["counter_vs_integration_pct_diff"].value is not None:
            drift = figure_texts("", summary.figures["counter_vs_integration_pct_diff"])[0]
            table.add_row("", Text(f"{drift} is what integrated power differs by from the counter"))
    for check in summary.checks:
        if check.total_j is not None and check.residual_j is not None:
            if check.reason is not None:
                told = f"not told apart between the answers: {check.reason.text}"
                table.add_row("Adds up", Text(f"{check.total_j:,.1f} J, {told}"))
                continue
            parts = (
                f"items {check.items_j or 0:,.1f} + idle {check.idle_j or 0:,.1f} + residual "
                f"{check.residual_j:,.1f} = {check.total_j:,.1f} J"
            )
            table.add_row("Adds up", Text(f"{parts} ({check.method}, {printable(check.scope)})"))
    for name, value in summary.other_energy.items():
        if value.value is not None and (run is None or not is_outside(name)):
            table.add_row("Beside it", Text(f"{printable(name)}: {figure_texts('total_joules', value)[0]}"))
    return Padding(table, (1, 0) if table.row_count else (0, 0))


def _joules(summary: Summary) -> str:
    text, bound = figure_texts("total_joules", summary.figures["total_joules"])
    return f"{text} ({bound})"


def _figures(summary: Summary) -> Table:
    """Return the figures that are known; the notes below say why the others are not."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    loaded = is_loaded(summary)
    table.add_column("Whole run" if loaded else "Figure", overflow="fold")
    table.add_column("Value", justify="right", no_wrap=True)
    table.add_column("Interval", overflow="fold", style="dim")
    left_out = (_ELSEWHERE - {ENERGY}) | untold(summary) if loaded else _ELSEWHERE | {leading(summary)}
    for row in shown(summary):
        if row.name not in left_out and row.text != DASH:
            short = row.interval.replace("95 % interval", "95 %").replace("meter's bound", "bound")
            spoken = "; ".join(filter(None, [short, of_these(row.name, summary)]))
            table.add_row(Text(marked(row.name, row.title, summary)), Text(row.text), Text(spoken))
    return table


def _answers(summary: Summary) -> Table:
    """Return what became of the requests, and what each verdict cost."""
    costs: VerdictCosts = summary.by_verdict
    counted = costs.total.value is not None
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(f"{summary.n_requests:,} requests")
    table.add_column("", justify="right", no_wrap=True)
    for title in (_costs_title(summary), "share", "per request") if counted else ():
        table.add_column(title, justify="right", no_wrap=True)
    for row in verdict_rows(summary):
        if row.n != "0":
            cells = (row.cost, row.share_of_cost, row.mean_cost) if counted else ()
            table.add_row(row.verdict, row.n, *(Text(cell.text) for cell in cells))
    return table


def _print_saved(summary: Summary, console: Console) -> None:
    """Print what was asked beside what was not; costs without a price are left out, and named in the JSON."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("Stopped early", overflow="fold")
    for title in ("Asked, measured", "Saved, estimated"):
        table.add_column(title, justify="right")
    table.add_column("95 %", overflow="fold", style="dim")
    table.add_column("Whole, estimated", justify="right")
    for row in saved_rows(summary):
        short = row.beside.removeprefix("95 % interval ")
        short = short.rpartition(" ")[0] if "…" in short else short  # its unit stands beside it
        table.add_row(row.title, Text(row.asked), Text(row.saved), Text(short), Text(row.whole))
    console.print(Padding(table, (1, 0, 0, 0)))


def _costs_title(summary: Summary) -> str:
    costs = summary.by_verdict
    title = cost_title(costs)
    return timed(title, summary) if costs.resource == "cpu_seconds" else title


def _lines(summary: Summary) -> Iterator[str]:
    """Yield what takes one line each: tries, limits, cost model, what slowed the device down, the spread."""
    if not is_loaded(summary):  # of a load they are told above
        yield from limit_lines(summary)
    if summary.n_retried:
        yield f"{summary.n_retried} requests were sent more than once."
    if summary.cost_model.coefficients is not None:
        yield f"Cost model: {equation(summary.cost_model)} ({fit_words(summary.cost_model)})"
    slowed = {title: summary.figures[name] for name, title in _SLOWED.items()}
    if any(value.value for value in slowed.values()):
        told = [f"{title} {figure_texts('', value)[0]}" for title, value in slowed.items() if value.value]
        yield f"Slowed down, of the time: {', '.join(told)}"
    for row in spread_rows(summary):
        if row.name not in (leading(summary), "accuracy"):
            continue
        if row.mean.text == DASH:
            yield f"{DASH} {row.title} over repeats: {row.mean.why}"
        else:
            yield f"{row.title} over repeats: {row.mean.text} ± {row.sigma.text} (n = {row.n})"


def _latencies(summary: Summary) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    steady = summary.steady.latency
    summary = of_steady_window(summary)
    table.add_column("Latency, steady window" if steady else "Latency", overflow="fold")
    for percent in PERCENTILES:
        table.add_column(f"p{percent}", justify="right", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    for name, latency in summary.latency.items():
        n = len(latency.samples_s)
        if not n:
            continue  # its reason stands in the notes
        cells = [Text(cell.text) for cell in latency_cells(latency, with_failures=False)]
        table.add_row(Text(marked(name, definition(name).title, summary)), *cells, f"{n:,}")
        if latency.n_failed:
            cells = [Text(cell.text) for cell in latency_cells(latency, with_failures=True)]
            table.add_row(Text("  with failures", style="dim"), *cells, f"{n + latency.n_failed:,}")
    return table


def _notes(summary: Summary, console: Console) -> None:
    summary = of_steady_window(summary)
    if is_busy(summary):
        console.print(Text(NOTE))
    if few := too_few(summary):
        console.print(Text(f"{DASH} {few}", style="dim"))
    said = {_TITLE, definition(leading(summary)).title}
    said |= {"Tier"} if not leads_with_energy(summary) or what_weighs(summary) else set()
    said |= {definition(name).title for name in (BOUND, *_INVERSE)}
    model = {definition(name).title for name in _COST}
    told = reasons_left(missing(summary), summary) if is_loaded(summary) else missing(summary)
    for sentence, titles in told.items():
        if sentence == NOTHING_COMPLETED:
            continue  # it is the first warning, and the reason of every figure of an answer
        # one reason for all of the cost model's coefficients
        names = dict.fromkeys("Cost model" if title in model else title for title in titles)
        if left := [title for title in names if title not in said]:
            console.print(Text(f"{DASH} {', '.join(left)}: {sentence}", style="dim"))
    for caveat in summary.caveats:
        if not caveat.loud and caveat.code not in TOLD:
            console.print(Text(f"* {printable(caveat.text)}", style="dim"))
    if all(rate is None or rate == [] for name, rate in summary.rates.items() if name != "pue"):
        console.print(Text("Money and carbon: --usd-per-kwh or --price, and --zone, add them.", style="dim"))

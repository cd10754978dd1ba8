"""A run under load in a terminal: the figures of its steady state, in few lines, or why there are none."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from joulemark.metrics import cost_model, engine_time, standby, throttle
from joulemark.metrics.catalogue import definition
from joulemark.metrics.run_view import RunView
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.summary import Summary
from joulemark.report.busy import marked
from joulemark.report.limits import limit_lines
from joulemark.report.loaded_rules import RuleRow, rule_rows
from joulemark.report.loaded_split import is_told, split_of, split_words
from joulemark.report.loaded_words import (
    PER_CORRECT,
    PER_REQUEST,
    leading_loaded,
    load_words,
    plain_title,
    refusal,
    window_words,
)
from joulemark.report.of_load import OF_LOAD
from joulemark.report.wording import DASH, figure_texts, gathered, why

_BOUNDED, _BOUND = "steady_joules_per_request_bound", "meter's bound"
_ROWS = (
    PER_REQUEST,
    _BOUNDED,
    "steady_joules_per_token",
    "steady_requests_per_second",
    "steady_tokens_per_second",
    "steady_power_w",
)
# of one request at a time, of idle power, or of what the warnings at the top say already
_NOT_OF_LOAD = frozenset(
    defined.name for part in (cost_model, standby, engine_time, throttle) for defined in part.DEFINITIONS
) | {"net_joules", "decode_tokens_per_second", "foreign_cpu_share", "stolen_cpu_share"}
# of the whole run what the steady state says better, where there is one
_BETTER_STEADY = frozenset({"joules_per_token", "mean_power_w", "tokens_per_second"})
_ENGINE = {
    "mean_running_requests": "in its batch",
    "mean_waiting_requests": "waiting",
    "kv_used_share_max": "of the KV cache at most",
    "preemptions": "preemptions",
}


def print_loaded(summary: Summary, console: Console, run: RunView | None = None) -> None:
    """Print the block: the energy that leads, how it was asked, the figures, the engine's own."""
    refused = refusal(summary)
    if refused:
        console.print(Text("Under load  ", style="bold"), Text(refused[0], style="bold red"), sep="")
        for line in refused[1:]:
            console.print(Text(f"  {line}".replace("`", "")))
    else:
        _lead(summary, console)
    for line in _said(summary, run):
        console.print(Text(line, style="dim"))
    if not refused:
        console.print(Padding(_table(summary), (0, 0, 0, 2)))
    for line in (*limit_lines(summary), *_lines(summary)):
        console.print(Text(f"  {line}"))


def of_steady_window(summary: Summary) -> Summary:
    """Return the summary with the latencies of the steady window in place of the whole run's, if any.

    The first answer token is left out where each answer began with it.
    """
    latency = dict(summary.steady.latency)
    if not latency:
        return summary
    if latency["ttfa"].samples_s == latency["ttft"].samples_s:
        del latency["ttfa"]
    return dataclasses.replace(summary, latency=latency)


def untold(summary: Summary) -> frozenset[str]:
    """Return which figures are not in the table of a loaded run, nor why they are null.

    The block above it has them, or they take one request at a time; the page and the JSON have them all.
    """
    told = OF_LOAD | _NOT_OF_LOAD
    return told | _BETTER_STEADY if isinstance(summary.steady.window, SteadyWindow) else told


def reasons_left(missing: dict[str, list[str]], summary: Summary) -> dict[str, list[str]]:
    """Return the titles by the sentence that says why they are null, without those of `untold` figures."""
    told = {definition(name).title for name in untold(summary)}
    left = {sentence: [one for one in some if one not in told] for sentence, some in missing.items()}
    return {sentence: some for sentence, some in left.items() if some}


def _lead(summary: Summary, console: Console) -> None:
    name = leading_loaded(summary)
    text, interval = figure_texts(name, summary.figures[name])
    title = f"Under load: {plain_title(name).lower()}  "
    console.print(Text.assemble((title, "bold"), (text, "bold green"), f"  {interval}"))
    if text == DASH:
        console.print(Text(f"  {why(summary.figures[name])}"))
    if name != PER_CORRECT:
        console.print(
            Text(f"Energy per correct answer: none ({why(summary.figures[PER_CORRECT])})", style="dim")
        )


def _said(summary: Summary, run: RunView | None) -> Iterator[str]:
    window = summary.steady.window
    asked = "" if run is None else f"Load: {load_words(run.manifest.load)}. "
    if isinstance(window, SteadyWindow):
        yield asked + window_words(window, summary)
    elif asked:
        yield asked.strip()


def _table(summary: Summary) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold", style="dim")
    led = leading_loaded(summary)
    for name in _ROWS:
        text, interval = figure_texts(name, summary.figures[name])
        if name == led or text == DASH:
            continue
        short = interval.replace("95 % interval", "95 %").replace(_BOUND, "bound")
        title = f"{plain_title(PER_REQUEST)}, {_BOUND}" if name == _BOUNDED else plain_title(name)
        table.add_row(Text(marked(name, title, summary)), Text(text), Text(short))
    return table


def _lines(summary: Summary) -> Iterator[str]:
    """Yield what the engine said, where the energy went, and what other rules make of the run."""
    known, missing = [], []
    for name, words in _ENGINE.items():
        value = summary.figures[name]
        if value.value is None:
            missing.append((words, why(value)))
        else:
            text = figure_texts(name, value)[0].removesuffix(f" {value.unit}")
            known.append(f"{text} {words}")
    if known:
        yield f"The engine says: {', '.join(known)}"
    for sentence, names in gathered(missing).items():
        whose = f"Not known of the engine ({', '.join(names)})" if known else "The engine's own account"
        yield f"{DASH} {whose}: {sentence}"
    if is_told(summary):
        words = split_words(summary)[0]
        yield words if split_of(summary) is not None else f"{DASH} {words}".replace("`", "")
    rules = [row for row in rule_rows(summary) if not row.ours]
    if rules:
        yield "By the published rules for a steady state: " + "; ".join(
            f"{_short(row.title)} {_per_request(row)}" for row in rules
        )


def _per_request(row: RuleRow) -> str:
    if row.why or row.per_request.text == DASH:
        return "finds no window" if row.why else "gives no energy"
    return row.per_request.text if row.beside in ("", DASH) else f"{row.per_request.text} ({row.beside})"


def _short(title: str) -> str:
    return title.partition(" (")[0]

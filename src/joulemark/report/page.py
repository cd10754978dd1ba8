"""What the page says, as plain values: everything but its looks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from joulemark.metrics.catalogue import definition, definitions
from joulemark.metrics.latency import PERCENTILES
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.report.batch_words import batch_words
from joulemark.report.busy import NOTE, is_busy, marked, timed
from joulemark.report.cells import notes
from joulemark.report.cost_words import cost_words
from joulemark.report.headline import PROCESSOR, Tile, energy_tile, headline, leading, tile
from joulemark.report.how_sure import TOLD, how_sure
from joulemark.report.identity import identity
from joulemark.report.item_cost import item_costs
from joulemark.report.item_table import item_notes, item_rows
from joulemark.report.latency_table import latency_cells, latency_notes, latency_rows
from joulemark.report.limits import limit_lines
from joulemark.report.loaded import loaded_section
from joulemark.report.loaded_words import REFUSED
from joulemark.report.meter_table import meter_notes, meter_rows
from joulemark.report.no_meter import brief, has_no_meter
from joulemark.report.of_load import is_loaded
from joulemark.report.rates import CARBON, MONEY, a_million, asked_for, missing_lines, rate_lines
from joulemark.report.repeats import ONE_RUN, left_out, spread_rows
from joulemark.report.standing import standing
from joulemark.report.stopping import ESTIMATED, saved_rows, saved_unknown, stop_sentences, unmet_sentence
from joulemark.report.three_ways import three_ways
from joulemark.report.verdicts import cost_title, rest_row, verdict_notes, verdict_rows
from joulemark.report.wording import (
    DASH,
    figure_texts,
    how_far,
    how_measured,
    is_answered,
    printable,
    shown,
    why,
)

if TYPE_CHECKING:
    from joulemark.report.page_programs import ProgramsSection

_COLUMNS = {3: 3, 5: 5, 6: 3}  # of the tiles below the headline, so that no row is left nearly empty


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table of figures."""

    name: str
    title: str
    text: str
    beside: str


def tiles(summary: Summary, run: RunView) -> list[Tile]:
    """Return the headline and its companions; money and carbon only where a rate was given."""
    led = leading(summary)
    quality = "mean_score" if _is_scored(summary) else "accuracy"
    names = [quality, "joules_per_correct_answer", "joules_per_token", PROCESSOR, "tokens_per_second"]
    if summary.figures["total_joules"].value is None:
        names.remove("joules_per_token")  # the energy's own tile says why once
    if _is_scored(summary):
        names.remove(PROCESSOR)
    for pair in (MONEY, CARBON):
        names += [pair[_is_scored(summary)]] if pair[0] in asked_for(run.rates) else []
    found = [
        energy_tile(summary) if name == "joules_per_correct_answer" else tile(name, summary)
        for name in names
        if name != led
    ]
    shown_tiles = [headline(summary), *found, _first_token(summary)]
    return [
        dataclasses.replace(one, lines=[brief(line, summary) for line in one.lines]) for one in shown_tiles
    ]


def _is_scored(summary: Summary) -> bool:
    """Tell whether the task has scores in place of right and wrong."""
    return summary.figures["mean_score"].value is not None and summary.figures["accuracy"].value is None


def _first_token(summary: Summary) -> Tile:
    ttft = summary.latency["ttft"]
    p50, _, p95, _ = latency_cells(ttft, with_failures=False)
    lines = [f"n = {len(ttft.samples_s)}"] if ttft.samples_s else [why(ttft.answered[50])]
    if p95.text != DASH:
        lines.insert(0, f"p95 {p95.text}")
    return Tile(timed("Time to first token, median", summary), p50.text, lines, "ttft")


def figures(summary: Summary) -> list[Row]:
    """Return the table of figures."""
    return [
        Row(s.name, marked(s.name, s.title, summary), s.text, brief(s.why, summary) or s.interval)
        for s in shown(summary)
    ]


def sums(summary: Summary) -> Iterator[str]:
    """Yield the proof that attribution adds up, one sentence a method and scope."""
    for check in summary.checks:
        if check.total_j is None or check.residual_j is None:
            continue
        if check.reason is not None:
            yield (
                f"Attribution ({check.method}, {printable(check.scope)}): metered {check.total_j:,.1f} J, "
                f"not told apart between the answers. {check.reason.text}"
            )
            continue
        yield (
            f"Attribution ({check.method}, {printable(check.scope)}): items {check.items_j or 0:,.1f} J "
            f"+ idle {check.idle_j or 0:,.1f} J + residual {check.residual_j:,.1f} J = metered "
            f"{check.total_j:,.1f} J."
        )


def others(summary: Summary) -> list[str]:
    """Return what other sources saw of the same windows."""
    lines = []
    for name, value in summary.other_energy.items():
        text, interval = figure_texts("total_joules", value)
        lines.append(f"{printable(name)}: {text} {interval or why(value)}".rstrip())
    return lines


def money(summary: Summary, run: RunView) -> dict[str, object]:
    """Return the figures of money and carbon with their rates, and how to get those not asked for."""
    rates = run.rates
    rows = []
    for name in asked_for(rates):
        value = summary.figures[name]
        text, interval = figure_texts(name, value)
        rows.append(Row(name, definition(name).title, text, brief(why(value), summary) or interval))
    return {
        "rows": rows,
        "rates": rate_lines(rates, local=run.manifest.engine.local),
        "million": a_million(summary),
        "missing": missing_lines(rates),
    }


def answers(summary: Summary) -> dict[str, object]:
    """Return the table of verdicts, and accuracy beside its corrected forms."""
    rows, rest = verdict_rows(summary), rest_row(summary)
    title = cost_title(summary.by_verdict)
    if summary.by_verdict.resource == "cpu_seconds":
        title = timed(title, summary)
    names = ["mean_score"] if _is_scored(summary) else []
    names.append("accuracy")
    for name, verdict in (
        ("accuracy_excluding_truncated", "truncated"),
        ("accuracy_excluding_failed", "failed"),
    ):
        if summary.verdicts[verdict] and not _is_scored(summary):
            names.append(name)
    total = summary.by_verdict.total
    return {
        "rows": rows,
        "rest": rest,
        "title": title,
        "notes": verdict_notes(rows, title),
        "no_costs": brief(why(total), summary) if total.value is None else "",
        "quality": [tile(name, summary) for name in names],
        "none_truncated": summary.figures["accuracy"].value is not None and not summary.verdicts["truncated"],
    }


def repeated(summary: Summary) -> dict[str, object]:
    """Return the spread over repeats, or how to get one."""
    rows = [
        dataclasses.replace(row, title=marked(row.name, row.title, summary)) for row in spread_rows(summary)
    ]
    cells = [(row.title, cell) for row in rows for cell in (row.mean, row.sigma)]
    return {
        "rows": rows,
        "policy": summary.repeat_policy if rows else "",
        "left_out": left_out(summary),
        "notes": notes(cells),
        "one_run": "" if rows else ONE_RUN,
    }


def _columns(n: int, *, leads: bool) -> int:
    """Return the columns of ``n`` tiles; the first has a row of its own where it ``leads`` the page."""
    return _COLUMNS.get(n - 1, 4) if leads else 3 if n % 3 == 0 else 4


def page_values(summary: Summary, run: RunView, programs: ProgramsSection | None = None) -> dict[str, object]:
    """Return everything the page shows but the charts of the whole run."""
    costs = item_costs(run)
    engine = run.manifest.engine
    cost_axis = costs.axis[0].upper() + costs.axis[1:]
    cost_axis = cost_axis if costs.axis == "joules" else timed(cost_axis, summary)
    no_meter = has_no_meter(summary)
    shown_tiles = tiles(summary, run)
    items, meters = item_rows(run, costs), meter_rows(run)
    defined = (*definitions(), *(programs.definitions if programs is not None else ()))
    return {
        "model": printable(engine.model),
        "answer": "an answer" if _is_scored(summary) else "a correct answer",
        "task": printable(run.manifest.task.name),
        "engine": printable(" ".join(filter(None, (engine.kind, engine.version)))),
        "created": printable(run.manifest.created_utc)
        .replace("T", " ")
        .replace("Z", "+00:00")
        .replace("+00:00", " UTC"),
        "run_id": printable(run.manifest.run_id),
        "version": printable(run.manifest.joulemark_version),
        "standing": standing(run.manifest, is_answered=is_answered(summary)),
        "loud": [printable(c.text) for c in summary.caveats if c.loud and c.code != REFUSED],
        "caveats": [printable(c.text) for c in summary.caveats if not c.loud and c.code not in TOLD],
        "how_far": how_far(summary),
        "how_measured": how_measured(summary),
        "batch": batch_words(run),
        "stopped": {
            "sentences": [*stop_sentences(summary), *filter(None, [unmet_sentence(run)])],
            "rows": saved_rows(summary),
            "unknown": list(saved_unknown(summary)),
            "note": ESTIMATED,
        },
        "limits": [] if is_loaded(summary) else limit_lines(summary),  # of a load they are in its own part
        "busy": NOTE if is_busy(summary) else "",
        "no_meter": no_meter,
        "how_sure": [brief(sentence, summary) for sentence in how_sure(summary)],
        "loaded": loaded_section(summary, run),
        "tiles": shown_tiles,
        "columns": _columns(len(shown_tiles), leads=not is_loaded(summary)),
        "ways": three_ways(summary, run),
        "cost": cost_words(summary.cost_model, run),
        "answers": answers(summary),
        "percentiles": PERCENTILES,
        "latencies": latency_rows(summary),
        "latency_notes": latency_notes(summary),
        "repeats": repeated(summary),
        "money": money(summary, run),
        "figures": figures(summary),
        "sums": list(sums(summary)),
        "meters": meters,
        "meter_notes": meter_notes(meters),
        "others": others(summary),
        "identity": identity(run, summary),
        "item_rows": items,
        "item_notes": item_notes(items, cost_axis, with_bounds=not no_meter),
        "time_title": timed("Time", summary),
        "items_left_out": max(0, len(run.measured_items) - len(items)),
        "cost_axis": cost_axis,
        "programs": programs,
        "definitions": defined,
        "tooltips": {one.name: one.tooltip() for one in defined},
    }

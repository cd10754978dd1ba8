"""What the page says, as plain values: everything but its looks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from joulemark.metrics.catalogue import definition, definitions
from joulemark.metrics.latency import PERCENTILES
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.report.headline import PROCESSOR, Tile, energy_tile, headline, leads_with_energy, tile
from joulemark.report.identity import Group, identity
from joulemark.report.item_cost import ItemCost, item_costs
from joulemark.report.wording import (
    DASH,
    decimals,
    figure_texts,
    how_far,
    how_measured,
    latency_row,
    number,
    printable,
    shown,
    too_few,
    why,
)

MAX_ITEM_ROWS = 500


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table of figures."""

    name: str
    title: str
    text: str
    beside: str
    tooltip: str


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """A line of the table of latencies; the second form of a latency has no anchor.

    ``reason`` is a sentence where the latency is withheld.
    """

    title: str
    cells: list[str]
    n: int
    reason: str = ""
    anchor: str = ""
    tooltip: str = ""


@dataclass(frozen=True, slots=True)
class MeterRow:
    """A source with the outcome of its self-test."""

    name: str
    scope: str
    trust: str
    period: str
    ratio: str


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A line of the table of items."""

    name: str
    verdict: str
    prompt: str
    output: str
    time: str
    cost: str
    bound: str


def tiles(summary: Summary) -> list[Tile]:
    """Return the headline and its companions."""
    names = ["accuracy", "joules_per_token", PROCESSOR, "tokens_per_second"]
    if summary.figures["mean_score"].value is not None and summary.figures["accuracy"].value is None:
        names[0] = "mean_score"
    rest = [tile(name, summary) for name in names]
    if not leads_with_energy(summary):
        # the processor time leads; the energy keeps its place, with its reason
        rest[1:3] = [energy_tile(summary)]
    ttft = summary.latency["ttft"]
    p50, _, p95, _ = latency_row(ttft, with_failures=False)
    lines = [f"n = {len(ttft.samples_s)}"] if ttft.samples_s else [why(ttft.answered[50])]
    if p95 != DASH:
        lines.insert(0, f"p95 {p95}")
    return [headline(summary), *rest, Tile("Time to first token, median", p50, lines)]


def figures(summary: Summary) -> list[Row]:
    """Return the table of figures."""
    return [
        Row(s.name, s.title, s.text, s.why or s.interval, definition(s.name).tooltip())
        for s in shown(summary)
    ]


def latencies(summary: Summary) -> list[LatencyRow]:
    """Return the table of latencies, with the second form where requests failed."""
    found: list[LatencyRow] = []
    for name, latency in summary.latency.items():
        told = definition(name)
        n = len(latency.samples_s)
        cells = latency_row(latency, with_failures=False)
        reason = why(latency.answered[PERCENTILES[0]])
        found.append(LatencyRow(told.title, cells, n, reason, name, told.tooltip()))
        if latency.n_failed and n:
            with_failures = latency_row(latency, with_failures=True)
            found.append(LatencyRow("with failures", with_failures, n + latency.n_failed))
    return found


def sums(summary: Summary) -> Iterator[str]:
    """Yield the proof that attribution adds up, one sentence a method and scope."""
    for check in summary.checks:
        if check.total_j is None or check.residual_j is None:
            continue
        yield (
            f"Attribution ({check.method}, {printable(check.scope)}): items {check.items_j or 0:,.1f} J "
            f"+ idle {check.idle_j or 0:,.1f} J + residual {check.residual_j:,.1f} J = metered "
            f"{check.total_j:,.1f} J."
        )


def meters(run: RunView) -> list[MeterRow]:
    """Return the sources that were read; each segment tested them anew."""
    found = []
    several = len(run.manifest.segments) > 1
    for meter in run.manifest.meters:
        source = meter.qualified
        test = source.qualification
        period = DASH if test.update_period_s is None else f"{test.update_period_s * 1e3:,.0f} ms"
        ratio = DASH if test.counter_over_power is None else f"{test.counter_over_power:.3f}"
        trust = f"{test.trust.value}: {printable(test.reason)}" if test.reason else test.trust.value
        name = f"{source.info.name} (replayed)" if source.info.kind == "replay" else source.info.name
        name += f", segment {meter.segment + 1}" if several else ""
        found.append(MeterRow(printable(name), str(source.info.scope), trust, period, ratio))
    return found


def others(summary: Summary) -> list[str]:
    """Return what other sources saw of the same windows."""
    lines = []
    for name, value in summary.other_energy.items():
        text, interval = figure_texts("total_joules", value)
        lines.append(f"{printable(name)}: {text} {interval or why(value)}".rstrip())
    return lines


def items(run: RunView, costs: ItemCost) -> list[ItemRow]:
    """Return the first items as rows."""
    by_order = {point["order"]: point for point in costs.points}
    found = []
    for order, item in enumerate(run.measured_items[:MAX_ITEM_ROWS], 1):
        point = by_order.get(order)
        cost = bound = DASH
        if point:
            width = None if point["lo"] is None else point["hi"] - point["lo"]
            places = decimals(point["cost"], width)
            cost = number(point["cost"], places)
            if point["lo"] is not None:
                bound = f"{number(point['lo'], places)} … {number(point['hi'], places)}"
        repeat = f" #{item.repeat + 1}" if run.manifest.repeats > 1 else ""
        found.append(
            ItemRow(
                printable(item.item_id) + repeat,
                item.verdict.value if item.verdict else DASH,
                DASH if item.prompt_tokens is None else str(item.prompt_tokens),
                DASH if item.completion_tokens is None else str(item.completion_tokens),
                f"{(item.t_end - item.t_begin) / 1e9:,.2f} s",
                cost,
                bound,
            )
        )
    return found


def page_values(summary: Summary, run: RunView) -> dict[str, object]:
    """Return everything the page shows but its charts."""
    costs = item_costs(run)
    groups: list[Group] = identity(run, summary)
    engine = run.manifest.engine
    return {
        "model": printable(engine.model),
        "task": printable(run.manifest.task.name),
        "engine": printable(" ".join(filter(None, (engine.kind, engine.version)))),
        "created": printable(run.manifest.created_utc).replace("T", " ").replace("Z", " UTC"),
        "run_id": printable(run.manifest.run_id),
        "version": printable(run.manifest.joulemark_version),
        "loud": [printable(caveat.text) for caveat in summary.caveats if caveat.loud],
        "caveats": [printable(caveat.text) for caveat in summary.caveats if not caveat.loud],
        "how_far": how_far(summary),
        "how_measured": how_measured(summary),
        "too_few": too_few(summary),
        "tiles": tiles(summary),
        "percentiles": PERCENTILES,
        "latencies": latencies(summary),
        "figures": figures(summary),
        "sums": list(sums(summary)),
        "meters": meters(run),
        "others": others(summary),
        "identity": groups,
        "item_rows": items(run, costs),
        "items_left_out": max(0, len(run.measured_items) - MAX_ITEM_ROWS),
        "cost_axis": costs.axis[0].upper() + costs.axis[1:],
        "definitions": definitions(),
    }

"""What the page says of a server under load, as plain values: everything but its looks."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.metrics.latency import Latency
from joulemark.metrics.run_view import RunView
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.summary import Summary
from joulemark.report.cells import Cell, cell, notes
from joulemark.report.course import slowed_words
from joulemark.report.drawing import Drawing, drawn
from joulemark.report.headline import Tile, tile
from joulemark.report.latency_table import LatencyRow, latency_rows
from joulemark.report.limits import limit_lines, limit_tile, share_lines
from joulemark.report.loaded_course import course_notes, loaded_course_chart, loaded_course_words
from joulemark.report.loaded_rules import RuleRow, rule_rows
from joulemark.report.loaded_split import is_told, split_chart, split_of, split_words
from joulemark.report.loaded_words import (
    ENGINE_NAMES,
    PER_CORRECT,
    PER_REQUEST,
    leading_loaded,
    load_words,
    plain_title,
    refusal,
    window_words,
)
from joulemark.report.of_load import is_loaded
from joulemark.report.wording import DASH, figure_texts, too_few

_TILES = (
    PER_CORRECT,
    PER_REQUEST,
    "steady_joules_per_token",
    "steady_requests_per_second",
    "steady_tokens_per_second",
    "steady_power_w",
    "steady_mean_batch",
)


@dataclass(frozen=True, slots=True)
class LoadedSection:
    """The section of a page on a run under load.

    ``refused`` is why there is no steady state and what would help; then there are no ``tiles`` and no
    ``latencies``. ``limits`` tell what kept the limits that the load was given. ``gauges`` are what the
    engine itself said, ``gauge_notes`` why it says nothing of some.
    """

    load: str
    window: str
    refused: list[str]
    tiles: list[Tile]
    columns: int
    rules: list[RuleRow]
    rule_notes: list[str]
    split: Drawing | None
    split_lines: list[str]
    latencies: list[LatencyRow]
    few: str
    limits: list[str]
    gauges: list[tuple[str, str]]
    gauge_notes: list[str]
    course: Drawing | None


def loaded_section(summary: Summary, run: RunView) -> LoadedSection | None:
    """Return the section; null for a run without load."""
    if not is_loaded(summary):
        return None
    window = summary.steady.window
    steady = isinstance(window, SteadyWindow)
    tiles = _tiles(summary) if steady else []
    latest = dataclasses.replace(summary, latency=_paired(summary.steady.latency))
    return LoadedSection(
        load=load_words(run.manifest.load),
        window=window_words(window, summary) if isinstance(window, SteadyWindow) else "",
        refused=refusal(summary),
        tiles=tiles,
        columns=4 if len(tiles) in (5, 8, 9) else 3,
        rules=rule_rows(summary),
        rule_notes=_rule_notes(summary),
        split=_split(summary),
        split_lines=split_words(summary) if is_told(summary) else [],
        latencies=latency_rows(latest),
        few=too_few(latest),
        limits=_limits(summary, tiles),
        gauges=_gauges(summary),
        gauge_notes=notes(_gauge_cells(summary)),
        course=_course(summary, run),
    )


def _tiles(summary: Summary) -> list[Tile]:
    """Return the figures of the steady state, the one to lead with first."""
    led = leading_loaded(summary)
    names = [led, *(name for name in _TILES if name != led)]
    found = [_tile(name, summary) for name in names]
    if summary.slo is not None and summary.figures[PER_CORRECT].value is not None:
        found.insert(1 + names.index(PER_CORRECT), limit_tile(summary.slo))
    return found


def _limits(summary: Summary, tiles: list[Tile]) -> list[str]:
    """Return what kept the limits; its energy too, unless that is a tile."""
    found = summary.slo
    if found is not None and limit_tile(found) in tiles:
        return share_lines(found)
    return limit_lines(summary)


def _tile(name: str, summary: Summary) -> Tile:
    made = dataclasses.replace(tile(name, summary), title=plain_title(name))
    if name == PER_REQUEST:
        bound = figure_texts(PER_REQUEST, summary.figures["steady_joules_per_request_bound"])[1]
        made.lines.extend(filter(None, [bound]))
    if name == "steady_mean_batch" and isinstance(summary.steady.window, SteadyWindow):
        gauge = summary.steady.window.basis == "running"
        made.lines.append("by the engine's own gauge" if gauge else "requests between first token and end")
    return made


def _rule_notes(summary: Summary) -> list[str]:
    rows = rule_rows(summary)
    cells = [
        (f"{row.title}, {what}", one)
        for row in rows
        for what, one in (
            ("tokens", row.tokens),
            ("per token", row.per_token),
            ("per request", row.per_request),
        )
        if not row.why and one.why
    ]
    return notes(cells)


def _split(summary: Summary) -> Drawing | None:
    found = split_of(summary)
    if found is None:
        return None
    words = split_words(summary)
    return drawn(lambda px: split_chart(found, px), "Where the energy went", words[0], *words)


def _paired(latency: Mapping[str, Latency]) -> dict[str, Latency]:
    """Set each latency from when a request was due below the one from when it was sent."""
    order = sorted(latency, key=lambda name: (_ORDER.index(name.removesuffix("_scheduled")), len(name)))
    return {name: latency[name] for name in order}


_ORDER = ("ttft", "ttfa", "tpot", "icl", "itl", "e2el")


def _gauge_cells(summary: Summary) -> list[tuple[str, Cell]]:
    return [(plain_title(name), cell(name, summary.figures[name])) for name in ENGINE_NAMES]


def _gauges(summary: Summary) -> list[tuple[str, str]]:
    return [(title, one.text) for title, one in _gauge_cells(summary) if one.text != DASH]


def _course(summary: Summary, run: RunView) -> Drawing | None:
    if not run.measured_items:
        return None
    title = "The load and its power" if run.timelines else "The course of the load"
    words = loaded_course_words(run, summary)
    metered = summary.figures["total_joules"].value is not None
    slowed = slowed_words(run.throttle_s, run.duration_s, metered=metered)
    strip = "The strip below shows what became of the requests that ended in each stretch of time."
    return drawn(lambda px: loaded_course_chart(run, px), title, words, *course_notes(run), strip, slowed)

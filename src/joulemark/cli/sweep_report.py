"""What a sweep says when it is planned and when it ends: tables, pages, JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console

from joulemark.metrics.comparable import SeveralTasks
from joulemark.metrics.limits import Limit
from joulemark.metrics.presets import PRESETS
from joulemark.metrics.recommendation import Recommendation, Wish, recommend
from joulemark.metrics.recommendation_json import point_json, recommendation_json
from joulemark.record.errors import InputError
from joulemark.report.frontier_html import write_frontier
from joulemark.report.sweep_html import write_sweep
from joulemark.report.sweep_terminal import print_sweep
from joulemark.sweeps.grid import cell_text
from joulemark.sweeps.journal import SweepJournal
from joulemark.sweeps.plan import SweepPlan
from joulemark.sweeps.points import Swept, SweptPoint, read_sweep

SWEEP_PAGE, FRONTIER_PAGE = "sweep.html", "frontier.html"
_FIX = "free some space, or make the directory one that you may write in"


def print_plan(plan: SweepPlan, root: Path, *, as_json: bool) -> None:
    """Show the points in the order of measuring, with their command lines and why some are left out."""
    before = SweepJournal(root).read()
    states = {} if before is None else {one.name: one.state for one in before.points}
    rows = [
        {
            "name": None if point.skipped else point.name,
            "values": dict(point.values),
            "state": "skipped" if point.skipped else states.get(point.name, "planned"),
            "why": point.skipped,
            "launch": [] if point.skipped else list(point.lines),
            "power_limit_w": point.power_limit_w,
            "command": command,
        }
        for point, command in zip(plan.points, plan.commands, strict=True)
    ]
    if as_json:
        click.echo(_json({"sweep_dir": str(root), "axes": plan.axes, "base": plan.base, "points": rows}))
        return
    engine: list[str] | None = None
    for number, (row, point) in enumerate(zip(rows, plan.points, strict=True), 1):
        told = f": {point.skipped}" if point.skipped else ""
        click.echo(f"{number:3}. {cell_text(point.values)}  [{row['state']}{told}]")
        if point.skipped:
            continue
        if list(point.lines) != engine:
            engine = list(point.lines)
            for line in engine:
                click.echo(f"     $ {line}")
        if point.power_limit_w is not None:
            click.echo(f"     at {point.power_limit_w:g} W a device")
        click.echo(f"     $ {row['command']}")
    n = sum(not point.skipped for point in plan.points)
    click.echo(f"\n{n} of {len(rows)} points to measure in {root}; nothing was started")


def report_sweep(root: Path, *, as_json: bool) -> None:
    """Write the pages of a sweep and print what it found; a page that cannot be written costs no figure."""
    swept = read_sweep(root)
    found, why_not = _frontier(swept)
    pages: dict[str, str | None] = {"sweep": None, "frontier": None}
    if found is not None:
        pages["frontier"] = _written(lambda path: write_frontier(found, path, fix=_FIX), root / FRONTIER_PAGE)
    beside = FRONTIER_PAGE if pages["frontier"] else ""
    pages["sweep"] = _written(
        lambda path: write_sweep(swept, path, frontier=beside, fix=_FIX), root / SWEEP_PAGE
    )
    if as_json:
        click.echo(_json(_document(swept, found, pages)))
        return
    console = Console()
    print_sweep(swept, console)
    if why_not:
        click.echo(f"* no frontier: {why_not}")
    if found is not None:
        from joulemark.report.frontier_words import leads, left_out_first

        for sentence in (*leads(found), *left_out_first(found)):
            click.echo(sentence)
    click.echo(f"\nsweep:    {pages['sweep'] or 'no page'}")
    click.echo(f"frontier: {pages['frontier'] or 'no page'}")
    if todo := _next(swept, found):
        click.echo(f"next:     {todo}")


def _next(swept: Swept, found: Recommendation | None) -> str:
    """Return a command that finds something to recommend, or what would make one; nothing where none can."""
    if found is None or found.pick is None:
        if swept.counts.get("invalid"):
            return "free the processor, or sweep from another machine; the same command measures again"
        return ""
    preset = PRESETS.get(found.pick.unit)
    told = "--max-tpot 100ms" if preset is None else f"--preset {preset.name}"
    limit = Limit("tpot_mean", 0.1) if preset is None else preset.limit
    limited = recommend(swept.operating_points, Wish((limit,)))
    return " ".join(filter(None, ("joulemark recommend", str(swept.root), told if limited.pick else "")))


def _frontier(swept: Swept) -> tuple[Recommendation | None, str]:
    """Return what to run of the points, or why there is nothing to choose among."""
    points = swept.operating_points
    if not points:
        return None, "no point was measured to its end"
    try:
        return recommend(points, Wish()), ""
    except SeveralTasks as error:
        return None, f"the points ask several tasks ({', '.join(error.tasks)}), whose joules are not compared"


def _written(write: Any, path: Path) -> str | None:
    try:
        write(path)
    except InputError as error:
        click.echo(f"no page: {error}", err=True)
        return None
    return str(path.resolve())


def _document(swept: Swept, found: Recommendation | None, pages: dict[str, str | None]) -> dict[str, Any]:
    return {
        "sweep_dir": str(swept.root),
        "axes": swept.record.axes,
        "base": swept.record.base,
        "skip": swept.record.skip,
        "counts": swept.counts,
        "points": [_point_json(one, swept) for one in swept.points],
        "frontier": None if found is None else recommendation_json(found),
        "pages": pages,
    }


def _point_json(one: SweptPoint, swept: Swept) -> dict[str, Any]:
    record, measured = one.record, one.measured
    return {
        **record.model_dump(exclude={"in_grid"}),
        "state": one.state,
        "why": one.why,
        "run_dir": None if record.name is None else str(SweepJournal(swept.root).run_dir(record)),
        "n_requests": None if measured is None else measured.n_requests,
        "point": None if measured is None else point_json(measured.point),
        "engine": None if measured is None else measured.engine.to_json(),
    }


def _json(document: dict[str, Any]) -> str:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()

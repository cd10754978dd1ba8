"""From the options of ``calibrate`` to what is kept and printed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import click
import orjson
from rich.console import Console

from joulemark.calibration.calibrate import INTERRUPTED, CalibrationPlan, calibrate
from joulemark.calibration.lock import calibration_lock
from joulemark.calibration.requests_to_end import as_cancellation
from joulemark.calibration.restore import leftover
from joulemark.calibration.restore_file import FIX
from joulemark.calibration.store import Stored, held, save
from joulemark.calibration.store import remove as remove_stored
from joulemark.cli.engine_choice import EMBEDDED, engine_of, with_found_engine
from joulemark.cli.options import declared_rates
from joulemark.cli.progress import TerminalObserver
from joulemark.metrics.plain import intervals_json, reasons_json
from joulemark.rates.declared import rates_of
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates
from joulemark.report.calibration_html import write_calibration
from joulemark.report.calibration_terminal import print_calibration, print_held
from joulemark.report.calibration_words import standby_figures

_INTERRUPTED = 130


def measure(options: Mapping[str, Any], *, as_json: bool) -> int:
    """Calibrate, keep what was found, and print it; returns the exit code."""
    rates = rates_of(declared_rates(options))
    left = leftover()
    if left is not None and options["caps"]:
        raise InputError("power limits of an earlier calibration are to be put back first", why=left, fix=FIX)
    engine_options = options if options["no_engine"] else with_found_engine(options)
    with calibration_lock(), TerminalObserver() as observer:
        if left is not None:
            observer.note(left)
        plan = _plan(engine_options, observer)
        try:
            found = asyncio.run(as_cancellation(calibrate(plan, observer.stage)))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        if left is not None:
            found.flags.append(left)
    stored = save(found)
    page = options["page"] or stored.page
    write_calibration(found, rates, page)
    if as_json:
        click.echo(_json(stored, str(page), rates))
    else:
        print_calibration(found, rates, Console())
        click.echo(f"\nkept: {stored.path}\npage: {page}")
    return _INTERRUPTED if INTERRUPTED in found.flags else 0


def show(*, as_json: bool) -> None:
    """List what is on file."""
    there = held()
    if as_json:
        document = {
            "calibrations": [
                {"file": str(one.path), **one.calibration.model_dump(mode="json")} for one in there.stored
            ],
            "unreadable": [{"file": str(one.path), "why": one.why} for one in there.unreadable],
        }
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    print_held(there, Console())


def remove(names: Sequence[str], *, as_json: bool) -> None:
    """Remove calibrations from the file."""
    removed = [str(path) for path in remove_stored(names)]
    if as_json:
        click.echo(orjson.dumps({"removed": removed}, option=orjson.OPT_INDENT_2).decode())
        return
    for path in removed:
        click.echo(f"removed {path}")


def _plan(options: Mapping[str, Any], observer: TerminalObserver) -> CalibrationPlan:
    levels: tuple[int, ...] = options["levels"]
    if options["no_engine"] and (options["caps"] or options["wall"]):
        raise InputError(
            "--no-engine measures the machine alone",
            why="a wall calibration and a sweep of power limits need a load",
            fix="leave --no-engine out, or --wall and --power-caps",
        )
    engine = None
    if not options["no_engine"]:
        engine = engine_of(options, observer, n_parallel=max((1, *levels)))
    return CalibrationPlan(
        engine=engine,
        starts_engine=options["engine_url"] == EMBEDDED,
        meters=tuple(options["meters"]),
        boards=tuple(options["boards"]),
        duration_s=options["duration_s"],
        settle_s=options["settle_s"],
        curve=not options["no_curve"],
        levels=levels,
        wall=options["wall"],
        caps=options["caps"],
        force=options["force"],
    )


def _json(stored: Stored, page: str, rates: Rates) -> str:
    figures = standby_figures(stored.calibration, rates)
    document = {
        "file": str(stored.path),
        "page": page,
        **stored.calibration.model_dump(mode="json"),
        "standby": {
            **{name: value.value for name, value in figures.items()},
            "intervals": intervals_json(figures),
            "reasons": reasons_json(figures),
        },
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()

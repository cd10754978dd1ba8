"""``joulemark calibrate``: what the machine draws when it does nothing, under load, and at the wall."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from joulemark.cli.options import FiniteRange, meters_option, rate_options

_MOST_LEVELS = 64


def _numbers(text: str, low: float, high: float, name: str) -> tuple[float, ...]:
    """Read numbers with commas between; fails with click's own words."""
    try:
        found = tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no list of numbers", param_hint=name) from error
    if not found or not all(low <= number <= high for number in found):
        raise click.BadParameter(f"each lies between {low:g} and {high:g}", param_hint=name)
    return tuple(dict.fromkeys(found))


def _caps(_context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[float, ...]:
    return () if text is None else _numbers(text, 0.05, 1.0, "--power-caps")


def _levels(_context: click.Context, parameter: click.Parameter, text: str) -> tuple[int, ...]:
    if not text.strip():
        return ()
    numbers = _numbers(text, 1, _MOST_LEVELS, "--levels")
    if not all(number.is_integer() for number in numbers):
        raise click.BadParameter("whole numbers are expected", param_hint="--levels")
    return tuple(int(number) for number in numbers)


@click.command()
@click.option(
    "--engine",
    "engine_url",
    metavar="URL|auto|embedded",
    default="embedded",
    show_default=True,
    help="Whose model is made resident. One that is up already hides the idle with nothing loaded.",
)
@click.option("--no-engine", is_flag=True, help="Measure the machine alone, with nothing loaded.")
@click.option("--model", metavar="NAME|FILE", help="The model's name at the URL, or a GGUF file.")
@click.option("--api-key-env", metavar="VARIABLE", help="The environment variable that holds the API key.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads of the embedded engine.")
@click.option("--n-ctx", type=click.IntRange(min=64), help="Context of one request (embedded, Ollama).")
@meters_option
@click.option(
    "--board",
    "boards",
    type=click.IntRange(min=0),
    multiple=True,
    help="The GPU (its NVML index) that runs the engine, where the driver lists no processes.",
)
@click.option(
    "--duration",
    "duration_s",
    type=FiniteRange(0.5, 3600),
    default=10.0,
    show_default=True,
    help="Seconds that each state is measured for; idle takes longer where the meter is slow.",
)
@click.option(
    "--settle",
    "settle_s",
    type=FiniteRange(0, 3600),
    default=60.0,
    show_default=True,
    help="The longest wait for steady power, in seconds.",
)
@click.option("--no-curve", is_flag=True, help="Leave out the loads between idle and busy.")
@click.option(
    "--levels",
    default="2,4",
    show_default=True,
    callback=_levels,
    help="Concurrencies of the curve, beside one request at a time.",
)
@click.option(
    "--wall", is_flag=True, help="Fit wall power over the devices' (needs a plug among the meters)."
)
@click.option(
    "--power-caps",
    "caps",
    metavar="0.85,0.75,0.65",
    callback=_caps,
    help="Also measure at these shares of the factory's power limit (needs root); put back afterwards.",
)
@click.option("--force", is_flag=True, help="Measure although the machine is not idle; the figures say so.")
@click.option("--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Where the page goes.")
@click.option("--list", "listed", is_flag=True, help="List what is on file, and measure nothing.")
@click.option(
    "--remove", "removed", multiple=True, metavar="ID|all", help="Remove calibrations from the file."
)
@rate_options
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON, unrounded.")
def calibrate(listed: bool, removed: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Measure idle with nothing loaded, idle with the model resident, and power under load; keep it on file.

    Later runs of the same machine, engine and model take their net joules and standby cost from it. Exit code
    3 where the machine is busy with something else.
    """
    from joulemark.cli import calibrating

    if removed:
        calibrating.remove(removed, as_json=as_json)
    elif listed:
        calibrating.show(as_json=as_json)
    else:
        sys.exit(calibrating.measure(options, as_json=as_json))

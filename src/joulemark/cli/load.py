"""``joulemark load``: measure an engine that serves many requests at once, or as they arrive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from joulemark.cli.measure_options import (
    ENGINE_OPTIONS,
    MACHINE_OPTIONS,
    RECORD_OPTIONS,
    SAMPLING_OPTIONS,
    TASK_OPTIONS,
)
from joulemark.cli.options import FiniteRange, lengths_options
from joulemark.cli.seconds import seconds


def _limits(_ctx: click.Context, param: click.Parameter, value: str | None) -> dict[str, float]:
    """Return the limits of ``--slo`` in seconds by name."""
    if value is None:
        return {}
    found: dict[str, float] = {}
    for part in value.split(","):
        name, _, limit = part.partition("=")
        name = name.strip()
        if name not in ("ttft", "tpot", "e2el") or name in found:
            raise click.BadParameter(f"{part!r}: give ttft=…, tpot=… or e2el=…, each once", param=param)
        found[name] = seconds(limit)
    return found


_COUNT = click.IntRange(1, 10_000_000)

_ASKED = (
    click.option(
        "--synthetic",
        metavar="IN:OUT",
        help="Made-up requests: so many tokens of prompt and of answer; they are not graded.",
    ),
    lengths_options,
    click.option(
        "--trace",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Replay recorded traffic: Azure's CSV or Mooncake's JSON lines.",
    ),
    click.option(
        "--trace-speed",
        type=FiniteRange(0, min_open=True),
        default=1.0,
        show_default=True,
        help="How many times faster than recorded.",
    ),
    click.option(
        "--trace-seconds",
        type=seconds,
        metavar="TIME",
        help="Only the requests of so much of it, as recorded.",
    ),
)

_SENT = (
    click.option("--concurrency", type=click.IntRange(1, 16_384), help="Closed loop: requests in flight."),
    click.option(
        "--rate", type=FiniteRange(0, min_open=True), help="Open loop: requests a second, on average."
    ),
    click.option(
        "--arrival",
        type=click.Choice(["poisson", "constant", "gamma", "at_once"]),
        help="Open loop: how requests arrive (default: poisson; gamma with --burstiness).",
    ),
    click.option(
        "--burstiness",
        type=FiniteRange(0, min_open=True),
        help="Shape of the gamma distributed gaps: 1 is Poisson, below 1 comes in bursts.",
    ),
    click.option("--cap", type=click.IntRange(1, 16_384), help="Open loop: the most requests in flight."),
    click.option("--requests", "n_requests", type=_COUNT, help="Requests that count (default: each once)."),
    click.option(
        "--lead",
        type=click.IntRange(0, 1_000_000),
        help="Requests before these, to bring the load up (default: the concurrency, else none).",
    ),
    click.option("--ramp", type=seconds, metavar="TIME", help="Let the load rise linearly for so long."),
    click.option(
        "--allow-cache",
        is_flag=True,
        help="Let requests find what others left in the engine's prompt cache (a trace shares prefixes).",
    ),
    click.option(
        "--slots", type=click.IntRange(1, 1024), help="Requests the embedded engine works on at once."
    ),
    click.option(
        "--slo",
        callback=_limits,
        metavar="ttft=1s,tpot=100ms,e2el=30s",
        help="Limits: the share of requests that kept all of them is told.",
    ),
)
_OPTIONS = (
    *ENGINE_OPTIONS,
    *_SENT,
    *_ASKED,
    *TASK_OPTIONS,
    *SAMPLING_OPTIONS,
    *MACHINE_OPTIONS,
    *RECORD_OPTIONS,
)


def _with_options(command: Any) -> Any:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("task", required=False, metavar="[TASK|FILE.toml]")
@_with_options
def load(task: str | None, **options: Any) -> None:
    """Measure an engine under load: TASK, --synthetic IN:OUT or --trace FILE.

    A closed loop keeps --concurrency requests in flight. An open loop sends them at a --rate, whatever is
    unanswered, and tells latencies from the time at which each was due. --seed draws arrivals and made-up
    prompts. docs/load.md says more.
    """
    from joulemark.cli.loading import measure_load

    sys.exit(measure_load(task, options))

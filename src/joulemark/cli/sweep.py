"""``joulemark sweep``: the same load over a grid of settings, and what to run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from joulemark.cli.seconds import seconds


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument(
    "arguments", nargs=-1, type=click.UNPROCESSED, metavar="[GRID] [TASK] [OPTIONS OF load, media]"
)
@click.option(
    "--axis",
    "axes",
    multiple=True,
    metavar="NAME=V1,V2,…",
    help="Varies a setting: concurrency=1,2,4,8. May stand more than once.",
)
@click.option(
    "--set", "given", multiple=True, metavar="NAME=VALUE", help="A setting of every point: tensor_parallel=2."
)
@click.option(
    "--skip",
    "rules",
    multiple=True,
    metavar="CONDITION",
    help="Leaves points out: 'max_batch > concurrency'.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where the sweep goes.")
@click.option(
    "--server-command",
    metavar="COMMAND",
    help="The first words of the engine's command line, where it is not on PATH.",
)
@click.option(
    "--router-command",
    metavar="COMMAND",
    help="The proxy before prefill and decode servers; it gets {port}, {prefill} and {decode}.",
)
@click.option(
    "--start-timeout",
    "start_timeout_s",
    type=seconds,
    metavar="TIME",
    help="How long an engine may take until it is healthy (default: 15min; a pipeline: 1h).",
)
@click.option("--no-early-stop", is_flag=True, help="Measure on where more load brings nothing any more.")
@click.option("--dry-run", is_flag=True, help="Show the points and their command lines; measure nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON, unrounded.")
def sweep(arguments: tuple[str, ...], **options: Any) -> None:
    """Measure a load at every point of a grid, and draw energy against latency.

    GRID is a TOML file, or one that comes with the program: chat, code, reasoning, visual-chat,
    text-to-image, text-to-video, image-to-video. TASK and every option of `joulemark load` say what is
    asked. --engine may also be vllm, sglang or llama-server, which are started and ended here, or diffusers:
    then points are pipelines, asked with the options of `joulemark media`.

    The same command goes on where an interrupted sweep ended. docs/sweeps.md says more.
    """
    from joulemark.cli.sweeping import make_sweep

    sys.exit(make_sweep(arguments, options))

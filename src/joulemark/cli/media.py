"""``joulemark media``: what a picture or a video costs that a diffusion pipeline makes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import click

from joulemark.cli.measure_options import METER_OPTIONS, PATIENCE_OPTIONS, RECORD_OPTIONS
from joulemark.engines.diffusion.options import DTYPES, KINDS

_LARGEST = 10_000
_SIZE = re.compile(r"([1-9]\d{0,4})[x×]([1-9]\d{0,4})")


def _size(text: str) -> tuple[int, int]:
    found = _SIZE.fullmatch(text.strip().lower())
    if found is None:
        raise click.BadParameter(f"{text!r}: give WIDTHxHEIGHT, such as 1024x1024")
    return int(found[1]), int(found[2])


def _sizes(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[tuple[int, int], ...]:
    """Return widths and heights in pixels."""
    return tuple(_size(text) for text in value.split(","))


def _counts(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Return whole numbers from 1 on."""
    if value is None:
        return None
    parts = [part.strip() for part in value.split(",")]
    if not all(part.isascii() and part.isdigit() and 1 <= int(part) <= _LARGEST for part in parts):
        raise click.BadParameter(f"{value!r}: give whole numbers from 1 to {_LARGEST}, such as 1,2,4")
    return tuple(map(int, parts))


_COUNT = click.IntRange(1, 10_000_000)

_MADE = (
    click.option("--kind", type=click.Choice(list(KINDS)), required=True, help="What the pipeline makes."),
    click.option(
        "--batch",
        callback=_counts,
        default="1",
        show_default=True,
        metavar="N[,N…]",
        help="Pictures or videos that are made at once.",
    ),
    click.option(
        "--steps",
        callback=_counts,
        default="30",
        show_default=True,
        metavar="N[,N…]",
        help="Denoising steps.",
    ),
    click.option(
        "--size",
        "sizes",
        callback=_sizes,
        default="1024x1024",
        show_default=True,
        metavar="WxH[,WxH…]",
        help="In pixels.",
    ),
    click.option("--frames", callback=_counts, metavar="N[,N…]", help="Frames of a video."),
    click.option(
        "--batches", type=_COUNT, default=8, show_default=True, help="How many batches are measured."
    ),
    click.option("--device", metavar="cuda|cuda:1|cpu|…", help="Default: the first accelerator there is."),
    click.option("--dtype", type=click.Choice(DTYPES), default="auto", show_default=True),
    click.option("--pipeline-revision", metavar="COMMIT", help="The commit of the pipeline on the hub."),
    click.option(
        "--save",
        "save_to",
        type=click.Path(path_type=Path, file_okay=False),
        help="Write what was made into this folder after the measurement (default: it is dropped).",
    ),
)
_ASKED = (
    click.option(
        "--prompts",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="A text file with one prompt a line, in place of the task's data set.",
    ),
    click.option(
        "--data",
        type=click.Path(path_type=Path),
        help="Rows with prompts (and images): a file or folder in place of the hub's data set.",
    ),
    click.option("--revision", metavar="COMMIT", help="The commit of the hub's data set."),
    click.option(
        "--subset-key", default="joulemark", show_default=True, help="The key of the prompts' random order."
    ),
    click.option("--seed", type=click.IntRange(0, 2**62), default=0, show_default=True, help="Of the noise."),
    click.option("--repeat", type=click.IntRange(1, 100), help="Make every batch so often."),
)


def _with_options(command: Any) -> Any:
    for option in reversed((*_MADE, *_ASKED, *METER_OPTIONS, *PATIENCE_OPTIONS, *RECORD_OPTIONS)):
        command = option(command)
    return command


@click.command()
@click.argument("pipeline", metavar="FOLDER|OWNER/NAME")
@_with_options
def media(pipeline: str, **options: Any) -> None:
    """Measure a pipeline of `diffusers`: joules per picture or video, and how long a batch takes.

    One request is one batch. A batch that is not measured goes first. Pictures stay in memory while energy is
    measured, and are written afterwards, if at all. Of several batches, steps, sizes or frames all
    combinations are measured. docs/media.md says more.
    """
    from joulemark.cli.media_job import measure_media

    sys.exit(measure_media(pipeline, options))

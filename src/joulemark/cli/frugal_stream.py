"""``joulemark compare A B --stream``: after how many questions it is known which of two models is better."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click


def compare_stream(
    runs: Sequence[Path], tie: str, page: Path | None, *, metric: str | None = None, as_json: bool
) -> None:
    """Print after how many questions it is decided between two runs or files; growing runs are followed."""
    import orjson

    from joulemark.frugal.paired.stream import stream
    from joulemark.frugal.paired.streamed import Streamed
    from joulemark.frugal.paired.tie_width import tie_width
    from joulemark.record.errors import InputError
    from joulemark.report.frugal_paired import print_streamed, standing_line

    if len(runs) != 2:
        raise InputError(
            f"{len(runs)} runs were named",
            why="--stream decides between two",
            fix="joulemark compare A B --stream; several are ranked by `joulemark frugal rank`",
        )
    if page is not None:
        raise InputError("--stream makes no page", fix="leave --html out, or compare without --stream")
    told: Streamed | None = None
    try:
        for told in stream(runs[0], runs[1], epsilon=tie_width(tie), metric=metric):
            if told.growing and not as_json and sys.stderr.isatty():
                click.echo(standing_line(told), err=True)
    except KeyboardInterrupt:
        if told is None:
            raise
    assert told is not None  # it yields once at least
    if as_json:
        click.echo(orjson.dumps(told.to_json(), option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    print_streamed(told, Console())

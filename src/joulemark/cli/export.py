"""``joulemark export``: meters and runs for other people's dashboards."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

import click

from joulemark.cli.options import FiniteRange, meters_option
from joulemark.cli.waiting import say


@click.group()
def export() -> None:
    """Show live meters to Prometheus, or a recorded run to OpenTelemetry."""


@export.command()
@meters_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=9464, show_default=True, help="0: a free one.")
@click.option("--duration", type=FiniteRange(0), metavar="SECONDS", help="Stop after so long.")
def prometheus(meters: tuple[str, ...], host: str, port: int, duration: float | None) -> None:
    """Serve what the meters show as a page for Prometheus, until Ctrl-C.

    A scrape asks no meter, it shows the sampler's last readings. Exit code 1 where there is no usable source.
    """
    from joulemark.live.exporter import LiveExporter
    from joulemark.live.meter_set import MeterSet

    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())

    with MeterSet.open(meters, progress=say) as opened:
        for name, why in opened.absent:
            say(f"absent: {name}: {why}")
        if not opened.sources:
            say("no source can be shown; `joulemark doctor` says how to get one")
            sys.exit(1)
        with LiveExporter(opened) as exporter:
            url = exporter.serve(host, port)
            for source in opened.sources:
                say(f"{source.info.name}: {source.info.scope}, {source.qualification.trust}")
            click.echo(url)
            sys.stdout.flush()
            stopped.wait(duration)


@export.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--otlp", "url", metavar="URL", help="Post to a collector: http://HOST:4318[/v1/traces].")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE.json", help="Write OTLP JSON here.")
def spans(run: Path, url: str | None, out: Path | None) -> None:
    """Export a recorded run as spans, one a request, with OpenTelemetry's names for generative AI.

    Without --otlp and --out the OTLP JSON goes to standard output. Prompts and answers are not in it.
    """
    import orjson

    from joulemark.report.otlp import otlp_json, post
    from joulemark.report.spans import spans_of
    from joulemark.runs.layout import write_atomically
    from joulemark.runs.recorded import read_run
    from joulemark.runs.view import view_of

    found = spans_of(view_of(read_run(run)))
    if out is not None or url is None:
        document = orjson.dumps(otlp_json(found), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        if out is None:
            click.echo(document, nl=False)
        else:
            write_atomically(out, document)
            click.echo(f"{len(found)} spans: {out}", err=True)
    if url is not None:
        click.echo(f"{len(found)} spans: {post(found, url)}", err=True)

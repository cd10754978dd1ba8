"""Options that bound the figures of a configuration: latencies, accuracy, energy, money."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.options import Command, FiniteRange
from joulemark.cli.seconds import seconds

if TYPE_CHECKING:
    from joulemark.metrics.limits import Limit

# the option's word, what it says, and the latency that it bounds
_LATENCIES = (
    ("tpot", "time per output token", "tpot"),
    ("ttft", "time to the first token", "ttft"),
    ("latency", "time to the whole answer", "e2el"),
)
_PERCENTILES = ("p50", "p90", "p95", "p99")


def limit_options(command: Command, time: Callable[[str], float] = seconds) -> Command:
    """Give a command the options that `limits_of` reads; ``time`` reads a time."""
    options = []
    for name, told, _ in _LATENCIES:
        text = f"The most that the mean {told} may be; --max-{name}-p50, -p90, -p95, -p99 bound a percentile."
        options.append(click.option(f"--max-{name}", type=time, metavar="TIME", help=text))
        options += [
            click.option(f"--max-{name}-{percentile}", type=time, metavar="TIME", hidden=True)
            for percentile in _PERCENTILES
        ]
    options += [
        click.option("--min-accuracy", type=FiniteRange(0, 1), metavar="SHARE", help="The least accuracy."),
        click.option("--budget-j", type=FiniteRange(0, min_open=True), help="The most joules a request."),
        click.option("--budget-usd", type=FiniteRange(0, min_open=True), help="The most dollars a request."),
        click.option(
            "--limit",
            "limits",
            multiple=True,
            metavar="FIGURE=VALUE",
            help="Any other limit, for instance itl_p99=50ms or tokens_per_second=500.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def limits_of(options: Mapping[str, Any], time: Callable[[str], float] = seconds) -> tuple[Limit, ...]:
    """Return the limits that the options of `limit_options` say."""
    from joulemark.metrics.limits import Limit

    found = []
    for name, _, latency in _LATENCIES:
        for statistic in ("mean", *_PERCENTILES):
            bound = options[f"max_{name}" if statistic == "mean" else f"max_{name}_{statistic}"]
            if bound is not None:
                found.append(Limit(f"{latency}_{statistic}", bound))
    if options["min_accuracy"] is not None:
        found.append(Limit("accuracy", options["min_accuracy"], at_least=True))
    for option, figure in (("budget_j", "energy_j"), ("budget_usd", "usd")):
        if options[option] is not None:
            found.append(Limit(figure, options[option]))
    pairs = pairs_of(options["limits"], "--limit", "itl_p99=50ms")
    return (*found, *(_other_limit(name, text, time) for name, text in pairs))


def pairs_of(texts: Sequence[str], option: str, example: str) -> list[tuple[str, str]]:
    """Return ``NAME=VALUE`` texts as pairs; raises ``click.BadParameter``."""
    pairs = []
    for text in texts:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not (name and sign and value):
            raise click.BadParameter(f"{option} {text!r} is not like {example}")
        pairs.append((name, value))
    return pairs


def _other_limit(name: str, text: str, time: Callable[[str], float]) -> Limit:
    from joulemark.metrics.limits import Limit
    from joulemark.metrics.point_figures import LARGER_IS_BETTER, LATENCY, PLAIN

    if name in PLAIN or name in LARGER_IS_BETTER:
        return Limit(name, FiniteRange(0).convert(text, None, None), at_least=name in LARGER_IS_BETTER)
    if LATENCY.fullmatch(name):
        return Limit(name, time(text))
    raise click.BadParameter(f"{name!r} is no figure: one of {', '.join(PLAIN)}, or a latency like itl_p99")

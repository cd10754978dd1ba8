"""Options that every simulated server has, planned or served."""

from __future__ import annotations

import click

from joulemark.cli.options import Command, FiniteRange

_SET_UP_OPTIONS = (
    click.option(
        "--gpu", "gpu_name", default="H100", show_default=True, metavar="H100|H200|B200|A100|L4|SMALL"
    ),
    click.option(
        "--model",
        "model_name",
        default="llama-8b",
        show_default=True,
        metavar="llama-8b|llama-70b|mixtral-8x7b|smollm2-135m",
    ),
    click.option(
        "--max-batched-tokens",
        type=click.IntRange(1, 131_072),
        default=2048,
        show_default=True,
        help="Tokens of a step, one at least for each request of a batch.",
    ),
    click.option(
        "--preemption", type=click.Choice(["recompute", "swap"]), default="recompute", show_default=True
    ),
    click.option(
        "--power-limit", "power_limit_w", type=FiniteRange(1, 10_000), metavar="WATTS", help="A GPU's."
    ),
)


def set_up_options(command: Command) -> Command:
    """Give a command the boards, the model, and how an instance works."""
    for option in reversed(_SET_UP_OPTIONS):
        command = option(command)
    return command

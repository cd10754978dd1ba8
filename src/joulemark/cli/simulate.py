"""``joulemark simulate``: a simulated GPU server, to plan with and to test against."""

from __future__ import annotations

import sys
from typing import Any

import click

from joulemark.cli.__main__ import LazyGroup
from joulemark.cli.options import FiniteRange, lengths_options
from joulemark.cli.seconds import seconds
from joulemark.cli.simulate_options import set_up_options


@click.group(
    cls=LazyGroup,
    commands_at={
        "plan": ("joulemark.cli.simulate:plan", "Which set-up serves a load with the least energy"),
        "serve": ("joulemark.cli.simulate_serve:serve", "Answer over HTTP as engines do, joules known"),
    },
)
def simulate() -> None:
    """A simulated GPU server whose true energy is known: to plan with, and to test against.

    Nothing here is measured.
    """


class _Split(click.ParamType):  # type: ignore[type-arg]  # click's stubs differ between versions
    """``1p3d``: prefill and decode instances."""

    name = "xPyD"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Return the two numbers; fails for anything else."""
        prefill, _, rest = str(value).lower().partition("p")
        decode = rest.removesuffix("d")
        digits = prefill.isdecimal() and decode.isdecimal() and rest.endswith("d")
        if not digits or not (1 <= int(prefill) <= 64 and 1 <= int(decode) <= 64):
            self.fail(
                f"{value!r} is no split; write 1p3d for one prefill and three decode instances", param, ctx
            )
        return int(prefill), int(decode)


_COUNT = click.IntRange(1, 1024)
_TOKENS = click.IntRange(1, 32_000)


@click.command()
@set_up_options
@click.option("--gpus", type=_COUNT, default=8, show_default=True, help="GPUs there are; fewer may be used.")
@click.option(
    "--rate",
    type=FiniteRange(0, 10_000, min_open=True),
    required=True,
    help="Requests a second, of all replicas together; they arrive at random (Poisson).",
)
@click.option("--prompt-tokens", type=_TOKENS, default=512, show_default=True, help="Mean of a prompt.")
@click.option("--output-tokens", type=_TOKENS, default=256, show_default=True, help="Mean of an answer.")
@lengths_options
@click.option(
    "--max-tpot", type=seconds, metavar="TIME", help="The most that the mean time per token may be."
)
@click.option(
    "--max-ttft", type=seconds, metavar="TIME", help="The most that the mean time to the first may be."
)
@click.option(
    "--max-batch", "batches", type=click.IntRange(1, 4096), multiple=True, help="Only this; may be repeated."
)
@click.option(
    "--tensor-parallel", "tensor_parallels", type=_COUNT, multiple=True, help="Only this; likewise."
)
@click.option("--replicas", type=_COUNT, multiple=True, help="Only so many; likewise.")
@click.option(
    "--split", "splits", type=_Split(), multiple=True, help="Try prefill and decode apart, as 1p3d."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--all", "show_all", is_flag=True, help="Show every set-up, not the best and those that fail.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON, unrounded.")
def plan(gpu_name: str, model_name: str, show_all: bool, as_json: bool, **options: Any) -> None:
    """Say which set-up serves a load with the least energy, by simulation in virtual time.

    Batch sizes, tensor parallelism and numbers of replicas are tried. Energy counts the GPUs in use, idle
    time included; unused ones are taken to be off. Exit code 1 where no set-up keeps up within the limits.
    """
    from joulemark.metrics.limits import Limit
    from joulemark.simulate.gpu import gpu_named
    from joulemark.simulate.model import model_named
    from joulemark.simulate.plan import Wanted
    from joulemark.simulate.plan import plan as make_plan
    from joulemark.sweeps.set_ups import planned

    wanted = Wanted(
        gpu=gpu_named(gpu_name),
        model=model_named(model_name),
        gpus=options["gpus"],
        rate=options["rate"],
        prompt_tokens=options["prompt_tokens"],
        output_tokens=options["output_tokens"],
        lengths=options["lengths"],
        longest=options["longest"],
        tensor_parallels=options["tensor_parallels"] or None,
        replicas=options["replicas"] or None,
        splits=options["splits"],
        max_batched_tokens=options["max_batched_tokens"],
        preemption=options["preemption"],
        power_limit_w=options["power_limit_w"],
        seed=options["seed"],
        **({"batches": options["batches"]} if options["batches"] else {}),
    )
    limits = [
        Limit(name, bound)
        for name, bound in (("tpot_mean", options["max_tpot"]), ("ttft_mean", options["max_ttft"]))
        if bound is not None
    ]
    made = planned(make_plan(wanted, _say), limits)
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    if as_json:
        import orjson

        from joulemark.sweeps.set_ups_json import planned_json

        click.echo(orjson.dumps(planned_json(made), option=orjson.OPT_INDENT_2).decode())
    else:
        from rich.console import Console

        from joulemark.report.plan_terminal import print_plan

        print_plan(made, Console(), show_all=show_all)
    if made.found.pick is None:
        raise click.exceptions.Exit(1)


def _say(done: int, of: int) -> None:
    """Show on a terminal how far the plan is."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K· simulating {done + 1} of {of} groups of set-ups", nl=False, err=True)

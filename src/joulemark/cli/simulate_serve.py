"""``joulemark simulate serve``: answer over HTTP as an engine does, with joules that are known."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.options import FiniteRange
from joulemark.cli.simulate_options import set_up_options

if TYPE_CHECKING:
    from joulemark.simulate.config import ServerConfig
    from joulemark.simulate.http import FaultSchedule, Known, Profile, Service, Simulation

_COUNT = click.IntRange(1, 1_000_000)
_SHARE = FiniteRange(0, 1)

_OUTSIDE = (
    click.option(
        "--profile",
        "profile_name",
        default="vllm",
        show_default=True,
        metavar="openai|vllm|sglang|llamacpp|ollama|tgi|lmstudio|gateway",
        help="Which engine it looks like to a client.",
    ),
    click.option(
        "--host", default="127.0.0.1", show_default=True, help="Another address than this machine's own."
    ),
    click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 takes a free one (default)."),
    click.option(
        "--tokens-a-chunk", type=_COUNT, help="Tokens that it gathers (default: as the profile does)."
    ),
)

_INSIDE = (
    click.option("--max-batch", type=click.IntRange(1, 4096), default=32, show_default=True),
    click.option(
        "--kv-tokens", type=_COUNT, help="Tokens of context that fit (default: what memory leaves)."
    ),
    click.option("--tensor-parallel", type=click.IntRange(1, 64), default=1, show_default=True),
    click.option(
        "--prefill-instances", type=click.IntRange(0, 64), default=0, help="Prefill apart, so many."
    ),
    click.option(
        "--decode-instances", type=click.IntRange(0, 64), default=0, help="Decoding apart, so many."
    ),
    click.option(
        "--prefix-cache/--no-prefix-cache", default=None, help="Default: as the profile's engine starts."
    ),
    click.option(
        "--speed",
        type=FiniteRange(0.01, 1000),
        default=1.0,
        show_default=True,
        help="How many times faster than the clock it lives; its joules come so much faster, too.",
    ),
    click.option(
        "--meter-interval",
        "meter_interval_s",
        type=FiniteRange(0.01, 60),
        default=0.1,
        show_default=True,
        help="Seconds between renewals of the boards' page.",
    ),
)

_ANSWERS = (
    click.option(
        "--task", "task_name", metavar="NAME|FILE.toml", help="The task whose questions it can answer."
    ),
    click.option("--data", type=click.Path(path_type=Path), help="The task's items, in place of the hub's."),
    click.option("--accuracy", type=_SHARE, default=0.7, show_default=True, help="Chance of a right answer."),
    click.option("--unparsed", type=_SHARE, default=0.0, help="Chance of one without an answer in it."),
    click.option("--refused", type=_SHARE, default=0.0, help="Chance of a refusal in words."),
    click.option(
        "--output-tokens", type=_COUNT, default=24, show_default=True, help="Mean length of an answer."
    ),
    click.option(
        "--output-lengths",
        type=click.Choice(["fixed", "exponential"]),
        default="fixed",
        show_default=True,
        help="How lengths are spread; a request that asks for an exact length gets it.",
    ),
    click.option("--thinking-share", type=FiniteRange(0, 0.95), default=0.0, help="Share of tokens thought."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True),
    click.option(
        "--fault",
        "faults",
        multiple=True,
        metavar="KIND:name=value,…|FILE.toml",
        help="429, 503, refuse, cut, stall, error or slow, at rate=, at=3+7, every=, from=/to= seconds.",
    ),
)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print where it listens as a line of JSON.")
def serve(as_json: bool, **options: Any) -> None:
    """Serve a simulated GPU server on real time, until Ctrl-C.

    It answers as the engine of --profile does, with engine gauges at /metrics, its boards at /dcgm/metrics as
    NVIDIA's exporter shows them, and the truth at /simulation/truth: joules between two instants or of a
    request, and the accuracy. It says in every answer that it is simulated. Nothing here is measured.
    """
    from joulemark.engines.client.loop import new_event_loop
    from joulemark.simulate.http import Service

    service = Service(_simulation(options), host=options["host"], port=options["port"])
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_serve(service, options, as_json=as_json))


for _option in reversed((*_OUTSIDE, set_up_options, *_INSIDE, *_ANSWERS)):
    serve = _option(serve)


async def _serve(service: Service, options: Mapping[str, Any], *, as_json: bool) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    if sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
    async with service:
        _tell(service, options, as_json=as_json)
        await ended.wait()
        totals = service.truth.answer({})
    click.echo(
        f"· {totals['n_answered']} answers to {totals['n_taken']} requests, "
        f"{totals['total_j']:.1f} simulated joules",
        err=True,
    )


def _tell(service: Service, options: Mapping[str, Any], *, as_json: bool) -> None:
    simulation, url = service.simulation, service.url
    config = simulation.config
    meter = f"dcgm:{url}/dcgm/metrics?interval_s={simulation.meter_interval_s:g}"
    task = options["task_name"] or "quick"
    if as_json:
        import orjson

        document = {
            "simulated": True,
            "profile": simulation.profile.name,
            "url": url,
            "model": service.model_id,
            "meter": meter,
            "truth": f"{url}/simulation/truth",
        }
        click.echo(orjson.dumps(document).decode())
    else:
        boards = f"{config.devices} × {config.gpu.name}"
        accuracy = service.book.truth()["accuracy"]
        known = "" if accuracy is None else f", {task} answered {_drawn(service, accuracy, options)}"
        click.echo(f"simulated {simulation.profile.name} at {url} — nothing here is measured")
        click.echo(f"  {service.model_id} on {boards}, at most {config.max_batch} requests at once{known}")
        click.echo(f"  measure: joulemark bench run {task} --engine {url} --meter '{meter}'")
        click.echo(
            f"  load:    joulemark load --synthetic 256:64 --concurrency 8 --engine {url} --meter '{meter}'"
        )
        click.echo(f"  truth:   curl -s {url}/simulation/truth")
        click.echo("Ctrl-C ends it.")
    sys.stdout.flush()


def _drawn(service: Service, accuracy: float, options: Mapping[str, Any]) -> str:
    """Say how many questions are answered rightly: the draw of a seed, near the chance that was asked for."""
    truth = service.book.truth()
    drawn = f"{truth['n_correct']} of {truth['n_items']} by the draw of --seed {options['seed']}"
    return f"with an accuracy of {accuracy:.4f} ({drawn})"


def _simulation(options: Mapping[str, Any]) -> Simulation:
    from joulemark.simulate.http import Manner, Simulation, profile_named

    profile = profile_named(options["profile_name"])
    return Simulation(
        profile=profile,
        config=_config(options, profile),
        known=_known(options),
        manner=Manner(
            accuracy=options["accuracy"],
            unparsed=options["unparsed"],
            refused=options["refused"],
            mean_tokens=options["output_tokens"],
            lengths=options["output_lengths"],
            thinking_share=options["thinking_share"],
            seed=options["seed"],
        ),
        faults=_faults(options),
        speed=options["speed"],
        meter_interval_s=options["meter_interval_s"],
        tokens_a_chunk=options["tokens_a_chunk"],
    )


def _config(options: Mapping[str, Any], profile: Profile) -> ServerConfig:
    from joulemark.simulate.config import ServerConfig
    from joulemark.simulate.gpu import gpu_named
    from joulemark.simulate.model import model_named

    caches = options["prefix_cache"]
    return ServerConfig(
        gpu=gpu_named(options["gpu_name"]),
        model=model_named(options["model_name"]),
        max_batch=options["max_batch"],
        max_batched_tokens=options["max_batched_tokens"],
        kv_tokens=options["kv_tokens"],
        preemption=options["preemption"],
        tensor_parallel=options["tensor_parallel"],
        prefill_instances=options["prefill_instances"],
        decode_instances=options["decode_instances"],
        power_limit_w=options["power_limit_w"],
        prefix_cache=profile.caches if caches is None else caches,
    )


def _known(options: Mapping[str, Any]) -> dict[str, Known]:
    """Return the task's questions by what the user says last."""
    if options["task_name"] is None:
        return {}
    from joulemark.record.content import words
    from joulemark.simulate.http import Known
    from joulemark.tasks.registry import load_task

    task = load_task(options["task_name"], data=options["data"])
    return {
        words(question.messages[-1][1]): Known(
            question.kind, question.gold, question.choices, question.max_tokens or task.max_tokens
        )
        for question in task.questions
        if question.gold is not None
    }


def _faults(options: Mapping[str, Any]) -> FaultSchedule:
    from joulemark.simulate.http import FaultSchedule, parse_fault, read_faults

    found = []
    for text in options["faults"]:
        found += read_faults(Path(text)) if text.endswith(".toml") else [parse_fault(text)]
    return FaultSchedule(found, options["seed"])

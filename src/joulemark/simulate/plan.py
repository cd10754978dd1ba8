"""Which set-up serves a load with the least energy? Set-ups tried in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from joulemark.record.drawn import LengthKind
from joulemark.record.errors import InputError
from joulemark.record.percentile import percentile
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import GpuModel
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.long_run import long_run
from joulemark.simulate.model import ModelShape
from joulemark.simulate.request import SimRequest
from joulemark.simulate.virtual import SimulatedRun, poisson_arrivals_ns, run_open

BATCHES = (8, 16, 32, 64, 128, 256, 512)
SIMULATED = (
    "Simulated with built-in figures of boards and models, never measured. It shows directions and orders of "
    "magnitude; measure before you decide: `joulemark load`."
)

_ROOM = 32_768  # tokens of a prompt and its answer
_KEEPS_UP = 0.97  # of what a set-up can serve; above it queues grow without end
_LEAST_REQUESTS = 400
_LEAST_S = 30.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The load and the devices there are.

    ``rate`` requests a second arrive (Poisson), their lengths are drawn as `draw_requests` does. Each of
    ``batches`` is tried with each of ``tensor_parallels`` (null: powers of two) and each number of
    ``replicas`` that fits (null: powers of two, and all). ``splits`` are prefill and decode instances to be
    tried as well.
    """

    gpu: GpuModel
    gpus: int
    model: ModelShape
    rate: float
    prompt_tokens: int = 512
    output_tokens: int = 256
    lengths: LengthKind = "fixed"
    longest: int | None = None
    batches: Sequence[int] = BATCHES
    tensor_parallels: Sequence[int] | None = None
    replicas: Sequence[int] | None = None
    splits: Sequence[tuple[int, int]] = ()
    max_batched_tokens: int = 2048
    preemption: str = "recompute"
    power_limit_w: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SetUp:
    """``replicas`` of one configuration; ``gpus`` are in use, others are taken to be off."""

    config: ServerConfig
    replicas: int

    @property
    def gpus(self) -> int:
        """Devices in use."""
        return self.config.devices * self.replicas

    @property
    def label(self) -> str:
        """The set-up in short."""
        config = self.config
        parts = [f"batch {config.max_batch}", f"TP {config.tensor_parallel}"]
        if config.disaggregated:
            parts.append(f"{config.prefill_instances}P{config.decode_instances}D")
        return ", ".join((*parts, f"× {self.replicas}"))


@dataclass(frozen=True, slots=True)
class Figures:
    """What a set-up needs for the load: joules and watts of all its devices, seconds of its requests.

    ``tpot_…`` are null where every answer has one token. ``mean_batch`` and ``kv_share`` are means over the
    time in which an instance works.
    """

    request_j: float
    token_j: float
    power_w: float
    tpot_mean_s: float | None
    tpot_p99_s: float | None
    ttft_mean_s: float
    ttft_p99_s: float
    e2el_mean_s: float
    mean_batch: float
    kv_share: float
    preemptions_per_request: float


@dataclass(frozen=True, slots=True)
class Row:
    """A set-up, the most requests a second that it serves (``capacity``), and its figures.

    ``why`` says why there are no figures. ``never_full``: no request had to wait for a place in a batch, and
    a larger ``max_batch`` would change nothing.
    """

    set_up: SetUp
    capacity: float
    figures: Figures | None
    why: str = ""
    never_full: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What was wanted, and all rows as they were tried."""

    wanted: Wanted
    rows: tuple[Row, ...]


def plan(wanted: Wanted, tried: Callable[[int, int], None] = lambda done, of: None) -> Plan:
    """Try the set-ups, and return what came out; ``tried`` is told how many of how many are done.

    Raises ``InputError`` where no set-up can be made of what is wanted, and where a batch is larger than a
    step.
    """
    largest = max(wanted.batches)
    if largest > wanted.max_batched_tokens:
        raise InputError(
            f"--max-batched-tokens {wanted.max_batched_tokens} is below a batch of {largest}",
            why="each running request needs a token a step",
            fix=f"give at least {largest}, or name smaller batches with --max-batch",
        )
    groups = list(_groups(wanted))
    rows: list[Row] = []
    for done, group in enumerate(groups):
        tried(done, len(groups))
        for set_up in group:
            rows.append(_row(set_up, wanted))
            if rows[-1].never_full:
                break  # with more room the same would happen
    if not rows:
        raise InputError(
            f"no set-up of {wanted.model.name} on {wanted.gpus} × {wanted.gpu.name} can be made",
            why="the model does not fit, or more GPUs are wanted than there are",
            fix="more --gpus, a smaller --model, or other --tensor-parallel, --replicas and --split",
        )
    return Plan(wanted, tuple(rows))


def _groups(wanted: Wanted) -> Iterator[list[SetUp]]:
    """Return set-ups that differ in their batch only, smaller ones first."""
    for tensor_parallel in wanted.tensor_parallels or _powers(wanted.gpus):
        for prefill, decode in ((0, 0), *wanted.splits):
            devices = tensor_parallel * (prefill + decode or 1)
            for replicas in wanted.replicas or _powers(wanted.gpus // devices):
                if replicas * devices > wanted.gpus:
                    continue
                group = [
                    SetUp(config, replicas)
                    for batch in sorted(set(wanted.batches))
                    if (config := _config(wanted, batch, tensor_parallel, prefill, decode)) is not None
                ]
                if group:
                    yield group


def _powers(most: int) -> list[int]:
    """Return the powers of two up to ``most``, and ``most``."""
    return sorted({1 << n for n in range(most.bit_length())} | {most}) if most else []


def _config(
    wanted: Wanted, batch: int, tensor_parallel: int, prefill: int, decode: int
) -> ServerConfig | None:
    """Return a configuration; null where no engine would start with it."""
    try:
        config = ServerConfig(
            gpu=wanted.gpu,
            model=wanted.model,
            max_batch=batch,
            max_batched_tokens=wanted.max_batched_tokens,
            preemption="swap" if wanted.preemption == "swap" else "recompute",
            tensor_parallel=tensor_parallel,
            prefill_instances=prefill,
            decode_instances=decode,
            power_limit_w=wanted.power_limit_w,
        )
    except InputError:
        return None
    return config if config.kv_capacity_tokens >= wanted.prompt_tokens + wanted.output_tokens else None


def _row(set_up: SetUp, wanted: Wanted) -> Row:
    config = set_up.config
    room = min(config.kv_capacity_tokens, _ROOM)
    seats = config.max_batch * max(1, config.decode_instances)

    def drawn(n: int) -> list[SimRequest]:
        return draw_requests(
            n,
            wanted.prompt_tokens,
            wanted.output_tokens,
            wanted.seed,
            kind=wanted.lengths,
            longest=wanted.longest,
            room=room,
        )

    rate = wanted.rate / set_up.replicas
    capacity = long_run(config, drawn(200 + 3 * seats), seats).requests_per_s * set_up.replicas
    if wanted.rate > _KEEPS_UP * capacity:
        why = f"serves at most {capacity:.3g} requests a second"
        return Row(set_up, capacity, None, why)
    n = max(_LEAST_REQUESTS, ceil(rate * _LEAST_S))
    run = run_open(config, drawn(n), poisson_arrivals_ns(n, rate, wanted.seed + 1))
    return Row(
        set_up,
        capacity,
        _figures(run, set_up.replicas),
        never_full=bool(run.steps.batch.max() < config.max_batch),
    )


def _figures(run: SimulatedRun, replicas: int) -> Figures:
    """Return the figures of an open-loop run between a quarter of its arrivals and the last."""
    arrived = np.sort(np.array([done.t_arrival_ns for done in run.finished], dtype=np.int64))
    t0, t1 = int(arrived[len(arrived) // 4]), int(arrived[-1])
    counted = [done for done in run.finished if t0 <= done.t_arrival_ns < t1]
    outputs = np.array([done.request.output_tokens for done in counted])
    first = np.array([done.t_first_ns for done in counted])
    end = np.array([done.t_end_ns for done in counted])
    came = np.array([done.t_arrival_ns for done in counted])
    several = outputs > 1
    tpot_s = (end - first)[several] * 1e-9 / (outputs[several] - 1)
    ttft_s = (first - came) * 1e-9
    seconds = (t1 - t0) * 1e-9
    spent_j = run.books.between_j(t0, t1)
    steps = run.steps
    inside_s = np.maximum(0, np.minimum(steps.t1_ns, t1) - np.maximum(steps.t0_ns, t0)) * 1e-9
    request_j = spent_j / len(counted)
    return Figures(
        request_j=request_j,
        token_j=request_j / float(outputs.mean()),
        power_w=spent_j / seconds * replicas,
        tpot_mean_s=float(tpot_s.mean()) if several.any() else None,
        tpot_p99_s=percentile(np.sort(tpot_s).tolist(), 99) if several.any() else None,
        ttft_mean_s=float(ttft_s.mean()),
        ttft_p99_s=percentile(np.sort(ttft_s).tolist(), 99),
        e2el_mean_s=float((end - came).mean()) * 1e-9,
        mean_batch=float((inside_s * steps.batch).sum() / inside_s.sum()),
        kv_share=float((inside_s * steps.kv_share).sum() / inside_s.sum()),
        preemptions_per_request=float(np.mean([done.preemptions for done in counted])),
    )

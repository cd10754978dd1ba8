"""Random set-ups of the simulated server, each with a load under which it has a steady state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doubles import steady_runs
from doubles.steady_runs import Loaded
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import A100, H100, L4
from joulemark.simulate.model import LLAMA_8B, LLAMA_70B, MIXTRAL_8X7B, SMOLLM2_135M
from joulemark.simulate.request import SimRequest
from joulemark.simulate.virtual import run_closed

KINDS = ("below_batch", "at_batch", "small_n", "queue", "preempted", "at_once", "poisson", "split")


@dataclass(frozen=True)
class RandomLoad:
    """A server and how it is asked: ``n`` requests count, after ``lead`` that do not.

    ``rate`` is null for a closed loop. ``lengths`` are (mean prompt, mean answer, how answers are drawn).
    """

    kind: str
    config: ServerConfig
    n: int
    lead: int
    concurrency: int
    rate: float | None
    lengths: tuple[int, int, str]
    tokens_a_chunk: int
    with_gauge: bool

    def requests(self, n: int, rng: np.random.Generator) -> list[SimRequest]:
        """Draw requests; answers are ``exponential``, ``lognormal`` or ``uniform``."""
        prompt, answer, law = self.lengths
        prompts = 0.5 * prompt * (1 + rng.exponential(1.0, n))
        if law == "exponential":
            answers = rng.exponential(answer, n)
        elif law == "lognormal":
            answers = rng.lognormal(np.log(answer) - 0.18, 0.6, n)
        else:
            answers = rng.uniform(0.5, 1.5, n) * answer
        pairs = zip(np.clip(prompts, 1, 8000), np.clip(answers, 1, 2000), strict=True)
        return [SimRequest(str(k), round(p), max(1, round(a))) for k, (p, a) in enumerate(pairs)]

    def seen(self, rng: np.random.Generator) -> Loaded:
        """Carry the load out once."""
        requests = self.requests(self.lead + self.n, rng)
        told = {
            "lead": self.lead,
            "with_gauge": self.with_gauge,
            "tokens_a_chunk": self.tokens_a_chunk,
        }
        if self.rate is not None:
            return steady_runs.poisson(self.config, requests, self.rate, int(rng.integers(1 << 30)), **told)
        if self.kind == "at_once":
            return steady_runs.at_once(self.config, requests, **told)
        return steady_runs.closed(self.config, requests, self.concurrency, **told)

    def breaks_the_published_rule(self) -> bool:
        """Tell whether the engine's batch is never filled, or is nearly half of the requests that count."""
        return self.rate is not None or self.concurrency < self.config.max_batch or self.kind == "small_n"


def random_load(seed: int) -> RandomLoad:
    """Return the load of a seed; kinds take turns."""
    rng = np.random.default_rng([20_260, seed])
    kind = KINDS[seed % len(KINDS)]
    gpu, model, tp = [
        (H100, LLAMA_8B, 1),
        (A100, LLAMA_8B, 1),
        (H100, LLAMA_70B, 4),
        (H100, MIXTRAL_8X7B, 2),
        (L4, SMOLLM2_135M, 1),
        (A100, LLAMA_8B, 2),
    ][int(rng.integers(6))]
    lengths = (int(rng.integers(100, 900)), int(rng.integers(60, 160)), str(rng.choice(_LAWS)))
    if model is SMOLLM2_135M or kind == "small_n":
        lengths = (lengths[0], 3 * lengths[1], lengths[2])  # of answers in a moment no window is long enough
    concurrency = int(rng.choice([4, 8, 12, 16, 24, 32]))
    batch, kv, split, preemption = concurrency, None, 0, "recompute"
    n, lead = int(rng.integers(10, 16)) * concurrency, int(rng.integers(0, 4)) * concurrency
    if kind == "below_batch":
        batch = max(int(0.5 * n) + 1, int(rng.choice([128, 256, 512])))
    elif kind == "small_n":
        n, lead = max(2 * concurrency, 24), 5 * concurrency
    elif kind == "queue":
        batch = max(2, concurrency // 2)
    elif kind == "preempted":
        need = lengths[0] + lengths[1]
        kv = max(int(0.6 * concurrency * need), 10_100) if concurrency >= 12 else None
        preemption = str(rng.choice(["recompute", "swap"]))
    elif kind == "at_once":
        lead = 0
    elif kind == "split":
        split = 1
    config = ServerConfig(
        gpu,
        model,
        max_batch=batch,
        max_batched_tokens=max(batch, int(rng.choice([512, 2048]))),
        kv_tokens=kv,
        preemption=preemption,  # type: ignore[arg-type]
        tensor_parallel=tp,
        prefill_instances=split,
        decode_instances=split,
        power_limit_w=None if rng.random() < 0.7 else 0.6 * gpu.tdp_w,
    )
    rate = None
    if kind == "poisson":
        config = ServerConfig(gpu, model, max_batch=64, tensor_parallel=tp)
        n = int(rng.integers(400, 600))
        lead = 100
    found = RandomLoad(
        kind,
        config,
        n,
        lead,
        concurrency,
        rate,
        lengths,
        int(rng.choice([1, 4, 16])),
        bool(rng.random() < 0.5),
    )
    if kind != "poisson":
        return found
    share = float(rng.uniform(0.3, 0.8))
    return RandomLoad(**{**_fields(found), "rate": share * _capacity(found, rng)})


_LAWS = ("exponential", "lognormal", "uniform")


def _fields(load: RandomLoad) -> dict[str, object]:
    return {name: getattr(load, name) for name in RandomLoad.__dataclass_fields__}


def _capacity(load: RandomLoad, rng: np.random.Generator) -> float:
    """Return the requests a second that a server answers when it always has as many as it takes."""
    run = run_closed(load.config, load.requests(400, rng), load.config.max_batch)
    return 300 / ((run.finished[349].t_end_ns - run.finished[49].t_end_ns) * 1e-9)

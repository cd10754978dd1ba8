"""Random set-ups and loads of the simulated server."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100, SMALL
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B, MIXTRAL_8X7B, SMOLLM2_135M
from joulemark.simulate.request import SimRequest
from joulemark.simulate.virtual import SimulatedRun, poisson_arrivals_ns, run_closed, run_open

MEMORY = 2_400


@dataclass(frozen=True)
class SimulatedLoad:
    """A set-up and a load, closed where ``rate`` is null."""

    config: ServerConfig
    requests: list[SimRequest]
    concurrency: int
    rate: float | None
    delay_ns: int
    t0_ns: int
    seed: int

    def run(self, *, fast_forward: bool = True) -> SimulatedRun:
        if self.rate is None:
            return run_closed(
                self.config,
                self.requests,
                self.concurrency,
                client_delay_ns=self.delay_ns,
                t0_ns=self.t0_ns,
                fast_forward=fast_forward,
            )
        arrivals = poisson_arrivals_ns(len(self.requests), self.rate, self.seed, t0_ns=self.t0_ns)
        return run_open(self.config, self.requests, arrivals, t0_ns=self.t0_ns, fast_forward=fast_forward)


@st.composite
def configs(draw: st.DrawFn) -> ServerConfig:
    batch = draw(st.integers(1, 24))
    apart = draw(st.integers(0, 3)) == 0
    gpu, model = draw(st.sampled_from([(H100, LLAMA_8B), (H100, MIXTRAL_8X7B), (SMALL, SMOLLM2_135M)]))
    return ServerConfig(
        gpu=gpu,
        model=model,
        max_batch=batch,
        max_batched_tokens=batch + draw(st.integers(0, 400)),
        kv_tokens=draw(st.integers(MEMORY + 16, 3 * MEMORY)),
        preemption=draw(st.sampled_from(["recompute", "swap"])),
        tensor_parallel=draw(st.sampled_from([1, 2, 4])),
        prefill_instances=draw(st.integers(1, 2)) if apart else 0,
        decode_instances=draw(st.integers(1, 2)) if apart else 0,
        power_limit_w=draw(st.sampled_from([None, 1.5 * gpu.idle_w, 2.5 * gpu.idle_w])),
        prefix_cache=draw(st.booleans()),
    )


@st.composite
def loads(draw: st.DrawFn, most: int = 60) -> SimulatedLoad:
    seed = draw(st.integers(0, 2**32 - 1))
    drawn = draw_requests(
        draw(st.integers(1, most)),
        draw(st.integers(1, 700)),
        draw(st.integers(1, 250)),
        seed,
        room=MEMORY,
    )
    families = draw(st.integers(1, 5))
    requests = [
        SimRequest(
            request.request_id,
            request.prompt_tokens,
            request.output_tokens,
            tuple(1000 * (number % families) + block for block in range(-(-request.prompt_tokens // 512))),
        )
        for number, request in enumerate(drawn)
    ]
    return SimulatedLoad(
        config=draw(configs()),
        requests=requests,
        concurrency=draw(st.integers(1, 40)),
        rate=draw(st.none() | st.floats(0.5, 80.0)),
        delay_ns=draw(st.sampled_from([0, 1, 3_000_000, 900_000_000])),
        t0_ns=draw(st.sampled_from([0, 10**6, 4 * 10**15])),
        seed=seed,
    )

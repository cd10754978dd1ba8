"""Loads in virtual time: a whole run of a server in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from joulemark.record.drawn import poisson_gaps
from joulemark.simulate.books import Books
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.request import Finished, SimRequest
from joulemark.simulate.server import SimulatedServer

Ints = NDArray[np.int64]

_WHOLE_STRETCHES = 1 << 30


@dataclass(frozen=True, slots=True)
class StepColumns:
    """All steps of a run in the order of their beginnings, one entry a step.

    ``batch`` requests were running, ``waiting`` were not, when the step began; ``prefill_tokens`` and
    ``decode_tokens`` were worked on. ``kv_share`` of the context's memory was held in its instance,
    ``preempted`` requests had to leave it. ``instance`` counts from 0, prefill first.
    """

    t0_ns: Ints
    t1_ns: Ints
    instance: Ints
    batch: Ints
    waiting: Ints
    prefill_tokens: Ints
    decode_tokens: Ints
    preempted: Ints
    kv_share: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """What a load made of a server; ``finished`` in the order of their ends, the last at ``t_end_ns``."""

    config: ServerConfig
    finished: tuple[Finished, ...]
    steps: StepColumns
    books: Books
    t_end_ns: int


def run_closed(
    config: ServerConfig,
    requests: Iterable[SimRequest],
    concurrency: int,
    *,
    client_delay_ns: int | Callable[[int], int] = 0,
    t0_ns: int = 0,
    fast_forward: bool = True,
) -> SimulatedRun:
    """Keep ``concurrency`` requests in flight until all are done; the next is sent when one ends.

    ``client_delay_ns`` passes between an end and the next request: a number, or a function of how many were
    sent before. ``fast_forward`` takes steps that are alike at once; what comes out is the same to the last
    bit. Raises ``ValueError`` for a concurrency below 1, ``InputError`` as `SimulatedServer.submit` does.
    """
    if concurrency < 1:
        raise ValueError("a closed loop keeps at least one request in flight")
    server, left = SimulatedServer(config, t0_ns), iter(requests)
    sent = 0
    for request in left:
        server.submit(request, t0_ns)
        sent += 1
        if sent == concurrency:
            break
    finished: list[Finished] = []
    most = _WHOLE_STRETCHES if fast_forward else 1
    while (came := server.next_end(inf, most=most)) is not None:
        for done in came.finished:
            finished.append(done)
            following = next(left, None)
            if following is not None:
                wait_ns = client_delay_ns if isinstance(client_delay_ns, int) else client_delay_ns(sent)
                server.submit(following, done.t_end_ns + wait_ns)
                sent += 1
    return _run(server, finished)


def run_open(
    config: ServerConfig,
    requests: Sequence[SimRequest],
    arrivals_ns: Sequence[int] | Ints,
    *,
    t0_ns: int = 0,
    fast_forward: bool = True,
) -> SimulatedRun:
    """Let each request arrive at its own instant, whatever is unanswered, until all are done.

    Raises ``ValueError`` where an arrival lies before ``t0_ns`` or the two sequences differ in length,
    ``InputError`` as `SimulatedServer.submit` does.
    """
    server = SimulatedServer(config, t0_ns)
    for request, t_ns in zip(requests, arrivals_ns, strict=True):
        if t_ns < t0_ns:
            raise ValueError(f"{request.request_id} arrives before the server starts")
        server.submit(request, int(t_ns))
    finished: list[Finished] = []
    most = _WHOLE_STRETCHES if fast_forward else 1
    while (came := server.next_end(inf, most=most)) is not None:
        finished.extend(came.finished)
    return _run(server, finished)


def poisson_arrivals_ns(n: int, rate: float, seed: int, *, t0_ns: int = 0) -> Ints:
    """Return ``n`` arrivals of a Poisson process of ``rate`` a second."""
    return t0_ns + (np.cumsum(poisson_gaps(n, seed)) * (1e9 / rate)).astype(np.int64)


def _run(server: SimulatedServer, finished: list[Finished]) -> SimulatedRun:
    return SimulatedRun(server.config, tuple(finished), step_columns(server), server.books(), server.now_ns)


def step_columns(server: SimulatedServer) -> StepColumns:
    """Return the steps that a server has taken so far."""
    logs = server.logs()
    columns = {
        name: np.concatenate([log.integers(name) for log in logs])
        for name in (
            "t0_ns",
            "t1_ns",
            "running",
            "waiting",
            "prefill_tokens",
            "decode_tokens",
            "preempted",
            "kv_pages",
        )
    }
    instance = np.repeat(np.arange(len(logs), dtype=np.int64), [len(log) for log in logs])
    order = np.argsort(columns["t0_ns"], kind="stable") if len(logs) > 1 else slice(None)
    return StepColumns(
        t0_ns=columns["t0_ns"][order],
        t1_ns=columns["t1_ns"][order],
        instance=instance[order],
        batch=columns["running"][order],
        waiting=columns["waiting"][order],
        prefill_tokens=columns["prefill_tokens"][order],
        decode_tokens=columns["decode_tokens"][order],
        preempted=columns["preempted"][order],
        kv_share=columns["kv_pages"][order] / server.kv_pages,
    )

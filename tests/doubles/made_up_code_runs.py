"""Runs of generated code that never ran: their costs are chosen, so what should be found is known."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from joulemark.record.code_run import CANDIDATE, REFERENCE, CodeRun, Outcome, Purpose

MS = 1_000_000
MIB = 1 << 20
RETURNED, TIMED_OUT, RAISED = Outcome.RETURNED, Outcome.TIMED_OUT, Outcome.RAISED

Noise = Callable[[np.random.Generator, int, int], NDArray[np.float64]]


def program(problem="p", sample=None, purpose=Purpose.TEST, outcome=RETURNED, **fields):
    """A run of the reference, or of a sample where one is numbered."""
    role = REFERENCE if sample is None else CANDIDATE
    fields.setdefault("correct", True if outcome is RETURNED else None)
    fields.setdefault("program", f"{problem}-{sample}")
    fields.setdefault("role", role)
    return CodeRun(problem=problem, sample=sample, purpose=purpose, outcome=outcome, **fields)


def nothing(cpu_ns=20_000, n=5, **fields):
    """Runs of a program that does nothing."""
    fields = {"cpu_around_ns": 5 * MS, "peak_bytes": 0, "loaded_bytes": 10 * MIB} | fields
    return [program("nothing", None, Purpose.BASELINE, cpu_ns=cpu_ns + 100 * k, **fields) for k in range(n)]


def abba(problem, sample, reference_ns: Sequence[float], candidate_ns: Sequence[float], **fields):
    """Pairs in the order A B B A, of inputs of 2 MiB; ``fields`` are the candidate's."""
    runs = []
    for k, (a, b) in enumerate(zip(reference_ns, candidate_ns, strict=True)):
        first = k % 2 == 0
        one = program(
            problem,
            None,
            Purpose.PAIRED,
            cpu_ns=round(a),
            pair=k,
            position=0 if first else 1,
            size=1000,
            cpu_around_ns=5 * MS,
            peak_bytes=4 * MIB,
            resident_bytes=12 * MIB,
            loaded_bytes=10 * MIB,
        )
        mine = {"cpu_ns": round(b), "cpu_around_ns": 5 * MS, "peak_bytes": 8 * MIB, "size": 1000}
        mine |= {"resident_bytes": 12 * MIB, "loaded_bytes": 10 * MIB} | fields
        other = program(problem, sample, Purpose.PAIRED, pair=k, position=1 if first else 0, **mine)
        runs += [one, other] if first else [other, one]
    return runs


def whole(problem, sample, *, wall_s, peak_mib=2.0, mib_s=None, n_samples=50, **fields):
    """A run of all tests in one process, 10 MiB resident before it."""
    return program(
        problem,
        sample,
        Purpose.WHOLE,
        wall_ns=round(wall_s * 1e9),
        resident_bytes=10 * MIB,
        peak_bytes=round(peak_mib * MIB),
        memory_mib_s=(10 + peak_mib) * wall_s if mib_s is None else mib_s,
        n_memory_samples=n_samples,
        n_calls=100,
        **fields,
    )


def evaluation(ratios, *, seed=1, noise=0.01, n_pairs=7, wrong=()):
    """One answer a problem, ``ratios`` times as slow as the reference; some of them wrong."""
    rng = np.random.default_rng(seed)
    runs = nothing()
    for k, ratio in enumerate(ratios):
        name = f"p{k:02}"
        right = k not in wrong
        runs += [program(name, 0, case=c, correct=right or c < 2) for c in range(3)]
        if not right:
            continue
        base = 20 * MS * np.exp(rng.normal(0, noise, n_pairs))
        mine = 20 * MS * ratio * np.exp(rng.normal(0, noise, n_pairs))
        runs += abba(name, 0, base, mine)
        runs += [whole(name, None, wall_s=0.5), whole(name, 0, wall_s=0.5 * ratio, peak_mib=4.0)]
    return runs


def two_speeds(
    rng,
    n_traces,
    n,
    *,
    fast_runs=12.0,
    slow_runs=20.0,
    slow=1.75,
    jitter=0.015,
    hit=0.12,
    tail=0.15,
    drift=0.01,
):
    """Times of n runs in a row, float64[n_traces, n], 1 for an undisturbed one.

    A neighbour on the core comes and goes, the clock drifts, and now and then a run is hit by something long.
    """
    times = np.empty((n_traces, n))
    slowed = rng.random(n_traces) < slow_runs / (fast_runs + slow_runs)
    for k in range(n):
        changes = rng.random(n_traces) < np.where(slowed, 1 / slow_runs, 1 / fast_runs)
        slowed = slowed ^ changes
        times[:, k] = np.where(slowed, slow, 1.0)
    times *= np.exp(np.cumsum(rng.normal(0, drift, times.shape), axis=1))
    times *= np.exp(rng.normal(0, jitter, times.shape))
    times *= 1 + (rng.random(times.shape) < hit) * tail * rng.pareto(1.5, times.shape)
    return times


def quiet(rng, n_traces, n):
    """A machine of its own: no neighbour, little drift."""
    return two_speeds(
        rng, n_traces, n, fast_runs=1e9, slow_runs=1e-9, jitter=0.01, hit=0.1, tail=0.1, drift=0.002
    )


def busy(rng, n_traces, n):
    """A machine whose speed changes every four runs."""
    return two_speeds(rng, n_traces, n, fast_runs=4, slow_runs=4, slow=1.6, jitter=0.03, hit=0.25, tail=0.3)


def sides(times):
    """The times of A and of B, float64[n_traces, n / 2] each, of runs in the order A B B A."""
    four = times.reshape(len(times), -1, 4)
    a = np.stack([four[:, :, 0], four[:, :, 3]], 2).reshape(len(times), -1)
    b = np.stack([four[:, :, 1], four[:, :, 2]], 2).reshape(len(times), -1)
    return a, b

"""Runs made up in memory, with known truth: what reports and summaries are tried on."""

from __future__ import annotations

import dataclasses

import numpy as np

from joulemark.metrics.attribution import attribute_sequential, scope_label
from joulemark.metrics.run_view import PowerTimeline, RunView
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.item import Attempt, Chunk, Item, Verdict
from joulemark.record.manifest import (
    ClientProof,
    Device,
    Engine,
    Host,
    Load,
    Manifest,
    Meter,
    Rates,
    Sampling,
    Segment,
    Task,
    Window,
)
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

S = 1_000_000_000
T0 = 5_000 * S


def item(
    index: int = 0,
    *,
    verdict: Verdict | None = Verdict.CORRECT,
    correct: bool | str | None = "by verdict",
    repeat: int = 0,
    start_s: float = 0.0,
    first_s: float | None = 0.2,
    end_s: float = 1.2,
    tokens: int | None = 11,
    streamed: bool | None = True,
    **fields: object,
) -> Item:
    """Return one request: times in seconds after ``start_s``; the verdict decides what is correct."""
    t_sent = T0 + round(start_s * S)
    if correct == "by verdict":
        correct = verdict is Verdict.CORRECT if verdict else None
    # as the Recorder writes it
    score = None if correct is None or verdict is Verdict.FAILED else float(correct)
    t_first = None if first_s is None else t_sent + round(first_s * S)
    defaults: dict[str, object] = {
        "item_id": f"q{index}",
        "index": index,
        "repeat": repeat,
        "segment": 0,
        "phase": "measure",
        "t_sent": t_sent,
        "t_end": t_sent + round(end_s * S),
        "t_first": t_first,
        "t_first_answer": t_first,
        "prompt_tokens": 40,
        "completion_tokens": tokens,
        "streamed": streamed,
        "verdict": verdict,
        "correct": correct,
        "score": score,
    }
    return Item(**{**defaults, **fields})  # type: ignore[arg-type]


def measured(joules: float, slack_j: float = 0.0, method: Method = Method.COUNTER) -> MeasuredEnergy:
    """Return a GPU energy with a symmetric bound."""
    return MeasuredEnergy(joules, joules - slack_j, joules + slack_j, "nvml:0", (Scope.gpu(0),), method)


def meter(
    name: str = "nvml:0",
    kind: str = "nvml",
    scope: Scope | None = None,
    *,
    trust: Trust = Trust.QUALIFIED,
    reason: str | None = None,
    quantities: tuple[str, ...] = ("energy_j", "power_w"),
    notes: tuple[str, ...] = (),
    segment: int = 0,
) -> Meter:
    """Return a source with its self-test."""
    where = scope or Scope.gpu(0)
    info = SourceInfo(name, kind, where, quantities, device_name="NVIDIA Testboard 90", notes=notes)
    test = Qualification(trust, reason, 0.1, 0.12, 1.004, 71.0, 3.0, 300)
    return Meter.of(QualifiedSource(info, test), segment)


def device(index: int = 0, **fields: object) -> Device:
    """Return a board that runs the engine."""
    defaults: dict[str, object] = {
        "segment": 0,
        "uuid_hash": "c0ffee",
        "name": "NVIDIA Testboard 90",
        "vram_mib": 24576,
        "driver": "580.1",
        "power_limit_w": 350,
        "scope": str(Scope.gpu(index)),
        "engine_on_device": True,
    }
    return Device(**{**defaults, **fields})  # type: ignore[arg-type]


def manifest(**fields: object) -> Manifest:
    """Return a complete manifest of a run with no meter."""
    defaults: dict[str, object] = {
        "run_id": "20261129-201500-quick-3f9c",
        "config_hash": "b1946ac92492d2347c6235b4d2611184a9b0c1d2e3f405162738495a6b7c8d9e",
        "state": "complete",
        "created_utc": "2026-11-29T20:15:00Z",
        "joulemark_version": "0.1.0",
        "segments": [
            Segment(
                index=0,
                boot_id="boot",
                host_hash="9a1f",
                wall_anchor_ns=0,
                t0=T0,
                t1=T0 + 600 * S,
                end="done",
            )
        ],
        "host": Host(
            os="Linux",
            kernel="6.1.0",
            cpu_model="Testchip 2 @ 2.4 GHz",
            cpu_count=2,
            ram_mib=7936,
            python="3.11.2",
            reasons={"virtualization": "not_reported", "governor": "not_reported"},
        ),
        "engine": Engine(
            kind="llama.cpp",
            version="b6789",
            model="SmolLM2-135M-Instruct",
            model_digest="5bb5e8e2d2b1",
            quantization="Q4_1",
            flags={"n_ctx": 4096, "n_parallel": 1},
            prefix_cache=False,
            local=True,
        ),
        "task": Task(name="quick", revision="1", n_items=60, template_hash="7c4a8d09"),
        "sampling": Sampling(temperature=0.0, seed=1234, max_tokens=128),
        "load": Load(),
        "windows": [],
    }
    return Manifest(**{**defaults, **fields})  # type: ignore[arg-type]


def _answers(
    n: int, seed: int, *, with_failures: bool
) -> tuple[list[Item], dict[tuple[str, int], tuple[Chunk, ...]]]:
    rng = np.random.default_rng(seed)
    verdicts = [Verdict.CORRECT, Verdict.WRONG, Verdict.UNPARSED, Verdict.TRUNCATED, Verdict.REFUSED]
    items: list[Item] = []
    chunks: dict[tuple[str, int], tuple[Chunk, ...]] = {}
    at_s = 12.0
    for index in range(n):
        tokens = int(np.clip(rng.lognormal(3.6, 0.6), 4, 128))
        verdict = Verdict(rng.choice(verdicts, p=[0.36, 0.46, 0.08, 0.07, 0.03]))
        if tokens == 128:
            verdict = Verdict.TRUNCATED
        first_s = float(0.12 + rng.gamma(2.0, 0.03))
        gaps_s = rng.gamma(9.0, 0.001, tokens - 1)
        end_s = first_s + float(gaps_s.sum())
        failed = with_failures and index % 9 == 4
        attempts = (
            (
                Attempt(T0 + round((at_s - 0.9) * S), T0 + round((at_s - 0.2) * S), "reset"),
                Attempt(T0 + round(at_s * S), T0 + round((at_s + end_s) * S), "reset" if failed else None),
            )
            if with_failures and index % 9 in (4, 7)
            else ()
        )
        one = item(
            index,
            verdict=Verdict.FAILED if failed else verdict,
            start_s=at_s,
            first_s=None if failed else first_s,
            end_s=end_s,
            tokens=None if failed else tokens,
            streamed=None if failed else True,
            attempts=attempts,
            item_id=f"quick/{index:03d}",
            finish_reason="length" if tokens == 128 else "stop",
        )
        items.append(one)
        if not failed:
            stamps = one.t_sent + np.round((first_s + np.concatenate([[0], np.cumsum(gaps_s)])) * S).astype(
                int
            )
            chunks[one.key] = tuple(Chunk(int(t), 1, False) for t in stamps)
        at_s += end_s + (1.2 if with_failures else 0.15)
    return items, chunks


def without_meter(n: int = 60, seed: int = 7, *, with_failures: bool = False) -> RunView:
    """Return a run on a machine that has no meter at all."""
    items, chunks = _answers(n, seed, with_failures=with_failures)
    t0, t1 = items[0].t_begin - S // 10, items[-1].t_end + S // 10
    cpu = {i.key: (i.t_end - i.t_begin) / S * 1.93 for i in items}
    described = manifest(
        windows=[
            Window(name="warmup", segment=0, t0=T0 + 9 * S, t1=T0 + 11 * S),
            Window(name="measure", segment=0, t0=t0, t1=t1),
        ],
        client=[ClientProof(segment=0, cpu_share=0.04, loop_lag_p99_s=0.0006, cpu_seconds=1.3)],
    )
    return RunView(
        manifest=described,
        items=(item(999, phase="warmup", start_s=9.5), *items),
        chunks=chunks,
        duration_s=(t1 - t0) / S,
        cpu_seconds=sum(cpu.values()) + 0.4,
        cpu_reason=None,
        item_cpu_seconds=cpu,
    )


def with_counter(n: int = 60, seed: int = 7, *, with_failures: bool = False) -> RunView:
    """Return a run whose GPU has a counter: 70 W idle, 210 to 330 W busy, every joule accounted for."""
    bare = without_meter(n, seed, with_failures=with_failures)
    rng = np.random.default_rng(seed + 1)
    items = bare.measured_items
    window = bare.manifest.windows[1]
    assert window.t1 is not None
    t_ns = np.arange(T0 + 8 * S, window.t1 + 2 * S, S // 50, dtype=np.int64)
    power_w = np.full(len(t_ns), 70.0)
    for one in bare.items:
        busy = (t_ns >= one.t_begin) & (t_ns < one.t_end)
        power_w[busy] = rng.uniform(210, 330)
    power_w += rng.normal(0, 4, len(t_ns))
    power_w[(t_ns > T0 + 20 * S) & (t_ns < T0 + 20.6 * S)] = np.nan
    cumulative = np.concatenate([[0], np.cumsum(np.nan_to_num(power_w[:-1], nan=200.0) * np.diff(t_ns) / S)])

    def energy(t0: int, t1: int) -> MeasuredEnergy:
        joules = float(np.interp(t1, t_ns, cumulative) - np.interp(t0, t_ns, cumulative))
        return MeasuredEnergy(
            joules, max(0.0, joules - 22.0), joules + 22.0, "nvml:0", (Scope.gpu(0),), Method.COUNTER
        )

    total = energy(window.t0, window.t1)
    edges = [window.t0, *(t for one in items for t in (one.t_begin, one.t_end)), window.t1]
    scope = scope_label(total.scopes)
    rows, proof = attribute_sequential(
        items,
        [energy(one.t_begin, one.t_end) for one in items],
        [energy(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)],
        total,
        scope,
    )
    package = meter("rapl:package-0", "rapl", Scope.package(0))
    described = bare.manifest.model_copy(
        update={
            "meters": [meter(), package],
            "devices": [device()],
            "headline_scope": [str(Scope.gpu(0))],
            "measurement_tier": "C",
        }
    )
    return dataclasses.replace(
        bare,
        manifest=described,
        headline_energy=total,
        headline_scope=scope,
        headline_method="sequential",
        other_energy={
            "rapl:package-0 · package:0": MeasuredEnergy(
                612.4, 611.9, 613.0, "rapl:package-0", (Scope.package(0),), Method.COUNTER
            ),
            "rapl:dram-0 · dram:0": Withheld(Reason.NOT_PERMITTED, "Needs read access to energy_uj."),
        },
        integrated_energy=MeasuredEnergy(
            total.joules * 1.027, 0.0, total.joules * 1.1, "nvml:0", (Scope.gpu(0),), Method.INTEGRATED
        ),
        attributions=rows,
        checks=(proof,),
        throttle_s={"power_cap": 3.1, "sw_thermal": 0.0, "hw_thermal": 0.0, "power_brake": 0.0},
        timelines=(PowerTimeline("nvml:0", "gpu:0", 0, t_ns, power_w),),
    )


def not_streamed() -> RunView:
    """Return a metered run with failures, retries and answers that came in one piece."""
    view = with_counter(with_failures=True)
    plain = tuple(
        dataclasses.replace(one, streamed=False, t_first=None, t_first_answer=None) for one in view.items
    )
    return dataclasses.replace(view, items=plain, chunks={})


def replayed() -> RunView:
    """Return a run whose joules come from a recorded trace."""
    view = with_counter()
    recorded = meter("nvml:0", "replay")
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update={"meters": [recorded]}))


def priced(view: RunView, **rates: object) -> RunView:
    """Return the run with declared rates."""
    described = view.manifest.model_copy(update={"rates": Rates(**rates)})  # type: ignore[arg-type]
    return dataclasses.replace(view, manifest=described)


def with_lengths(
    n: int = 40,
    seed: int = 3,
    *,
    fixed_j: float = 30.0,
    alpha_j: float = 0.05,
    beta_j: float = 1.5,
    noise_j: float = 2.0,
    repeats: int = 1,
    temperature: float = 0.0,
    rates: Rates | None = None,
) -> RunView:
    """Return a metered run whose requests cost fixed + alpha × prompt + beta × output joules, plus noise.

    Asked one at a time, repeat after repeat; every second answer is correct. The engine reports its own
    times: 1 ms a prompt token and 10 ms an output token after the first. 50 J are idle.
    """
    rng = np.random.default_rng(seed)
    lengths = [
        (int(p), int(c)) for p, c in zip(rng.integers(50, 400, n), rng.integers(5, 100, n), strict=True)
    ]
    items: list[Item] = []
    energies: list[MeasuredEnergy] = []
    at_s = 12.0
    for repeat in range(repeats):
        for index, (prompt, tokens) in enumerate(lengths):
            first_s, end_s = 0.1 + prompt / 1000, 0.2 + prompt / 1000 + tokens / 100
            one = item(
                index,
                verdict=Verdict.CORRECT if index % 2 == 0 else Verdict.WRONG,
                repeat=repeat,
                start_s=at_s,
                first_s=first_s,
                end_s=end_s,
                tokens=tokens,
                prompt_tokens=prompt,
                engine_prefill_ns=prompt * S // 1000,
                engine_decode_ns=(tokens - 1) * S // 100,
            )
            items.append(one)
            joules = max(0.0, fixed_j + alpha_j * prompt + beta_j * tokens + noise_j * rng.standard_normal())
            energies.append(measured(joules))
            at_s += end_s + 0.1
    total = measured(sum(energy.joules for energy in energies) + 50.0)
    rows, proof = attribute_sequential(items, energies, [measured(50.0)], total, "gpu:0")
    t0, t1 = items[0].t_begin - S // 10, items[-1].t_end + S // 10
    described = manifest(
        windows=[Window(name="measure", segment=0, t0=t0, t1=t1)],
        sampling=Sampling(temperature=temperature, seed=1234, max_tokens=128),
        repeats=repeats,
        rates=rates or Rates(),
        meters=[meter()],
        devices=[device()],
        headline_scope=[str(Scope.gpu(0))],
        measurement_tier="C",
    )
    cpu = {one.key: 0.5 for one in items}
    return RunView(
        manifest=described,
        items=tuple(items),
        headline_energy=total,
        headline_scope="gpu:0",
        headline_method="sequential",
        attributions=rows,
        checks=(proof,),
        duration_s=(t1 - t0) / S,
        cpu_seconds=sum(cpu.values()) + 1.0,
        cpu_reason=None,
        item_cpu_seconds=cpu,
        wanted=n * repeats,
    )

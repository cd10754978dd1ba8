"""Runs on boards that there are, made up as they would be: answers with jitter, power that follows them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from doubles import run_views
from doubles.hostile_bundles import WORDS
from doubles.run_views import T0, S
from joulemark.board.judging import RunFacts
from joulemark.bundles.submission.content import Content, cleaned
from joulemark.bundles.submission.pack import pack_content
from joulemark.bundles.submission.signing import SigningKey
from joulemark.bundles.submission.verification import Verification
from joulemark.bundles.submission.verify import verify
from joulemark.record.item import Attempt, Chunk, Item, ItemRow, Phase, Verdict
from joulemark.record.manifest import Baselines, Device, Engine, Load, Meter, Sampling, Task, Window
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading

LEAD_S, TAIL_S = 6.0, 4.0


@dataclass(frozen=True, slots=True)
class Rig:
    """A board, what it runs, and how it behaves. ``plug``: a wall meter is beside it.

    ``tokens_per_s`` is the speed of one sequence, ``first_s`` the time to a first token; ``lanes`` requests
    are in flight at once. ``period_s`` is how often the board is read.
    """

    device: str = "NVIDIA H100 80GB HBM3"
    vram_mib: int = 81559
    limit_w: float = 700.0
    idle_w: float = 118.0
    busy_w: float = 395.0
    boards: int = 1
    kind: str = "nvml"
    engine: str = "vllm"
    version: str = "0.11.0"
    model: str = "meta-llama/Llama-3.1-8B-Instruct"
    quantization: str | None = "bfloat16"
    tokens_per_s: float = 150.0
    first_s: float = 0.03
    mean_tokens: float = 70.0
    prompt_tokens: int = 180
    lanes: int = 1
    plug: bool = False
    has_counter: bool = True
    has_gauge: bool = True
    prefix_cache: bool | None = False
    accuracy: float = 0.6
    tokens_a_piece: int = 1
    streamed: bool = True
    period_s: float = 0.1
    watts_step: float = 0.0
    n: int = 24


def content_of(rig: Rig, seed: int = 1) -> Content:
    """Return a run of the rig; the seed makes its noise, its questions' lengths are the rig's alone."""
    noise = np.random.default_rng(seed)
    rows = _rows(rig, noise)
    last = max(row.item.t_end for row in rows)
    manifest = run_views.manifest(
        run_id=hashlib.sha256(f"{rig}{seed}".encode()).hexdigest()[:24],
        config_hash=hashlib.sha256(f"{rig}".encode()).hexdigest(),
        engine=Engine(
            kind=rig.engine,
            version=rig.version,
            model=rig.model,
            model_digest="5bb5e8e2d2b1aa00",
            quantization=rig.quantization,
            prefix_cache=rig.prefix_cache,
            local=True,
        ),
        task=Task(name="quick", revision="1", n_items=rig.n, template_hash="7c4a8d09aabbccdd"),
        sampling=Sampling(temperature=0.0, seed=1234, max_tokens=512),
        load=Load() if rig.lanes == 1 else Load(mode="closed", concurrency=rig.lanes),
        meters=[*(_board_meter(rig, k) for k in range(rig.boards)), *([_plug_meter()] if rig.plug else [])],
        devices=[_board(rig, k) for k in range(rig.boards)],
        windows=[Window(name="measure", segment=0, t0=T0, t1=last + S // 20)],
        baselines=_baselines(rig),
    )
    manifest.segments[0].engine_local = True
    manifest.segments[0].t0 = T0 - round((LEAD_S + 1) * S)
    manifest.segments[0].t1 = last + round((TAIL_S + 1) * S)
    manifest.segments[0].wall_anchor_ns = 1_796_000_000_123_456_789
    return cleaned(manifest, rows, _readings(rig, rows, noise), WORDS)


def bundle_of(content: Content, key: SigningKey | None = None) -> bytes:
    """Pack what somebody made up, with figures that follow from it; ``key``: a new one unless given."""
    again = cleaned(content.manifest, content.rows, content.readings, WORDS)
    return pack_content(again, key or SigningKey.new(), WORDS).data


def verified(content: Content, key: SigningKey | None = None) -> Verification:
    """Verify such a bundle as a board does."""
    found = verify(bundle_of(content, key))
    assert found.verified, found.findings
    return found


def _rows(rig: Rig, noise: np.random.Generator) -> list[ItemRow]:
    lengths = np.random.default_rng(7)  # the same questions and model: the same answers
    counts = np.clip(lengths.lognormal(np.log(rig.mean_tokens), 0.5, rig.n), 4, 500).astype(int)
    right = lengths.random(rig.n) < rig.accuracy
    at_s = np.full(rig.lanes, 0.2) + 0.003 * noise.random(rig.lanes)
    steps_s = _steps_s(rig, noise, 500 if rig.lanes == 1 else 40_000)
    rows = []
    for index in range(rig.n):
        lane = int(np.argmin(at_s))
        begin_s = float(at_s[lane])
        first_s = rig.first_s * float(noise.lognormal(0, 0.05))
        at_step = int(np.searchsorted(steps_s, begin_s + first_s)) if rig.lanes > 1 else 0
        own = steps_s[at_step : at_step + int(counts[index])]
        # streams of one batch advance together, and reach the client some microseconds apart
        stamps_s = own + 2e-5 * noise.random(len(own)) if rig.lanes > 1 else own + begin_s + first_s
        if rig.lanes == 1:
            steps_s = _steps_s(rig, noise, 500)
        rows.append(_row(rig, index, begin_s, stamps_s, bool(right[index])))
        at_s[lane] = float(stamps_s[-1]) + 0.0008 + 0.0005 * float(noise.random())
    return sorted(rows, key=lambda row: row.item.t_sent)


def _steps_s(rig: Rig, noise: np.random.Generator, n: int) -> np.ndarray:
    """When an engine's steps end, counted from the first."""
    gaps_s = noise.gamma(400.0, 1 / 400.0, n - 1) / rig.tokens_per_s
    return np.concatenate([[0.0], np.cumsum(gaps_s)])


def _row(rig: Rig, index: int, begin_s: float, stamps_s: np.ndarray, is_right: bool) -> ItemRow:
    t_sent = T0 + round(begin_s * S)
    stamps = (T0 + np.round(stamps_s * S)).astype(np.int64).tolist()
    t_end = stamps[-1] + 40_000
    groups = [stamps[k : k + rig.tokens_a_piece] for k in range(0, len(stamps), rig.tokens_a_piece)]
    chunks = tuple(Chunk(group[-1], len(group), False) for group in groups) if rig.streamed else ()
    item = Item(
        item_id=f"q{index}",
        index=index,
        repeat=0,
        segment=0,
        phase=Phase.MEASURE.value,
        t_sent=t_sent,
        t_end=t_end,
        t_first=chunks[0].t_ns if chunks else None,
        t_first_answer=chunks[0].t_ns if chunks else None,
        prompt_tokens=rig.prompt_tokens + 3 * (index % 11),
        completion_tokens=len(stamps),
        token_source="usage",
        finish_reason="stop",
        streamed=rig.streamed,
        attempts=(Attempt(t_sent, t_end),),
        verdict=Verdict.CORRECT if is_right else Verdict.WRONG,
        correct=is_right,
        score=float(is_right),
        rule="last",
        answer_commitment=hashlib.sha256(f"{index}".encode()).hexdigest(),
    )
    return ItemRow(item, chunks)


def _readings(rig: Rig, rows: list[ItemRow], noise: np.random.Generator) -> list[Reading]:
    """Return readings of the boards, whose power follows what is in flight, and of the plug."""
    end_s = (max(row.item.t_end for row in rows) - T0) / S + TAIL_S
    steps = np.arange(-LEAD_S, end_s, rig.period_s)
    t_s = steps + 0.1 * rig.period_s * noise.random(len(steps))
    spans = [((row.item.t_begin - T0) / S, (row.item.t_end - T0) / S) for row in rows]
    busy = np.zeros(len(t_s))
    for a, b in spans:
        busy += (t_s >= a) & (t_s <= b)
    share = np.minimum(1.0, busy / rig.lanes)
    readings, total_w = [], np.zeros(len(t_s))
    for k in range(rig.boards):
        drift = np.cumsum(noise.normal(0, 0.002, len(t_s)))
        watts = rig.idle_w + (rig.busy_w - rig.idle_w) * share * (1 + drift)
        watts *= 1 + 0.01 * noise.normal(size=len(t_s))
        watts = np.minimum(watts, 1.02 * rig.limit_w)
        if rig.watts_step:
            watts = np.round(watts / rig.watts_step) * rig.watts_step
        total_w += watts
        readings += _board_readings(rig, k, t_s, watts)
    if rig.plug:
        readings += _plug_readings(t_s, total_w, noise)
    return readings


def _board_readings(rig: Rig, k: int, t_s: np.ndarray, watts: np.ndarray) -> list[Reading]:
    joules = 1e6 + np.concatenate([[0.0], np.cumsum(np.diff(t_s) * (watts[1:] + watts[:-1]) / 2)])
    found = []
    for t, w, j in zip(t_s.tolist(), watts.tolist(), joules.tolist(), strict=True):
        values = {"energy_j": round(j, 3)} if rig.has_counter else {}
        if rig.has_gauge:
            values["power_w"] = round(w, 3)
        if rig.kind == "nvml":
            values["throttle_power_cap_ns"] = float(round(max(0.0, t) * 4e7))
        found.append(Reading(0, T0 + round(t * S), f"{rig.kind}:{k}", str(Scope.gpu(k)), values, 150_000))
    return found


def _plug_readings(t_s: np.ndarray, total_w: np.ndarray, noise: np.random.Generator) -> list[Reading]:
    """A plug sees the machine a little later, and the processor's work beside the board's."""
    late = np.interp(t_s - 0.12, t_s, total_w)
    watts = 95.0 + 1.09 * late + 9.0 * noise.normal(size=len(t_s))
    joules = 5e5 + np.concatenate([[0.0], np.cumsum(np.diff(t_s) * (watts[1:] + watts[:-1]) / 2)])
    return [
        Reading(
            0, T0 + round(t * S), "shelly", "wall", {"energy_j": round(j, 3), "power_w": round(w, 1)}, 900_000
        )
        for t, w, j in zip(t_s.tolist(), watts.tolist(), joules.tolist(), strict=True)
    ]


def _board_meter(rig: Rig, k: int) -> Meter:
    quantities = (*(("energy_j",) if rig.has_counter else ()), *(("power_w",) if rig.has_gauge else ()))
    quantities += ("throttle_power_cap_ns",) if rig.kind == "nvml" else ()
    info = SourceInfo(
        f"{rig.kind}:{k}",
        rig.kind,
        Scope.gpu(k),
        quantities,
        power_window_s=0.0 if rig.has_gauge else None,
        power_max_w=rig.limit_w,
        device_name=rig.device,
    )
    test = Qualification(Trust.QUALIFIED, None, 0.1, 0.12, 1.004, rig.idle_w, 3.0, 300)
    return Meter.of(QualifiedSource(info, test), 0)


def _plug_meter() -> Meter:
    info = SourceInfo("shelly", "shelly", Scope("wall"), ("energy_j", "power_w"), power_window_s=0.0)
    return Meter.of(
        QualifiedSource(info, Qualification(Trust.QUALIFIED, None, 0.1, 0.12, 1.0, 240.0, 3.0, 30)), 0
    )


def _board(rig: Rig, k: int) -> Device:
    return run_views.device(
        k,
        uuid_hash=hashlib.sha256(f"{k}".encode()).hexdigest()[:16],
        name=rig.device,
        vram_mib=rig.vram_mib,
        driver="580.82.07",
        power_limit_w=rig.limit_w,
    )


def _baselines(rig: Rig) -> Baselines:
    scope = "+".join(f"gpu:{k}" for k in range(rig.boards))
    watts = rig.idle_w * rig.boards
    return Baselines(loaded_idle_w=watts, loaded_idle_bound_w=(watts - 1, watts + 1), scope=scope)


def peers_of(facts: RunFacts, n: int = 7, seed: int = 5) -> list[RunFacts]:
    """Return others' runs of the same: boards of a kind differ by some per cent, answers do not."""
    noise = np.random.default_rng(seed)
    made = []
    for k in range(n):
        dearer, faster = float(noise.lognormal(0, 0.06)), float(noise.lognormal(0, 0.04))
        changed = {
            name: None if (value := getattr(facts, name)) is None else value * dearer
            for name in ("energy_j", "joules_per_request", "joules_per_token", "mean_power_w")
        }
        rate = None if facts.tokens_per_second is None else facts.tokens_per_second * faster
        name = f"{seed:032x}{k:032x}"
        made.append(replace(facts, digest=name, signer=name, tokens_per_second=rate, **changed))
    return made

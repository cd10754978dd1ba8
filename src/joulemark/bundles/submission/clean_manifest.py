"""The manifest as it may leave: every field is named here, and one that is not does not leave."""

from __future__ import annotations

import re
from functools import cache

from pydantic import BaseModel

from joulemark.bundles.submission.clean_meters import clean_baselines, clean_meter
from joulemark.bundles.submission.source_names import KINDS, SourceNames, kind_of
from joulemark.bundles.submission.vocabulary import OTHER, Vocabulary, codes, one_of
from joulemark.engines.client.proof import Invalid
from joulemark.metrics.grid_table import ROWS
from joulemark.record.manifest import (
    ClientProof,
    Device,
    Engine,
    Host,
    Load,
    Manifest,
    Rates,
    RateStep,
    Segment,
    SilentMeter,
    StopFacts,
    Stopped,
    Task,
    Window,
)
from joulemark.record.reason import Reason
from joulemark.record.simulated import SIMULATED
from joulemark.tasks.registry import built_in_tasks
from joulemark.tasks.suites import SUITES

_ENGINES = """
    embedded llama.cpp vllm sglang tgi ollama lm-studio diffusers openai-compatible localai local-ai
    koboldcpp tabbyapi text-generation-webui mlx mlx-lm lmdeploy tensorrt-llm aphrodite
"""
ENGINES = frozenset(_ENGINES.split())
BUILT_IN = "built in"
DECLARED = "declared"
PROCESS = "process"
_SPLITS = frozenset({"test", "train", "validation", "dev", "cleaned", "all", "main"})
_GOVERNORS = frozenset({"performance", "powersave", "ondemand", "conservative", "schedutil", "userspace"})
_TARGET = re.compile(r"[a-z0-9_]{2,60} (?:±|[<>] )-?\d[\d.e+-]{0,20}(?:%|pp|J|s|ms|g|gCO2e|USD|\$)?")
_BOARD_NONCE = re.compile(r"board-[0-9a-f]{32}", re.ASCII)  # a board made it, and has to know it again
_HUB = re.compile(r"hub:[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*@[0-9a-f]{7,40}", re.ASCII)


def is_public_task(task: Task) -> bool:
    """Tell whether the questions are those of a task that comes with us, and no file of the user's."""
    known = task.name in built_in_tasks()
    return known and (task.source == BUILT_IN or bool(_HUB.fullmatch(task.source or "")))


def clean_manifest(manifest: Manifest, words: Vocabulary, names: SourceNames) -> Manifest:
    """Return what may leave of a manifest. The same again changes nothing."""
    zones = _zones()
    rates = manifest.rates
    return Manifest(
        schema_version=manifest.schema_version,
        run_id=words.digest(manifest.run_id) or "",
        config_hash=words.digest(manifest.config_hash) or "",
        state=manifest.state,
        created_utc=words.instant(manifest.created_utc) or "unknown",
        joulemark_version=words.version(manifest.joulemark_version) or "unknown",
        segments=[_segment(one, words) for one in manifest.segments],
        host=_host(manifest.host, words),
        devices=[_device(one, words, names) for one in manifest.devices],
        engine=_engine(manifest.engine, words),
        task=_task(manifest.task, words),
        sampling=manifest.sampling,
        load=_load(manifest.load, words),
        limits_s={name: s for name, s in manifest.limits_s.items() if name in ("ttft", "tpot", "e2el")},
        repeats=manifest.repeats,
        stop=None if manifest.stop is None else _stop(manifest.stop),
        earlier_stops=[_stop(one) for one in manifest.earlier_stops],
        warmups=manifest.warmups,
        retries=manifest.retries,
        timeout_s=manifest.timeout_s,
        suite=one_of(manifest.suite, SUITES),
        may_rank=manifest.may_rank,
        rates=Rates(
            usd_per_kwh=rates.usd_per_kwh,
            usd_per_million_prompt_tokens=rates.usd_per_million_prompt_tokens,
            usd_per_million_completion_tokens=rates.usd_per_million_completion_tokens,
            electricity_source=_declared(rates.electricity_source),
            token_price_source=_declared(rates.token_price_source),
            gco2e_per_kwh=rates.gco2e_per_kwh,
            grid_zone=one_of(rates.grid_zone, zones),
            grid_source=_declared(rates.grid_source),
            grid_series=[_step(step, words) for step in rates.grid_series],
            tariff=[_step(step, words) for step in rates.tariff],
            embodied_kgco2e=rates.embodied_kgco2e,
            lifetime_years=rates.lifetime_years,
            embodied_source=_declared(rates.embodied_source),
            pue=rates.pue,
        ),
        meters_requested=[kind_of(one) for one in manifest.meters_requested],
        boards=list(manifest.boards),
        meters=[clean_meter(one, words, names) for one in manifest.meters],
        silent_meters=[
            SilentMeter(segment=one.segment, name=one_of(one.name.partition(":")[0], KINDS) or OTHER, why="")
            for one in manifest.silent_meters
        ],
        baselines=clean_baselines(manifest.baselines, words),
        headline_scope=None
        if manifest.headline_scope is None
        else [names.scope(path) for path in manifest.headline_scope],
        measurement_tier=manifest.measurement_tier,
        windows=[
            Window(name=one.name, segment=one.segment, t0=one.t0, t1=one.t1) for one in manifest.windows
        ],
        client=[_client(one) for one in manifest.client],
        reasons=codes(manifest.reasons, Manifest.model_fields),
    )


def _segment(one: Segment, words: Vocabulary) -> Segment:
    return Segment(
        index=one.index,
        boot_id=words.digest(one.boot_id),
        host_hash=words.digest(one.host_hash) or "",
        engine_local=one.engine_local,
        joulemark_version=words.version(one.joulemark_version),
        wall_anchor_ns=one.wall_anchor_ns,
        t0=one.t0,
        t1=one.t1,
        end=one.end,
    )


def _host(host: Host, words: Vocabulary) -> Host:
    made = Host(
        os=one_of(host.os, ("Linux", "Darwin", "Windows")) or OTHER,
        kernel=words.release(host.kernel),
        cpu_model=words.product(host.cpu_model),
        cpu_count=host.cpu_count,
        ram_mib=host.ram_mib,
        virtualization=one_of(host.virtualization, ("wsl2", "virtual machine", "none")),
        governor=one_of(host.governor, _GOVERNORS),
        python=words.release(host.python) or "unknown",
        reasons=codes(host.reasons, Host.model_fields),
    )
    _explain(made.reasons, host, made)
    return made


def _device(one: Device, words: Vocabulary, names: SourceNames) -> Device:
    made = Device(
        segment=one.segment,
        uuid_hash=words.digest(one.uuid_hash) or "",
        name=words.product(one.name),
        vram_mib=one.vram_mib,
        driver=words.version(one.driver),
        power_limit_w=one.power_limit_w,
        scope=names.scope(one.scope),
        engine_on_device=one.engine_on_device,
        declared=one.declared,
        other_processes=[PROCESS] * len(one.other_processes),  # how many there were, not which
        reasons=codes(one.reasons, Device.model_fields),
    )
    _explain(made.reasons, one, made)
    return made


def _engine(engine: Engine, words: Vocabulary) -> Engine:
    kind = one_of(engine.kind.removeprefix(SIMULATED), ENGINES) or OTHER
    made = Engine(
        kind=f"{SIMULATED}{kind}" if engine.kind.startswith(SIMULATED) else kind,
        version=words.version(engine.version),
        model=words.model(engine.model),
        model_digest=words.digest(engine.model_digest),
        quantization=words.quantization(engine.quantization),
        flags=words.flags(engine.flags),
        prefix_cache=engine.prefix_cache,
        local=engine.local,
        endpoint_hash=words.digest(engine.endpoint_hash),
        reasons=codes(engine.reasons, Engine.model_fields),
    )
    _explain(made.reasons, engine, made)
    return made


def _explain(reasons: dict[str, str], before: BaseModel, after: BaseModel) -> None:
    """Give each field that does not leave its reason."""
    for name in type(after).model_fields:
        if name != "pid" and getattr(after, name) is None and getattr(before, name) is not None:
            reasons.setdefault(name, Reason.NOT_REPORTED.value)


def _task(task: Task, words: Vocabulary) -> Task:
    public = is_public_task(task)
    return Task(
        name=task.name if public else "own",
        revision=words.digest(task.revision) or "",
        items_hash=words.digest(task.items_hash),
        source=task.source if public else "file",
        preset=one_of(task.preset, _presets()) or OTHER,
        score_range=task.score_range,
        split=one_of(task.split, _SPLITS) or OTHER,
        n_items=task.n_items,
        n_shot=task.n_shot,
        template_hash=words.digest(task.template_hash) or "",
        subset_key=one_of(task.subset_key, ("joulemark", "")),
        budget_hash=words.digest(task.budget_hash),
        nonce=task.nonce if _BOARD_NONCE.fullmatch(task.nonce or "") else words.digest(task.nonce),
        is_canary=task.is_canary,
        is_listed=task.is_listed,
        n_whole=task.n_whole,
    )


def _load(load: Load, words: Vocabulary) -> Load:
    # the name of the file stands before its digest
    trace = None if load.trace is None else load.trace.rpartition("@")[2]
    return load.model_copy(update={"trace": words.digest(trace)})


def _stop(rule: StopFacts) -> StopFacts:
    renamed = {
        target: target if _TARGET.fullmatch(target) else f"target {n}"
        for n, target in enumerate(rule.targets, 1)
    }
    stopped = rule.stopped
    return StopFacts(
        targets=[renamed[target] for target in rule.targets],
        least=rule.least,
        every=rule.every,
        growth=rule.growth,
        looked_at=rule.looked_at,
        named_at=rule.named_at,
        stopped=None
        if stopped is None
        else Stopped(
            at=stopped.at,
            asked=stopped.asked,
            of=stopped.of,
            segment=stopped.segment,
            binding=[renamed[name] for name in stopped.binding if name in renamed],
        ),
    )


def _client(one: ClientProof) -> ClientProof:
    return ClientProof(
        segment=one.segment,
        cpu_share=one.cpu_share,
        loop_lag_p99_s=one.loop_lag_p99_s,
        cpu_seconds=one.cpu_seconds,
        late_sends=one.late_sends,
        max_chunks_per_s=one.max_chunks_per_s,
        reasons=codes(one.reasons, ClientProof.model_fields),
        invalid=[code if code in _invalid() else Reason.CLIENT_INVALID.value for code in one.invalid],
    )


def _step(step: RateStep, words: Vocabulary) -> RateStep:
    return RateStep(
        from_utc=words.instant(step.from_utc) or "unknown",
        to_utc=words.instant(step.to_utc) or "unknown",
        rate=step.rate,
    )


def _declared(source: str | None) -> str | None:
    return None if source is None else DECLARED


@cache
def _invalid() -> frozenset[str]:
    return frozenset(Invalid) | frozenset(Reason)


@cache
def _zones() -> frozenset[str]:
    return frozenset(name for row in ROWS for name in row[:2])


@cache
def _presets() -> frozenset[str]:
    return frozenset(name for task in built_in_tasks().values() for name in task.preset_names)

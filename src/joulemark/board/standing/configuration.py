"""What makes two submitted runs one configuration, and which configurations may stand in one table.

A hash that is salted by its user never takes part: two users with one set-up have one configuration. What was
found and changes what is measured does take part, though nobody asked for it: the engine's build, the boards
and their number, the tier and what was metered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.setup import Setting
from joulemark.record.identity import config_hash

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView
    from joulemark.record.manifest import Load, Manifest, Task

ONE_AT_A_TIME = "one at a time"
_PUBLIC_DIGEST = re.compile(r"(?:sha256|ollama|git|hf-commit):[0-9a-f]{16,128}|[0-9a-f]{64}|[0-9a-f]{40}")
# what an engine says of itself or of the file, what only a client's requests need, and what draws answers
_SAID = """
    stream_usage allow_cache seed_accepted cache_salt api parameters parameter_size format architecture
    n_ctx_asked seed devices temperature top_p
"""
_TELLS_NOTHING = frozenset(_SAID.split())
_OF_THE_PROCESSOR = frozenset({"threads", "num_thread", "omp_wait_policy"})
_SIGNIFICANT = 2
_LONGEST_NAME = 120
_UNSAFE = re.compile(r"[^A-Za-z0-9_.]+")


@dataclass(frozen=True, slots=True)
class Configuration:
    """``key`` is all that makes it; ``settings`` that part of it which a row has no column for."""

    key: Mapping[str, Setting]
    settings: Mapping[str, Setting]

    @property
    def id(self) -> str:
        """What names it, in this version and in every other."""
        return config_hash(self.key)


def configuration_of(view: RunView, point: OperatingPoint) -> Configuration:
    """Return the configuration of a run whose operating point is ``point``."""
    manifest = view.manifest
    settings = _settings(manifest)
    columns: dict[str, Setting] = {
        "kind": point.kind,
        "model": point.model,
        "quantization": manifest.engine.quantization,
        "engine": manifest.engine.kind,
        "engine_version": manifest.engine.version,
        "device": point.device,
        "n_devices": point.n_devices,
        "tier": point.tier,
        "scope": point.scope,
        "unit": point.unit,
        "task": task_name(manifest.task),
        "questions": point.questions,
        "load": load_words(manifest.load),
    }
    return Configuration({**columns, **{f"settings.{k}": v for k, v in settings.items()}}, settings)


def task_name(task: Task) -> str:
    """Return the task, with its preset where that is none of the usual."""
    return task.name if task.preset == "default" else f"{task.name}:{task.preset}"


def load_words(load: Load) -> str:
    """Return in words how requests were sent; rates that differ by noise are one rate."""
    if load.mode == "sequential":
        return ONE_AT_A_TIME
    most = "" if load.concurrency is None else f", at most {load.concurrency} in flight"
    if load.mode == "closed":
        return f"{load.concurrency} in flight"
    if load.mode == "trace":
        speed = "" if load.trace_speed in (None, 1) else f" at {load.trace_speed:.{_SIGNIFICANT}g}× speed"
        return f"recorded trace{speed}{most}"
    if load.arrival == "at_once":
        return f"all at once{most}"
    rate = "" if load.rate is None else f", {load.rate:.{_SIGNIFICANT}g} requests/s"
    return f"{load.arrival or 'open'} arrivals{rate}{most}"


def is_loaded(load: str) -> bool:
    """Tell whether a row's ``load`` is one: energies of a loaded server are of another kind."""
    return load != ONE_AT_A_TIME


def table_of(
    *,
    kind: str,
    tier: str | None,
    scope: str | None,
    task: str,
    questions: str | None,
    unit: str,
    load: str,
    source: str | None = None,
) -> str:
    """Return the name of the table in which rows may be ranked together; it is good for an address.

    ``source`` keeps rows of several publications apart, whose questions nobody can compare.
    """
    loaded = "loaded" if is_loaded(load) else "single"
    parts = (kind, tier or "no-tier", scope or "no-joules", task, questions or "", unit, loaded)
    told = "-".join(_UNSAFE.sub("_", part) for part in parts if part)[:_LONGEST_NAME]
    return f"{told}-{config_hash({'parts': parts, 'source': source})[:8]}"


def _settings(manifest: Manifest) -> dict[str, Setting]:
    engine, load, sampling = manifest.engine, manifest.load, manifest.sampling
    boards = [board for board in manifest.devices if board.engine_on_device]
    found: dict[str, Setting] = {}
    if engine.model_digest is not None and _PUBLIC_DIGEST.fullmatch(engine.model_digest):
        found["model_digest"] = engine.model_digest
    if engine.prefix_cache is not None:
        found["prefix_cache"] = engine.prefix_cache
    limits = {board.power_limit_w for board in boards}
    if len(limits) == 1 and None not in limits:
        found["power_limit_w"] = limits.pop()
    if not boards and manifest.host.cpu_count is not None:
        found["cpu_count"] = manifest.host.cpu_count
    left_out = _TELLS_NOTHING | (_OF_THE_PROCESSOR if boards else frozenset())
    for name, value in sorted(engine.flags.items()):
        if value is not None and name not in left_out and name not in found:
            found[name] = value
    for name in ("temperature", "top_p", "max_tokens"):
        found[name] = getattr(sampling, name)
    if load.mode == "trace":
        found["trace"] = load.trace
    if load.burstiness not in (None, 1.0):
        found["burstiness"] = load.burstiness
    return found

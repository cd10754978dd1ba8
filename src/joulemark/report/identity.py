"""What was measured: engine, task, sampling, load, host and devices, each null with its reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.record.reason import Reason
from joulemark.report.wording import DASH, printable

_SAMPLERS = ("top_k", "top_p", "min_p", "typical_p")
# null has a meaning of its own here, and no reason
_WHEN_NULL = {
    "seed": "not set",
    "subset_key": "none: all items",
    "nonce": "none",
    "score_range": "right or wrong",
}
_REASONS = {reason.value: reason.text for reason in Reason}


@dataclass(frozen=True, slots=True)
class Group:
    """A titled list of (name, value) pairs."""

    title: str
    pairs: list[tuple[str, str]]


def _said(value: object, reasons: Mapping[str, str], name: str) -> str:
    """Return a value as text; a null one as a dash with the sentence of its reason."""
    if value is None or value == "":
        code = reasons.get(name)
        if code is None:
            return _WHEN_NULL.get(name, f"{DASH} {Reason.NOT_REPORTED.text}")
        return f"{DASH} {_REASONS.get(code) or printable(code)}"
    if isinstance(value, tuple):
        return " … ".join(f"{end:g}" for end in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return printable(str(value))


# what does not belong to the way of asking is null, and is not shown
_LOAD = {
    "mode": "Load",
    "concurrency": "Concurrency",
    "arrival": "Arrivals",
    "rate": "Requests a second",
    "burstiness": "Burstiness",
    "seed": "Seed of the arrivals",
    "trace": "Trace",
    "trace_speed": "Speed of the trace",
    "ramp_s": "Ramp, s",
    "n_requests": "Requests asked",
    "lead_requests": "Lead requests",
}


def _pairs(source: object, fields: Mapping[str, str]) -> list[tuple[str, str]]:
    reasons: Mapping[str, str] = getattr(source, "reasons", {})
    return [(title, _said(getattr(source, name), reasons, name)) for name, title in fields.items()]


def _greedy(flags: Mapping[str, object]) -> str:
    """Say that the likeliest token is always taken, and which of the engine's settings that overrides."""
    idle = [name for name in _SAMPLERS if name in flags]
    return "greedy" + (f": {' and '.join(idle)} without effect" if idle else "")


def identity(run: RunView, summary: Summary) -> list[Group]:
    """Return what names the configuration and the machine."""
    manifest = run.manifest
    engine = _pairs(
        manifest.engine,
        {
            "kind": "Engine",
            "version": "Version",
            "model": "Model",
            "model_digest": "Model digest",
            "quantization": "Quantization",
            "prefix_cache": "Prompt cache",
            "local": "On this machine",
        },
    )
    flags = ", ".join(
        f"{name}={value}" for name, value in sorted(manifest.engine.flags.items()) if value is not None
    )
    engine.append(("Flags", printable(flags) or "none told"))
    task = _pairs(
        manifest.task,
        {"name": "Task", "revision": "Revision", "source": "Data from", "split": "Split", "n_items": "Items",
         "subset_key": "Subset by key", "nonce": "Nonce", "preset": "Preset", "n_shot": "Shots",
         "template_hash": "Prompt template", "score_range": "Scores"},
    )  # fmt: skip
    sampling = _pairs(
        manifest.sampling,
        {"temperature": "Temperature", "top_p": "Top p", "seed": "Seed", "max_tokens": "Token limit"},
    )
    if manifest.sampling.temperature == 0:
        sampling.append(("Sampling", _greedy(manifest.engine.flags)))
    load = _pairs(
        manifest.load, {n: t for n, t in _LOAD.items() if getattr(manifest.load, n) not in (None, 0)}
    )
    host = _pairs(
        manifest.host,
        {"os": "System", "kernel": "Kernel", "cpu_model": "Processor", "cpu_count": "Cores",
         "ram_mib": "Memory, MiB", "virtualization": "Virtualization", "governor": "Governor"},
    )  # fmt: skip
    groups = [Group("Engine", engine), Group("Task, sampling and load", [*task, *sampling, *load])]
    groups += [Group("Machine", host)]
    for device in manifest.devices:
        described = _pairs(
            device,
            {"name": "Board", "scope": "Scope", "vram_mib": "Memory, MiB", "driver": "Driver",
             "power_limit_w": "Power limit, W", "engine_on_device": "Engine seen on it"},
        )  # fmt: skip
        if (group := Group("Device", described)) not in groups:  # each segment lists its boards
            groups.append(group)
    duration = f"{DASH} no measured window" if run.duration_s is None else f"{run.duration_s:,.1f} s"
    groups.append(
        Group(
            "Run",
            [
                ("State", manifest.state),
                ("Suite", printable(manifest.suite or "none")),
                ("Segments", str(len(manifest.segments))),
                ("Measured", duration),
                ("Requests", str(summary.n_requests)),
                ("Repeats", str(manifest.repeats)),
                ("Configuration", manifest.config_hash[:16]),
            ],
        )
    )
    return groups

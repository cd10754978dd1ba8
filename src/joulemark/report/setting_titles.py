"""What a reader calls the settings of a run, by their dotted names in the record."""

from __future__ import annotations

from collections.abc import Iterable

TITLES = {
    "engine.kind": "Engine",
    "engine.version": "Engine version",
    "engine.model": "Model",
    "engine.model_digest": "Model digest",
    "engine.quantization": "Quantization",
    "engine.prefix_cache": "Prompt cache",
    "task.name": "Task",
    "task.revision": "Task revision",
    "task.preset": "Prompt preset",
    "task.split": "Split of the data",
    "task.n_items": "Items asked",
    "task.n_shot": "Shots",
    "task.template_hash": "Prompt template",
    "task.subset_key": "Key of the subset",
    "task.nonce": "Nonce",
    "task.budget_hash": "Token limits of the items",
    "sampling.temperature": "Temperature",
    "sampling.top_p": "Top p",
    "sampling.seed": "Seed",
    "sampling.max_tokens": "Token limit",
    "load.mode": "Load",
    "load.concurrency": "Requests at a time",
    "load.rate": "Requests a second",
    "load.burstiness": "Burstiness",
    "load.arrival": "Arrivals",
    "load.seed": "Seed of the arrivals",
    "load.trace": "Trace of arrivals",
    "load.trace_speed": "Speed of the trace",
    "load.ramp_s": "Ramp, s",
    "load.n_requests": "Requests asked",
    "load.lead_requests": "Requests to bring the load up",
    "repeats": "Repeats",
    "machine.cpu_model": "Processor",
    "machine.cpu_count": "Cores",
    "machine.ram_mib": "Memory, MiB",
    "machine.os": "System",
    "machine.kernel": "Kernel",
    "machine.governor": "Governor",
    "machine.virtualization": "Virtualization",
    "machine.host": "Host",
    "machine.boards": "Boards",
    "machine.board_ids": "Boards, by id",
    "machine.power_limit_w": "Power limit, W",
    "machine.driver": "Driver",
    "meter.source": "Meter",
    "meter.scope": "Measured part",
    "meter.method": "Way of metering",
    "joulemark_version": "Joulemark version",
}
_FLAG = "engine.flags."


def setting_title(name: str) -> str:
    """Return a setting's title; a flag keeps the engine's word, an unknown setting its dotted name."""
    if name.startswith(_FLAG):
        return f"Engine flag {name.removeprefix(_FLAG)}"
    return TITLES.get(name, name)


def in_a_sentence(names: Iterable[str]) -> str:
    """Return the titles of settings, joined, as they stand in the middle of a sentence."""
    titles = map(setting_title, names)
    return ", ".join(title[0].lower() + title[1:] for title in titles)

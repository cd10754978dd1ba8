"""In what two runs differ: every setting of their identity, the machine and the meter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from joulemark.metrics.attribution import scope_label
from joulemark.metrics.run_view import RunView
from joulemark.record.energy import MeasuredEnergy

if TYPE_CHECKING:
    from pydantic import BaseModel

    from joulemark.record.manifest import Manifest

Setting = str | int | float | bool | None

_ENGINE = ("kind", "version", "model", "model_digest", "quantization", "prefix_cache")
_TASK = (
    "name",
    "revision",
    "preset",
    "split",
    "n_items",
    "n_shot",
    "template_hash",
    "subset_key",
    "nonce",
    "budget_hash",
)
_SAMPLING = ("temperature", "top_p", "seed", "max_tokens")
_LOAD = ("mode", "concurrency", "rate", "burstiness", "trace")
_HOST = ("cpu_model", "cpu_count", "ram_mib", "os", "kernel", "governor", "virtualization")
# runs that agree in these asked the same questions in the same words
_SAME_QUESTIONS = (
    "task.name",
    "task.revision",
    "task.split",
    "task.n_shot",
    "task.template_hash",
    "task.subset_key",
    "task.nonce",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting in which two runs differ, by its dotted name; null where a run does not know its own."""

    name: str
    a: Setting
    b: Setting


def settings(run: RunView) -> dict[str, Setting]:
    """Return what makes a run what it is, by dotted names, in the order of a table."""
    manifest = run.manifest
    found = dict(_of("engine", manifest.engine, _ENGINE))
    found |= {f"engine.flags.{name}": value for name, value in sorted(manifest.engine.flags.items())}
    found |= dict(_of("task", manifest.task, _TASK))
    found |= dict(_of("sampling", manifest.sampling, _SAMPLING))
    found |= dict(_of("load", manifest.load, _LOAD))
    found["repeats"] = manifest.repeats
    found |= dict(_of("machine", manifest.host, _HOST))
    found |= {
        "machine.host": _joined({segment.host_hash for segment in manifest.segments}),
        "machine.boards": _joined({d.name or "a board without a name" for d in manifest.devices}),
        "machine.board_ids": _joined({d.uuid_hash for d in manifest.devices}),
        "machine.power_limit_w": _joined(
            {f"{d.power_limit_w:g}" for d in manifest.devices if d.power_limit_w}
        ),
        "machine.driver": _joined({d.driver for d in manifest.devices if d.driver}),
    }
    energy = run.headline_energy
    measured = energy if isinstance(energy, MeasuredEnergy) else None
    found |= {
        "meter.source": measured.source if measured else None,
        "meter.scope": scope_label(measured.scopes) if measured else None,
        "meter.method": measured.method.value if measured else None,
        "joulemark_version": manifest.joulemark_version,
    }
    return found


def differences(a: RunView, b: RunView) -> tuple[Difference, ...]:
    """Return every setting in which two runs differ; one that neither knows is no difference."""
    of_a, of_b = settings(a), settings(b)
    names = [*of_a, *(name for name in of_b if name not in of_a)]
    pairs = (Difference(name, of_a.get(name), of_b.get(name)) for name in names)
    return tuple(pair for pair in pairs if pair.a != pair.b)


def same_task(a: Manifest, b: Manifest) -> bool:
    """Tell whether two runs asked questions of one task in one revision."""
    return (a.task.name, a.task.revision) == (b.task.name, b.task.revision)


def questions_differ(found: tuple[Difference, ...]) -> tuple[str, ...]:
    """Return the settings by which two runs did not ask the same questions; none where they did."""
    return tuple(difference.name for difference in found if difference.name in _SAME_QUESTIONS)


def _of(group: str, part: BaseModel, names: tuple[str, ...]) -> Iterator[tuple[str, Setting]]:
    return ((f"{group}.{name}", getattr(part, name)) for name in names)


def _joined(names: set[str]) -> str | None:
    return ", ".join(sorted(names)) or None

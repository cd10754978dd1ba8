"""In what two runs differ: every setting of their identity, the machine and the meter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from joulemark.metrics.attribution import scope_label
from joulemark.metrics.run_view import RunView
from joulemark.metrics.setup import Setting
from joulemark.record.energy import MeasuredEnergy

if TYPE_CHECKING:
    from pydantic import BaseModel

    from joulemark.record.manifest import Manifest


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
_LOAD = (
    "mode",
    "concurrency",
    "arrival",
    "rate",
    "burstiness",
    "seed",
    "trace",
    "trace_speed",
    "ramp_s",
    "n_requests",
    "lead_requests",
)
_HOST = ("cpu_model", "cpu_count", "ram_mib", "os", "kernel", "governor", "virtualization")
# runs that agree in these put an item in the same words; the subset's key also orders shuffled options
_SAME_WORDS = ("task.name", "task.preset", "task.n_shot", "task.template_hash", "task.subset_key")
# runs that agree in these read their items from the same rows, so that an id names one item
_SAME_ROWS = ("task.revision", "task.split")
# a digest of question, options and reference; of an item that the data holds twice, with a number behind
_DIGEST = r"[0-9a-f]{12}(~\d+)?"


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
    """Return every setting in which two runs differ; one that neither knows is no difference.

    The token limits of the items have one hash for all of them: of runs that asked different numbers of
    items it differs by itself, and says nothing.
    """
    of_a, of_b = settings(a), settings(b)
    names = [*of_a, *(name for name in of_b if name not in of_a)]
    pairs = (Difference(name, of_a.get(name), of_b.get(name)) for name in names)
    n_items_agree = a.manifest.task.n_items == b.manifest.task.n_items
    return tuple(
        pair for pair in pairs if pair.a != pair.b and (n_items_agree or pair.name != "task.budget_hash")
    )


def same_task(a: Manifest, b: Manifest) -> bool:
    """Tell whether two runs asked questions of one task in one revision."""
    return (a.task.name, a.task.revision) == (b.task.name, b.task.revision)


def one_task(a: RunView, b: RunView) -> bool:
    """Tell whether two runs asked questions of one task, of one revision or with ids that say as much."""
    named = a.manifest.task.name == b.manifest.task.name
    return same_task(a.manifest, b.manifest) or (named and ids_are_content(a, b))


def ids_are_content(a: RunView, b: RunView) -> bool:
    """Tell whether an item's id means the same item in both runs, wherever each read it from.

    The revision is a digest of bytes, which one data set in two formats does not share. So two runs of other
    bytes are of one mind where what they asked has one hash (ids, options and references, in order), or
    where every id is itself a digest of what is asked. A data set's own keys are not enough: a corrected
    edition keeps the key and changes the reference. Records without that hash are older than the digests.
    """
    of_a, of_b = a.manifest.task, b.manifest.task
    if of_a.items_hash is None or of_b.items_hash is None:
        return False
    if of_a.items_hash == of_b.items_hash:
        return True
    content_id = re.compile(rf"{re.escape(of_a.name)}-{_DIGEST}")
    return all(content_id.fullmatch(item.item_id) for run in (a, b) for item in run.measured_items)


def questions_differ(a: RunView, b: RunView, found: tuple[Difference, ...]) -> tuple[str, ...]:
    """Return the settings by which two runs did not ask the same questions; none where they did.

    Items are then paired by their ids. The nonce and the number of items only choose among them, and the
    token budgets are no part of a question.
    """
    grounds = _SAME_WORDS if ids_are_content(a, b) else (*_SAME_WORDS, *_SAME_ROWS)
    return tuple(difference.name for difference in found if difference.name in grounds)


def _of(group: str, part: BaseModel, names: tuple[str, ...]) -> Iterator[tuple[str, Setting]]:
    return ((f"{group}.{name}", getattr(part, name)) for name in names)


def _joined(names: set[str]) -> str | None:
    return ", ".join(sorted(names)) or None

"""Which of the operating points a user asks about: a model, a task, devices, a use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from joulemark.metrics.model_names import matching_models
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.presets import Preset
from joulemark.record.errors import InputError

_LISTED = 20


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for; null and empty mean any. ``devices`` are words of a device's name."""

    model: str | None = None
    task: str | None = None
    preset: Preset | None = None
    devices: tuple[str, ...] = ()
    max_devices: int | None = None


def select(points: Sequence[OperatingPoint], selection: Selection) -> list[OperatingPoint]:
    """Return the points asked for; raises `InputError` where a choice leaves none, or is unclear."""
    chosen = list(points)
    if selection.model is not None:
        models = matching_models(selection.model, {point.model for point in chosen})
        if len(models) > 1:
            what = f"--model {selection.model} names several models"
            raise InputError(what, why=_listed(models), fix=f"name one of them: --model {models[0]}")
        kept = [point for point in chosen if point.model in models]
        chosen = _some(kept, f"--model {selection.model}", {point.model for point in chosen})
    if selection.preset is not None:
        kept = selection.preset.of(chosen)
        chosen = _some(kept, f"--preset {selection.preset.name}", {point.task for point in chosen})
    if selection.task is not None:
        kept = [point for point in chosen if point.task == selection.task]
        chosen = _some(kept, f"--task {selection.task}", {point.task for point in chosen})
    if selection.devices:
        words = [word.casefold() for word in selection.devices]
        kept = [p for p in chosen if any(word in (p.device or "").casefold() for word in words)]
        there = {point.device or "an unknown device" for point in chosen}
        chosen = _some(kept, f"--gpu {' --gpu '.join(selection.devices)}", there)
    if selection.max_devices is not None:
        most = selection.max_devices
        kept = [point for point in chosen if point.n_devices is not None and point.n_devices <= most]
        chosen = _some(kept, f"--max-gpus {most}", {str(point.n_devices) for point in chosen})
    return chosen


def _some(kept: list[OperatingPoint], option: str, there: Collection[str]) -> list[OperatingPoint]:
    if kept:
        return kept
    raise InputError(
        f"nothing is left by {option}", why=f"there are: {_listed(sorted(there))}", fix="name one of them"
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")

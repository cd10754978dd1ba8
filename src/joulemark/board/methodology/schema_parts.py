"""The fields of a run's record, by part, from the classes that read and write it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel

from joulemark.record.item import Attempt, Chunk, Item
from joulemark.record.manifest import (
    Baselines,
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
from joulemark.record.published import PublishedRow
from joulemark.record.telemetry import Reading

_PARTS: tuple[tuple[str, Any], ...] = (
    ("manifest", Manifest),
    ("manifest: segments", Segment),
    ("manifest: host", Host),
    ("manifest: devices", Device),
    ("manifest: engine", Engine),
    ("manifest: task", Task),
    ("manifest: sampling", Sampling),
    ("manifest: load", Load),
    ("manifest: meters", Meter),
    ("manifest: baselines", Baselines),
    ("manifest: rates", Rates),
    ("manifest: windows", Window),
    ("manifest: client", ClientProof),
    ("items", Item),
    ("items: attempts", Attempt),
    ("items: chunks", Chunk),
    ("telemetry", Reading),
    ("published row", PublishedRow),
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the record: what its docstring says, and its fields with their types."""

    name: str
    told: str
    fields: tuple[tuple[str, str], ...]


@cache
def parts() -> tuple[Part, ...]:
    """Return the parts of a record, and of a row that somebody else published."""
    return tuple(Part(name, _told(kind), _fields(kind)) for name, kind in _PARTS)


def _told(kind: Any) -> str:
    return " ".join((kind.__doc__ or "").replace("``", "`").split())


def _fields(kind: Any) -> tuple[tuple[str, str], ...]:
    if issubclass(kind, BaseModel):
        return tuple((name, _typed(one.annotation)) for name, one in kind.model_fields.items())
    return tuple((one.name, _typed(one.type)) for one in dataclasses.fields(kind))


def _typed(annotation: object) -> str:
    """Return a type in short; a type of ours by its own name."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    if not isinstance(annotation, str | type) or "[" in str(annotation):
        text = str(annotation)
    for module in ("typing.", "joulemark.record.manifest.", "joulemark.record.item.", "joulemark.record."):
        text = text.replace(module, "")
    return text.replace("NoneType", "None")

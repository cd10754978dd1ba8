"""Calibrations made by hand: one board with a model, and runs that fit it or do not."""

from __future__ import annotations

from joulemark.calibration.document import SourcePower, Window
from joulemark.record.manifest import Engine
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope

NOW = "2026-11-30T10:00:00+00:00"
GPU = str(Scope.gpu(0))


def power(mean_w: float, **fields: object) -> SourcePower:
    defaults: dict[str, object] = {
        "source": "nvml:0",
        "kind": "nvml",
        "scope": GPU,
        "device_hash": "c0ffee",
        "method": "counter",
        "lo_w": mean_w - 1,
        "hi_w": mean_w + 1,
    }
    return SourcePower(mean_w=mean_w, **{**defaults, **fields})  # type: ignore[arg-type]


def stretch(mean_w: float, *, at: str = NOW, **fields: object) -> Window:
    return Window(measured_utc=at, duration_s=10.0, **{"powers": [power(mean_w)], **fields})  # type: ignore[arg-type]


def source(**fields: object) -> QualifiedSource:
    """Return a source as a manifest has it."""
    defaults: dict[str, object] = {
        "name": "nvml:0",
        "kind": "nvml",
        "scope": Scope.gpu(0),
        "quantities": ("energy_j", "power_w"),
        "device_id": "c0ffee",
    }
    info = SourceInfo(**{**defaults, **fields})  # type: ignore[arg-type]
    return QualifiedSource(info, Qualification(Trust.QUALIFIED))


def engine(**fields: object) -> Engine:
    defaults: dict[str, object] = {
        "kind": "llama.cpp",
        "model": "m",
        "model_digest": "sha256:1",
        "endpoint_hash": "e1",
    }
    return Engine(**{**defaults, **fields})  # type: ignore[arg-type]
